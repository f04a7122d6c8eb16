package text_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/text"
)

// expiring is a context that ends after a number of checks.
type expiring struct {
	context.Context
	left int
}

func (e *expiring) Err() error {
	if e.left--; e.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// Each reader checks its context while it reads, and stops soon after the context ends.
func TestReadersStopWithTheContext(t *testing.T) {
	const blocks = 20_000
	for name, c := range map[string]struct {
		read documents.Reader
		file string
	}{
		"text":     {text.ReadText, strings.Repeat("some words\n\n", blocks)},
		"markdown": {text.ReadMarkdown, strings.Repeat("# a\n\nb `c`\n\n", blocks)},
		"html":     {text.ReadHTML, strings.Repeat("<table><tr><td>x", blocks)},
		"csv":      {text.ReadCSV, strings.Repeat("a,b\n", blocks)},
		"json":     {text.ReadJSON, "[" + strings.Repeat(`{"a":1},`, blocks) + "1]"},
		"xml":      {text.ReadXML, "<r>" + strings.Repeat("<a>x</a>", blocks) + "</r>"},
		"rtf":      {text.ReadRTF, `{\rtf1 ` + strings.Repeat(`a\par `, blocks) + "}"},
		"mail":     {text.ReadMail, "From: a\n\n" + strings.Repeat("word\n\n", blocks)},
		"captions": {text.ReadCaptions, "WEBVTT\n\n" + strings.Repeat("00:01.000 --> 00:02.000\na\n\n00:02.000 --> 00:03.000\nb\n\n", blocks)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, checks := range []int{2, 20} {
				ctx := &expiring{t.Context(), checks}
				err := c.read(ctx, source(c.file), documents.NewBuilder("", documents.DefaultLimits()))
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("after %d checks: %v", checks, err)
				}
				if more := -ctx.left; more > 5 {
					t.Errorf("it continued for %d checks", more)
				}
			}
		})
	}
}
