package office_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"portside/documents"
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
	const many = 20_000
	words := slide("", sp("", 0, 0, strings.Repeat(ap(">", "x"), many)))
	for extension, file := range map[string][]byte{
		".docx": word(t, strings.Repeat(r(`<w:t>x</w:t>`), many)),
		".pptx": deck(t, words, words),
		".xlsx": workbook(t, strings.Repeat(`<row><c><v>1</v></c></row>`, many)),
		".odt":  open(t, "text", strings.Repeat(`<text:p>x</text:p>`, many)),
		".ods": open(t, "spreadsheet", `<table:table>`+strings.Repeat(`<table:table-row><table:table-cell><text:p>x</text:p>`+
			`</table:table-cell></table:table-row>`, many)+`</table:table>`),
		".odp": open(t, "presentation", `<draw:page><draw:frame><draw:text-box>`+strings.Repeat(`<text:p>x</text:p>`, many)+
			`</draw:text-box></draw:frame></draw:page>`),
		".epub": epub(t, strings.Repeat(`<p>x</p>`, many)),
	} {
		t.Run(extension, func(t *testing.T) {
			whole := &expiring{t.Context(), 1 << 30}
			into := documents.NewBuilder("", documents.DefaultLimits())
			if err := readers[extension].read(whole, source(file), into); err != nil || len(into.Document().Blocks) < many {
				t.Fatal("the file is none of many blocks:", err)
			}
			looks := 1<<30 - whole.left
			if looks < many/200 {
				t.Errorf("it looks at the context only %d times", looks)
			}
			for _, after := range []int{looks / 10, looks / 2, looks * 9 / 10} {
				ctx := &expiring{t.Context(), after}
				err := readers[extension].read(ctx, source(file), documents.NewBuilder("", documents.DefaultLimits()))
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("after %d looks: %v", after, err)
				}
				if more := -ctx.left; more > 5 {
					t.Errorf("it went on for %d looks", more)
				}
			}
		})
	}
}

// One token may be megabytes long, so a reader looks at its context within it.
func TestReadingEndsWithinALongText(t *testing.T) {
	const size, apart = 3 << 20, 64 << 10
	file := word(t, r(`<w:t>`+strings.Repeat("x", size)+`</w:t>`))
	whole := &expiring{t.Context(), 1 << 30}
	if err := readers[".docx"].read(whole, source(file), documents.NewBuilder("", documents.DefaultLimits())); err != nil {
		t.Fatal(err)
	}
	looks := 1<<30 - whole.left
	if looks < size/apart {
		t.Errorf("it looks at the context only %d times", looks)
	}
	ctx := &expiring{t.Context(), looks / 2}
	into := documents.NewBuilder("", documents.DefaultLimits())
	err := readers[".docx"].read(ctx, source(file), into)
	if !errors.Is(err, context.DeadlineExceeded) || -ctx.left > 5 || len(into.Document().Text()) >= size {
		t.Errorf("it ends %d looks late, after %d bytes: %v", -ctx.left, len(into.Document().Text()), err)
	}
}
