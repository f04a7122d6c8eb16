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

// What is missing in an answer by bad luck is not missing for a day.
func TestAnswersWithoutWhatMayComeAreNotKept(t *testing.T) {
	denied := errors.New("403: this account has no such model")
	refused := fault.New(fault.Unprocessable, "The model does not want to.")
	for name, test := range map[string]struct {
		file string
		err  error // of the picture "two"
		kept int
		logs int
	}{
		"all is read":         {"one\n#three", nil, 1, 0},
		"no access to models": {"one\n#two\n#two", denied, 0, 1},
		"refused":             {"one\n#two", refused, 0, 1},
		"damaged for good":    {"one\n#two", fmt.Errorf("%w (no picture)", documents.ErrDamaged), 1, 1},
		"too large for good":  {"one\n#two", documents.TooLarge(1 << 20), 1, 1},
		"no time":             {"one\n!", documents.ErrSlow, 0, 0},
		"too much for good":   {"one\n!", documents.TooLarge(1 << 20), 1, 0},
	} {
		kept, logged := shelf{}, testkit.CaptureLogs(t)
		service := looking(eye{map[string]error{"two": test.err}}, documents.DefaultLimits())
		parts := service.Parts
		parts.Engine, parts.Results = repeater{}, kept
		parts.Readers = map[documents.Format]documents.Reader{documents.PDF: func(ctx context.Context, file documents.Source, into *documents.Builder) error {
			return errors.Join(scanned(ctx, file, into), ended(file, test.err))
		}}
		work := media.Work{Question: media.Question{Task: media.Summarize}, Files: []media.File{{Source: textFile(test.file)}}}
		answer, err := media.NewService(parts).Answer(t.Context(), work)
		if err != nil || !strings.HasPrefix(answer.Summary, "one") || len(kept) != test.kept || (test.err != nil) != (len(answer.Warnings) == 1) {
			t.Errorf("%s: %+v, %v, kept %d", name, answer, err, len(kept))
		}
		if got := strings.Count(logged.String(), "a picture is left out"); got != test.logs {
			t.Errorf("%s: logged %s", name, logged)
		}
	}
}

// ended is the error of a reader whose file ends with a !.
func ended(file documents.Source, err error) error {
	last := make([]byte, 1)
	if _, failed := file.ReadAt(last, file.Size-1); failed != nil {
		return failed
	}
	if string(last) == "!" {
		return err
	}
	return nil
}

// Whoever is told that it is too much is told of what, and what there was.
func TestLimitsAreTold(t *testing.T) {
	small := documents.DefaultLimits()
	small.Text = 1 << 19
	few := documents.DefaultLimits()
	few.Blocks = 2
	long := strings.Repeat(strings.Repeat("x", 999)+"\n", 800)
	for name, test := range map[string]struct {
		limits documents.Limits
		file   string
		want   string
	}{
		"text":   {small, long, ", 0.5 MB of text. It has more text than the 0.5 MB that can be read of one file. Send it in parts."},
		"blocks": {few, "one\ntwo\nthree", ", 1 KB of text. It has more than the 2 paragraphs and cells that can be read of one file."},
	} {
		d, err := looking(nil, test.limits).Read(t.Context(), textFile(test.file))
		if err != nil || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], test.want) {
			t.Errorf("%s: %v, %q", name, err, d.Warnings)
			continue
		}
		if !strings.HasPrefix(d.Warnings[0], "Only a part of the file could be read, ") {
			t.Errorf("%s: %s", name, d.Warnings[0])
		}
	}
	_, err := textFile(strings.Repeat("x", 3<<20)).Bytes(2 << 20)
	if !errors.Is(err, documents.ErrTooMuch) || !strings.HasPrefix(documents.AsError(err).Message, "The file has more than 2 MB, ") {
		t.Errorf("got %v", err)
	}
	if !errors.Is(documents.ErrSlow, documents.ErrTooMuch) || !strings.Contains(documents.AsError(documents.ErrSlow).Message, "10 seconds") {
		t.Errorf("got %v", documents.ErrSlow)
	}
}

func TestBlankTextsAreNoFiles(t *testing.T) {
	parts := looking(nil, documents.DefaultLimits()).Parts
	parts.Readers = map[documents.Format]documents.Reader{documents.PlainText: func(_ context.Context, file documents.Source, _ *documents.Builder) error {
		return ended(file, documents.ErrEmpty)
	}}
	for _, text := range []string{" ", " !"} {
		if _, err := media.NewService(parts).ReadText(t.Context(), text); !errors.Is(err, media.ErrBlank) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
