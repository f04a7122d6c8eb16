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

// stubTranscriber returns the same captions for every recording, and records the calls.
type stubTranscriber struct {
	slow     bool
	version  string
	captions []documents.Block
	warnings []string
	err      error
	calls    []media.Recording
}

func (s *stubTranscriber) Slow() bool { return s.slow }

func (s *stubTranscriber) Version() string { return s.version }

func (s *stubTranscriber) Transcribe(_ context.Context, r media.Recording) ([]documents.Block, []string, error) {
	s.calls = append(s.calls, r)
	return s.captions, s.warnings, s.err
}

// echoEngine returns the whole text as its summary.
type echoEngine struct{ answers.Engine }

func (echoEngine) Version() string { return "1" }

func (echoEngine) Summarize(_ context.Context, d *documents.Document, _ answers.SummarySettings) (answers.Summary, error) {
	return answers.Summary{Text: d.Text()}, nil
}

// memoryResults caches answers in memory.
type memoryResults map[string]media.Answer

func (r memoryResults) FindResult(_ context.Context, key string) (media.Answer, bool, error) {
	answer, found := r[key]
	return answer, found, nil
}

func (r memoryResults) SaveResult(_ context.Context, key string, answer media.Answer) error {
	r[key] = answer
	return nil
}

// newRecordingService returns a service that takes every file for a recording of the format.
func newRecordingService(format documents.Format, results media.Results, t media.Transcriber) *media.Service {
	return media.NewService(media.Parts{
		Detect: func(context.Context, documents.Source, documents.Limits) (documents.Format, error) {
			return format, nil
		},
		Engine: echoEngine{}, Transcriber: t, Results: results, Limits: documents.DefaultLimits(),
	})
}

func source(content string) documents.Source {
	return documents.FromBytes([]byte(content))
}

func captionsOf(texts ...string) []documents.Block {
	var captions []documents.Block
	for i, text := range texts {
		span := documents.Span{From: float64(i), To: float64(i + 1)}
		captions = append(captions, documents.Block{Kind: documents.Caption, Text: text, Time: span})
	}
	return captions
}

func TestAnswerTranscribesRecordings(t *testing.T) {
	s := &stubTranscriber{version: "a", captions: captionsOf("Good morning.", "Goodbye."), warnings: []string{"No keywords were used."}}
	question := media.Question{Task: media.Summarize, Lang: "en", Keywords: []string{"Nordwind"}}
	work := media.Work{Customer: "acme", Question: question, Files: []media.File{{Source: source("noise")}}}
	results := memoryResults{}
	answer, err := newRecordingService(documents.Video, results, s).Answer(t.Context(), work)
	if err != nil || answer.Summary != "Good morning.\nGoodbye." || !reflect.DeepEqual(answer.Warnings, s.warnings) {
		t.Errorf("answer %+v, error %v", answer, err)
	}
	want := media.Recording{Customer: "acme", File: work.Files[0].Source, Kind: documents.Video, Keywords: question.Keywords}
	if len(s.calls) != 1 || !reflect.DeepEqual(s.calls[0], want) {
		t.Errorf("transcriber was called with %+v, want %+v", s.calls, want)
	}
	for _, step := range []struct {
		customer, version string
		calls             int
	}{{"acme", "a", 1}, {"acme", "b", 2}, {"globex", "b", 3}, {"", "b", 4}, {"globex", "b", 4}} { // another transcriber may return other words
		work.Customer, s.version = step.customer, step.version
		if _, err := newRecordingService(documents.Video, results, s).Answer(t.Context(), work); err != nil || len(s.calls) != step.calls {
			t.Errorf("for %q, transcriber %s was called %d times, want %d; error %v", step.customer, step.version, len(s.calls), step.calls, err)
		}
	}
}

func TestReadReportsRecordingsWithoutText(t *testing.T) {
	broken := errors.New("no power")
	for _, test := range []struct {
		name        string
		transcriber media.Transcriber
		want        error
	}{
		{"no transcriber", nil, media.ErrNoTranscriber},
		{"silence", &stubTranscriber{captions: captionsOf(" \u200b")}, media.ErrSilent},
		{"failure", &stubTranscriber{err: broken}, broken},
	} {
		t.Run(test.name, func(t *testing.T) {
			service := newRecordingService(documents.Audio, nil, test.transcriber)
			if d, err := service.Read(t.Context(), "", source("noise")); d != nil || !errors.Is(err, test.want) {
				t.Errorf("document %v, error %v, want %v", d, err, test.want)
			}
		})
	}
	detail := fault.As(media.ErrNoTranscriber).Detail
	if !strings.Contains(detail, "MediaEngine set to bedrock or openai") || !strings.Contains(detail, " TranscriberCommand.") {
		t.Errorf("ErrNoTranscriber does not name the settings: %s", detail)
	}
}

func TestReadShortensLongTranscripts(t *testing.T) {
	s := &stubTranscriber{captions: captionsOf("First.", strings.Repeat("blah ", 2<<20), "Last.")}
	d, err := newRecordingService(documents.Audio, nil, s).Read(t.Context(), "", source("noise"))
	if err != nil || d.Text() != "First." || len(d.Warnings) != 1 {
		t.Errorf("document %+v, error %v; want the first caption and one warning", d, err)
	}
}

func TestContainerDetectsFormatByContent(t *testing.T) {
	for content, want := range map[string]string{
		"RIFF....WAVEfmt ": "wav", "RIFF....AVI ": "mp3", "": "mp3", "\x00\x00\x00\x20ftypM4A ": "m4a", "\x00\x00\x00\x20ftypisom": "mp4",
	} {
		if got, _, err := (media.Recording{File: source(content), Kind: documents.Audio}).Container(); got != want || err != nil {
			t.Errorf("Container of %q is %s, %v; want %s", content, got, err, want)
		}
	}
	if got, _, err := (media.Recording{File: source("?"), Kind: documents.Video}).Container(); got != "mp4" || err != nil {
		t.Errorf("Container of an unknown video is %s, %v; want mp4", got, err)
	}
}
