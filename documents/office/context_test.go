package office_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"portside/documents"
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
			checks := 1<<30 - whole.left
			if checks < many/200 {
				t.Errorf("it checks the context only %d times", checks)
			}
			for _, after := range []int{checks / 10, checks / 2, checks * 9 / 10} {
				ctx := &expiring{t.Context(), after}
				err := readers[extension].read(ctx, source(file), documents.NewBuilder("", documents.DefaultLimits()))
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("after %d checks: %v", after, err)
				}
				if more := -ctx.left; more > 5 {
					t.Errorf("it continued for %d checks", more)
				}
			}
		})
	}
}

// One token may be megabytes long, so a reader also checks the context within it.
func TestReadersStopWithinALongToken(t *testing.T) {
	const size, apart = 3 << 20, 64 << 10
	file := word(t, r(`<w:t>`+strings.Repeat("x", size)+`</w:t>`))
	whole := &expiring{t.Context(), 1 << 30}
	if err := readers[".docx"].read(whole, source(file), documents.NewBuilder("", documents.DefaultLimits())); err != nil {
		t.Fatal(err)
	}
	checks := 1<<30 - whole.left
	if checks < size/apart {
		t.Errorf("it checks the context only %d times", checks)
	}
	ctx := &expiring{t.Context(), checks / 2}
	into := documents.NewBuilder("", documents.DefaultLimits())
	err := readers[".docx"].read(ctx, source(file), into)
	if !errors.Is(err, context.DeadlineExceeded) || -ctx.left > 5 || len(into.Document().Text()) >= size {
		t.Errorf("it ends %d checks late, after %d bytes: %v", -ctx.left, len(into.Document().Text()), err)
	}
}
