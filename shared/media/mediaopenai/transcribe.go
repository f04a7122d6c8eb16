package mediaopenai

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sync/atomic"

	"portside/documents"
	"portside/shared/core/fault"
	"portside/shared/media"
)

// ErrTooLarge means that a recording is too large for the server.
var ErrTooLarge = fault.New(fault.Unprocessable, "The recording is too large for the transcription service. Send it in parts, "+
	"or send only the audio.")

// ErrUnsupported means that the server does not support the format of a recording.
var ErrUnsupported = fault.New(fault.Unprocessable, "The transcription service does not support the format of the recording. "+
	"Send it as MP3, M4A or WAV.")

// transcriber uses the endpoint for transcriptions.
type transcriber struct {
	*caller
	noTimes atomic.Bool // the server does not support the response_format verbose_json, which has times
}

// NewTranscriber returns a [media.Transcriber] that uses the server's endpoint /audio/transcriptions.
func NewTranscriber(o Options) (media.Transcriber, error) {
	c, err := newCaller(o)
	if err != nil {
		return nil, err
	}
	return &transcriber{caller: c}, nil
}

// Slow implements [media.Transcriber]. These servers are much faster than the speech.
func (s *transcriber) Slow() bool { return false }

// Version implements [media.Transcriber].
func (s *transcriber) Version() string { return "openai " + s.model + "@" + s.base.Host }

// transcription has the fields of a response that this package uses.
type transcription struct {
	Text     string    `json:"text"`
	Segments []segment `json:"segments"`
}

type segment struct {
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	Text  string  `json:"text"`
}

// Transcribe implements [media.Transcriber].
func (s *transcriber) Transcribe(ctx context.Context, r media.Recording) ([]documents.Block, []string, error) {
	prompt, warnings := promptOf(r.Keywords)
	var result transcription
	err := s.retrier.Do(ctx, func(attempt int) error {
		err := s.transcribe(ctx, r, speechRequest{prompt: prompt, verbose: !s.noTimes.Load(), attempt: attempt}, &result)
		if response, ok := errors.AsType[*errorResponse](err); ok && response.status == http.StatusBadRequest &&
			response.isAbout("response_format") && s.noTimes.CompareAndSwap(false, true) {
			err = s.transcribe(ctx, r, speechRequest{prompt: prompt, attempt: attempt}, &result)
		}
		return err
	})
	if err != nil {
		return nil, nil, asRecordingError(err)
	}
	captions := result.captions()
	if len(result.Segments) == 0 && len(captions) > 0 {
		warnings = append(warnings, "The transcription service returned no times.")
	}
	return captions, warnings, nil
}

// asRecordingError returns the fault for a recording that the server refuses; otherwise it returns err.
func asRecordingError(err error) error {
	response, ok := errors.AsType[*errorResponse](err)
	switch {
	case !ok:
		return err
	case response.status == http.StatusRequestEntityTooLarge:
		return fmt.Errorf("%w (%w)", ErrTooLarge, response)
	case response.status == http.StatusUnsupportedMediaType, response.status == http.StatusBadRequest && response.isAbout("file"):
		return fmt.Errorf("%w (%w)", ErrUnsupported, response)
	}
	return err
}

// speechRequest has the settings of a request.
type speechRequest struct {
	prompt  string
	verbose bool
	attempt int
}

func (s *transcriber) transcribe(ctx context.Context, r media.Recording, how speechRequest, into *transcription) error {
	body, err := newForm(r, s.model, how)
	if err != nil {
		return err
	}
	return s.post(ctx, call{
		endpoint: []string{"audio", "transcriptions"}, contentType: body.contentType, body: body.reader, size: body.size, attempt: how.attempt,
	}, into)
}

// captions returns the segments that have words, or the whole text as one caption without a time. It
// treats an impossible time as missing.
func (t transcription) captions() []documents.Block {
	segments := t.Segments
	if len(segments) == 0 {
		segments = []segment{{Text: t.Text}}
	}
	var all []documents.Block
	latestStart := 0.0
	for _, s := range segments {
		text := documents.Clean(s.Text)
		if text == "" {
			continue
		}
		b := documents.Block{Kind: documents.Caption, Text: text}
		if s.Start >= latestStart && s.End >= s.Start && !math.IsInf(s.End, 0) {
			b.Time, latestStart = documents.Span{From: s.Start, To: s.End}, s.Start
		}
		all = append(all, b)
	}
	return all
}
