package text_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/text"
)

// expiring is a context that is done once it was looked at so many times.
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

// Each reader looks at its context again and again on the way, and ends at once when that is done.
func TestReadingEndsMidway(t *testing.T) {
	const many, often = 20_000, 20
	for name, c := range map[string]struct {
		read documents.Reader
		file string
	}{
		"text":     {text.ReadText, strings.Repeat("some words\n\n", many)},
		"markdown": {text.ReadMarkdown, strings.Repeat("# a\n\nb `c`\n\n", many)},
		"html":     {text.ReadHTML, strings.Repeat("<table><tr><td>x", many)},
		"csv":      {text.ReadCSV, strings.Repeat("a,b\n", many)},
		"json":     {text.ReadJSON, "[" + strings.Repeat(`{"a":1},`, many) + "1]"},
		"xml":      {text.ReadXML, "<r>" + strings.Repeat("<a>x</a>", many) + "</r>"},
		"rtf":      {text.ReadRTF, `{\rtf1 ` + strings.Repeat(`a\par `, many) + "}"},
		"mail":     {text.ReadMail, "From: a\n\n" + strings.Repeat("word\n\n", many)},
		"captions": {text.ReadCaptions, "WEBVTT\n\n" + strings.Repeat("00:01.000 --> 00:02.000\na\n\n00:02.000 --> 00:03.000\nb\n\n", many)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, looks := range []int{2, often} {
				ctx := &expiring{t.Context(), looks}
				err := c.read(ctx, source(c.file), documents.NewBuilder("", documents.DefaultLimits()))
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("after %d looks: %v", looks, err)
				}
				if more := -ctx.left; more > 5 {
					t.Errorf("it went on for %d looks", more)
				}
			}
		})
	}
}
