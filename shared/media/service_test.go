package media_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"portside/documents"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/testkit"
)

// An answer without a picture or page that a later attempt may read is not cached for a day.
func TestAnswerIsCachedOnlyIfComplete(t *testing.T) {
	denied := errors.New("403: this account has no such model")
	refused := fault.New(fault.Unprocessable, "The model refuses.")
	for name, test := range map[string]struct {
		file   string
		err    error // of viewing the picture "two", and of reading a file that ends with !
		cached int
		logs   int
	}{
		"complete":             {"one\n#three", nil, 1, 0},
		"no access to a model": {"one\n#two\n#two", denied, 0, 1},
		"model refuses":        {"one\n#two", refused, 0, 1},
		"damaged picture":      {"one\n#two", fmt.Errorf("%w (no picture)", documents.ErrDamaged), 1, 1},
		"large picture":        {"one\n#two", documents.TooLarge(1 << 20), 1, 1},
		"timeout of reading":   {"one\n!", documents.ErrSlow, 0, 0},
		"large file":           {"one\n!", documents.TooLarge(1 << 20), 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			results, logged := memoryResults{}, testkit.CaptureLogs(t)
			service := newPictureService(stubViewer{map[string]error{"two": test.err}}, documents.DefaultLimits())
			parts := service.Parts
			parts.Engine, parts.Results = echoEngine{}, results
			parts.Readers[documents.PDF] = func(ctx context.Context, file documents.Source, into *documents.Builder) error {
				return errors.Join(readPages(ctx, file, into), errorAtEnd(file, test.err))
			}
			work := media.Work{Question: media.Question{Task: media.Summarize}, Files: []media.File{{Source: source(test.file)}}}
			answer, err := media.NewService(parts).Answer(t.Context(), work)
			if err != nil || !strings.HasPrefix(answer.Summary, "one") || (test.err != nil) != (len(answer.Warnings) == 1) {
				t.Errorf("answer %+v, error %v", answer, err)
			}
			if len(results) != test.cached {
				t.Errorf("%d answers are cached, want %d", len(results), test.cached)
			}
			if got := strings.Count(logged.String(), "a picture is left out"); got != test.logs {
				t.Errorf("want %d log lines about pictures, got %s", test.logs, logged)
			}
		})
	}
}

// errorAtEnd returns err if the file ends with a !.
func errorAtEnd(file documents.Source, err error) error {
	last := make([]byte, 1)
	if _, readErr := file.ReadAt(last, file.Size-1); readErr != nil {
		return readErr
	}
	if string(last) == "!" {
		return err
	}
	return nil
}

// After the context has ended, parts of a file may be missing.
func TestAnswerAfterCancellationIsNotCached(t *testing.T) {
	results := memoryResults{}
	ctx, cancel := context.WithCancel(t.Context())
	s := &stubTranscriber{captions: captionsOf("Good morning.")}
	work := media.Work{Question: media.Question{Task: media.Summarize}, Files: []media.File{{Source: source("noise")}}}
	cancel()
	_, err := newRecordingService(documents.Audio, results, s).Answer(ctx, work)
	if !errors.Is(err, context.Canceled) || len(results) > 0 {
		t.Errorf("error %v, cached %v; want context.Canceled and nothing cached", err, results)
	}
}

func TestReadWarnsOfLimits(t *testing.T) {
	small := documents.DefaultLimits()
	small.Text = 1 << 19
	few := documents.DefaultLimits()
	few.Blocks = 2
	long := strings.Repeat(strings.Repeat("x", 999)+"\n", 800)
	for name, test := range map[string]struct {
		limits documents.Limits
		file   string
		size   string // of the text that was read
		limit  string
	}{
		"text":   {small, long, "0.5 MB", "0.5 MB"},
		"blocks": {few, "one\ntwo\nthree", "1 KB", "2 paragraphs and cells"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := newPictureService(nil, test.limits).Read(t.Context(), "", source(test.file))
			if err != nil || len(d.Warnings) != 1 {
				t.Errorf("error %v, document %+v; want one warning", err, d)
				return
			}
			if w := d.Warnings[0]; !strings.Contains(w, test.size+" of text") || !strings.Contains(w, test.limit) {
				t.Errorf("the warning does not name %s and %s: %s", test.size, test.limit, w)
			}
		})
	}
}

func TestReadTextRejectsBlankText(t *testing.T) {
	parts := newPictureService(nil, documents.DefaultLimits()).Parts
	parts.Readers = map[documents.Format]documents.Reader{
		documents.PlainText: func(_ context.Context, file documents.Source, _ *documents.Builder) error {
			return errorAtEnd(file, documents.ErrEmpty)
		},
	}
	for _, text := range []string{" ", " !"} {
		if _, err := media.NewService(parts).ReadText(t.Context(), text); !errors.Is(err, media.ErrBlankText) {
			t.Errorf("%q: error %v, want ErrBlankText", text, err)
		}
	}
}
