package media_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/core/fault"
	"portside/shared/media"
)

// scribe hears the same in everything, and notes what it is asked.
type scribe struct {
	slow     bool
	version  string
	captions []documents.Block
	warnings []string
	err      error
	asked    []media.Recording
}

func (s *scribe) Slow() bool { return s.slow }

func (s *scribe) Version() string { return s.version }

func (s *scribe) Transcribe(_ context.Context, r media.Recording) ([]documents.Block, []string, error) {
	s.asked = append(s.asked, r)
	return s.captions, s.warnings, s.err
}

// repeater is an engine that summarizes by saying everything again.
type repeater struct{ answers.Engine }

func (repeater) Version() string { return "1" }

func (repeater) Summarize(_ context.Context, d *documents.Document, _ answers.SummarySettings) (answers.Summary, error) {
	return answers.Summary{Text: d.Text()}, nil
}

// shelf keeps answers for the time of a test.
type shelf map[string]media.Answer

func (s shelf) Find(_ context.Context, key string) (media.Answer, bool, error) {
	answer, found := s[key]
	return answer, found, nil
}

func (s shelf) Keep(_ context.Context, key string, answer media.Answer) error {
	s[key] = answer
	return nil
}

// listening is a service to which everything is a recording of the format.
func listening(format documents.Format, kept media.Results, t media.Transcriber) *media.Service {
	return media.NewService(media.Parts{
		Detect: func(context.Context, documents.Source, documents.Limits) (documents.Format, error) {
			return format, nil
		},
		Engine: repeater{}, Transcriber: t, Results: kept, Limits: documents.DefaultLimits(),
	})
}

func source(content string) documents.Source {
	return documents.FromBytes([]byte(content))
}

func said(texts ...string) []documents.Block {
	var all []documents.Block
	for i, text := range texts {
		all = append(all, documents.Block{Kind: documents.Caption, Text: text, Time: documents.Span{From: float64(i), To: float64(i + 1)}})
	}
	return all
}

func TestRecordingsAreTranscribed(t *testing.T) {
	s := &scribe{version: "a", captions: said("Good morning.", "Goodbye."), warnings: []string{"No keywords were used."}}
	question := media.Question{Task: media.Summarize, Lang: "en", Keywords: []string{"Nordwind"}}
	work := media.Work{Question: question, Files: []media.File{{Source: source("noise")}}}
	kept := shelf{}
	answer, err := listening(documents.Video, kept, s).Answer(t.Context(), work)
	if err != nil || answer.Summary != "Good morning.\nGoodbye." || !reflect.DeepEqual(answer.Warnings, s.warnings) {
		t.Errorf("got %+v, %v", answer, err)
	}
	want := media.Recording{File: work.Files[0].Source, Kind: documents.Video, Keywords: question.Keywords}
	if len(s.asked) != 1 || !reflect.DeepEqual(s.asked[0], want) {
		t.Errorf("asked %+v", s.asked)
	}
	for _, step := range []struct {
		version string
		asked   int
	}{{"a", 1}, {"b", 2}} { // another transcriber may hear other words
		s.version = step.version
		if _, err := listening(documents.Video, kept, s).Answer(t.Context(), work); err != nil || len(s.asked) != step.asked {
			t.Errorf("transcriber %s: asked %d times, %v", step.version, len(s.asked), err)
		}
	}
}

func TestRecordingsWithoutWords(t *testing.T) {
	broken := errors.New("no power")
	for _, test := range []struct {
		name string
		by   media.Transcriber
		want error
	}{
		{"nobody listens", nil, media.ErrNoTranscriber},
		{"silence", &scribe{captions: said(" \u200b")}, media.ErrSilent},
		{"failure", &scribe{err: broken}, broken},
	} {
		if d, err := listening(documents.Audio, nil, test.by).Read(t.Context(), source("noise")); d != nil || !errors.Is(err, test.want) {
			t.Errorf("%s: %v, %v", test.name, d, err)
		}
	}
	detail := fault.As(media.ErrNoTranscriber).Detail
	if !strings.Contains(detail, "MediaEngine bedrock or openai") || !strings.Contains(detail, " TranscriberCommand ") {
		t.Errorf("nobody knows what to do: %s", detail)
	}
}

func TestLongSpeechIsCutWithAWarning(t *testing.T) {
	s := &scribe{captions: said("First.", strings.Repeat("blah ", 2<<20), "Last.")}
	d, err := listening(documents.Audio, nil, s).Read(t.Context(), source("noise"))
	if err != nil || d.Text() != "First." || len(d.Warnings) != 1 {
		t.Errorf("got %v", err)
	}
}

func TestContainersAreToldByTheirContent(t *testing.T) {
	for content, want := range map[string]string{
		"RIFF....WAVEfmt ": "wav", "RIFF....AVI ": "mp3", "": "mp3", "\x00\x00\x00\x20ftypM4A ": "m4a", "\x00\x00\x00\x20ftypisom": "mp4",
	} {
		if got, _, err := (media.Recording{File: source(content), Kind: documents.Audio}).Container(); got != want || err != nil {
			t.Errorf("%q is %s, %v", content, got, err)
		}
	}
	if got, _, err := (media.Recording{File: source("?"), Kind: documents.Video}).Container(); got != "mp4" || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}
