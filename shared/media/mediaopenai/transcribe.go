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

// ErrTooLarge is about a recording that the server does not take.
var ErrTooLarge = fault.New(fault.Unprocessable, "The recording is larger than the transcription service takes. Send it in parts, "+
	"or only its sound.")

// ErrUnheard is about a recording of which the server can make nothing.
var ErrUnheard = fault.New(fault.Unprocessable, "The recording is of a kind that the transcription service does not take. "+
	"Send it as MP3, M4A or WAV.")

// speech asks for transcriptions.
type speech struct {
	*caller
	plain atomic.Bool // the server knows no response_format verbose_json, which has the times
}

// NewTranscriber returns a [media.Transcriber] that asks the server's /audio/transcriptions.
func NewTranscriber(o Options) (media.Transcriber, error) {
	c, err := newCaller(o)
	if err != nil {
		return nil, err
	}
	return &speech{caller: c}, nil
}

// Slow implements [media.Transcriber]: such servers are faster than speech.
func (s *speech) Slow() bool { return false }

// Version implements [media.Transcriber].
func (s *speech) Version() string { return "openai " + s.model + "@" + s.base.Host }

// transcription is the answer, as far as it is used here. Without segments it is one caption without times.
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
func (s *speech) Transcribe(ctx context.Context, r media.Recording) ([]documents.Block, []string, error) {
	prompt, warnings := prompted(r.Keywords)
	var said transcription
	err := s.retrier.Do(ctx, func(attempt int) error {
		err := s.once(ctx, r, spoken{prompt: prompt, verbose: !s.plain.Load(), attempt: attempt}, &said)
		if refused, ok := errors.AsType[*refusal](err); ok && refused.status == http.StatusBadRequest &&
			refused.about("response_format") && s.plain.CompareAndSwap(false, true) {
			err = s.once(ctx, r, spoken{prompt: prompt, attempt: attempt}, &said)
		}
		return err
	})
	if err != nil {
		return nil, nil, unheard(err)
	}
	captions := said.captions()
	if len(said.Segments) == 0 && len(captions) > 0 {
		warnings = append(warnings, "The transcription service gave no times.")
	}
	return captions, warnings, nil
}

// unheard says in terms of recordings what went wrong.
func unheard(err error) error {
	refused, ok := errors.AsType[*refusal](err)
	switch {
	case !ok:
		return err
	case refused.status == http.StatusRequestEntityTooLarge:
		return fmt.Errorf("%w (%w)", ErrTooLarge, refused)
	case refused.status == http.StatusUnsupportedMediaType, refused.status == http.StatusBadRequest && refused.about("file"):
		return fmt.Errorf("%w (%w)", ErrUnheard, refused)
	}
	return err
}

// spoken is how a request is put.
type spoken struct {
	prompt  string
	verbose bool
	attempt int
}

func (s *speech) once(ctx context.Context, r media.Recording, how spoken, into *transcription) error {
	body, err := formOf(r, s.model, how)
	if err != nil {
		return err
	}
	return s.post(ctx, call{
		endpoint: []string{"audio", "transcriptions"}, kind: body.kind, body: body.reader, size: body.size, attempt: how.attempt,
	}, into)
}

// captions are the segments that have words. A time that cannot be is none.
func (t transcription) captions() []documents.Block {
	segments := t.Segments
	if len(segments) == 0 {
		segments = []segment{{Text: t.Text}}
	}
	var all []documents.Block
	reached := 0.0
	for _, s := range segments {
		text := documents.Clean(s.Text)
		if text == "" {
			continue
		}
		b := documents.Block{Kind: documents.Caption, Text: text}
		if s.Start >= reached && s.End >= s.Start && !math.IsInf(s.End, 0) {
			b.Time, reached = documents.Span{From: s.Start, To: s.End}, s.Start
		}
		all = append(all, b)
	}
	return all
}
