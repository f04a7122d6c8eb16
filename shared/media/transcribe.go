package media

import (
	"context"
	"fmt"
	"io"
	"strings"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/core/fault"
)

// Transcriber makes words of recordings.
type Transcriber interface {
	// Version names the transcriber and its model. Answers are kept by it, as by that of the engine.
	Version() string
	// Transcribe returns what is said in a recording as Captions in the order of their time, with offsets unset. Keywords
	// are words that are likely to be said; warnings tell what was not used. An empty Lang lets the transcriber find out.
	Transcribe(ctx context.Context, r Recording) (captions []documents.Block, warnings []string, err error)
	// Slow reports whether that takes longer than a client may wait for an answer, whatever the recording.
	Slow() bool
}

// Recording is what a Transcriber takes.
type Recording struct {
	File     documents.Source
	Kind     documents.Format // Audio or Video
	Keywords []string
	Lang     answers.Lang // that is spoken; empty: not known
}

// Why a recording has no words.
var (
	ErrNoTranscriber = fault.New(fault.Unprocessable, "Recordings without subtitles are not transcribed here. Whoever runs this service "+
		"can have it done: by the template's MediaEngine bedrock or openai, or by its TranscriberCommand with a program of their own.")
	ErrSilent = fault.New(fault.Unprocessable, "No words could be heard in the recording.")
)

// NoTranscriber is the Transcriber where none is configured.
type NoTranscriber struct{}

// Version implements [Transcriber].
func (NoTranscriber) Version() string { return "none" }

// Transcribe returns ErrNoTranscriber.
func (NoTranscriber) Transcribe(context.Context, Recording) ([]documents.Block, []string, error) {
	return nil, nil, ErrNoTranscriber
}

// Slow implements [Transcriber].
func (NoTranscriber) Slow() bool { return false }

// Container is what the recording's bytes are in: the usual ending of such a file's name, and the media type. It looks at the
// first bytes and never at a name; what it does not know it calls MP3, which begins with anything.
func (r Recording) Container() (suffix, mediaType string, err error) {
	head := make([]byte, 12)
	n, err := r.File.ReadAt(head, 0)
	if err != nil && err != io.EOF { //nolint:errorlint // ReadAt returns it bare, by its contract
		return "", "", fmt.Errorf("read a recording: %w", err)
	}
	is := func(at int, magic string) bool { return strings.HasPrefix(string(head[min(at, n):n]), magic) }
	switch {
	case is(0, "RIFF") && is(8, "WAVE"):
		return "wav", "audio/wav", nil
	case is(0, "fLaC"):
		return "flac", "audio/flac", nil
	case is(0, "OggS"):
		return "ogg", "audio/ogg", nil
	case is(0, "\x1a\x45\xdf\xa3"):
		return "webm", "video/webm", nil
	case is(4, "ftypM4A"):
		return "m4a", "audio/mp4", nil
	case is(4, "ftyp") || r.Kind == documents.Video:
		return "mp4", "video/mp4", nil
	}
	return "mp3", "audio/mpeg", nil
}

// transcribe makes a document of a recording. The transcriber and the context decide how long that takes.
func (s *Service) transcribe(ctx context.Context, r Recording) (*documents.Document, error) {
	captions, warnings, err := s.Transcriber.Transcribe(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("transcribe: %w", err)
	}
	into := documents.NewBuilder(r.Kind, s.Limits)
	for _, warning := range warnings {
		into.Warn(warning)
	}
	for _, caption := range captions {
		if err = into.Add(caption); err != nil { // ErrTooMuch
			break
		}
	}
	if into.IsEmpty() {
		return nil, ErrSilent
	}
	return into.Finish(err)
}
