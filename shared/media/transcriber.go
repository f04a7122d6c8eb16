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

// Transcriber turns the speech of recordings into text.
type Transcriber interface {
	// Version identifies the transcriber and its model. It is part of the key under which answers are
	// cached.
	Version() string
	// Transcribe returns the speech of a recording as Captions, ordered by time, without offsets.
	// Warnings name unused inputs, such as keywords.
	Transcribe(ctx context.Context, r Recording) (captions []documents.Block, warnings []string, err error)
	// Slow reports whether transcribing any recording takes longer than a client can wait.
	Slow() bool
}

// Recording is the input of a Transcriber.
type Recording struct {
	Customer string // whose it is; empty for the vendor's staff. A transcriber may reuse a transcript only for the same customer
	File     documents.Source
	Kind     documents.Format // Audio or Video
	Keywords []string         // words that are likely to be spoken
	Lang     answers.Lang     // the spoken language; empty: the transcriber finds out
}

// Errors about recordings without text.
var (
	ErrNoTranscriber = fault.New(fault.Unprocessable, "This service does not transcribe recordings without subtitles. Its operator can "+
		"turn that on: with the template's parameter MediaEngine set to bedrock or openai, or with a program of the operator's in "+
		"the parameter TranscriberCommand.")
	ErrSilent = fault.New(fault.Unprocessable, "The recording has no words that could be recognized.")
)

// NoTranscriber is the Transcriber if none is configured.
type NoTranscriber struct{}

// Version implements [Transcriber].
func (NoTranscriber) Version() string { return "none" }

// Transcribe returns ErrNoTranscriber.
func (NoTranscriber) Transcribe(context.Context, Recording) ([]documents.Block, []string, error) {
	return nil, nil, ErrNoTranscriber
}

// Slow implements [Transcriber].
func (NoTranscriber) Slow() bool { return false }

// Container returns the file name extension and the media type that fit the first bytes of the
// recording. It takes anything unknown for MP3, because an MP3 file may begin with any bytes.
func (r Recording) Container() (extension, mediaType string, err error) {
	head := make([]byte, 12)
	n, err := r.File.ReadAt(head, 0)
	if err != nil && err != io.EOF { //nolint:errorlint // ReadAt returns io.EOF itself, by its contract
		return "", "", fmt.Errorf("read a recording: %w", err)
	}
	has := func(at int, magic string) bool { return strings.HasPrefix(string(head[min(at, n):n]), magic) }
	switch {
	case has(0, "RIFF") && has(8, "WAVE"):
		return "wav", "audio/wav", nil
	case has(0, "fLaC"):
		return "flac", "audio/flac", nil
	case has(0, "OggS"):
		return "ogg", "audio/ogg", nil
	case has(0, "\x1a\x45\xdf\xa3"):
		return "webm", "video/webm", nil
	case has(4, "ftypM4A"):
		return "m4a", "audio/mp4", nil
	case has(4, "ftyp") || r.Kind == documents.Video:
		return "mp4", "video/mp4", nil
	}
	return "mp3", "audio/mpeg", nil
}

// transcribe makes a document of a recording. Only the context limits how long that takes.
func (s *Service) transcribe(ctx context.Context, r Recording) (*documents.Document, error) {
	captions, warnings, err := s.Transcriber.Transcribe(ctx, r)
	if err != nil {
		LogPanic(ctx, err)
		return nil, fmt.Errorf("transcribe: %w", err)
	}
	into := documents.NewBuilder(r.Kind, s.Limits)
	for _, warning := range warnings {
		into.Warn(warning)
	}
	for _, caption := range captions {
		if err = into.Add(caption); err != nil { // ErrTooMuch: Finish keeps the captions so far
			break
		}
	}
	if into.IsEmpty() {
		return nil, ErrSilent
	}
	return into.Finish(err)
}
