package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/pdf"
)

func TestHostileFilesAreBounded(t *testing.T) {
	fonts := "/Font<<" + helvetica + ">>"
	cycle := &raw{}
	cycle.add("<</Type/Catalog/Pages 2 0 R>>")
	cycle.add("<</Type/Pages/Kids[2 0 R 3 0 R 2 0 R]/Parent 2 0 R/Count 9>>")
	cycle.add("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<<%s>>>>", fonts)
	cycle.stream("", at(50, 700, "once"))

	bomb := deflated(t, strings.Repeat("q ", 12<<20))
	many := &raw{}
	many.add("<</Type/Catalog/Pages 2 0 R>>")
	many.add("<</Type/Pages/Kids[%s]/Count 10000>>", strings.Repeat("3 0 R ", 1)+kids(4, 10_000))
	many.stream("", at(50, 700, "a page"))
	for range 10_000 {
		many.add("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 3 0 R/Resources<<%s>>>>", fonts)
	}
	nested := pageWith("/X0 Do", fonts+xobjects(5, 10), "")
	objects := "%PDF-1.5\n"
	for i := range 40 {
		objects += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, stream("/Type/ObjStm/N 1/First 4/Filter/FlateDecode", bomb))
	}
	for _, test := range []struct {
		name string
		file []byte
		want error // nil accepts any
		text string
	}{
		{"page tree with cycles", cycle.bytes(), nil, "once"},
		{"ten thousand pages", many.bytes(), nil, "a page"},
		{"decompression bomb as content", pageWith("", fonts, "/Contents 5 0 R", stream("/Filter/FlateDecode", bomb)), documents.ErrTooMuch, ""},
		{"decompression bombs as object streams", []byte(objects), documents.ErrTooMuch, ""},
		{"forms that contain forms", nested, nil, ""},
		{"deep arrays", onePage(strings.Repeat("[", 1_000_000) + at(50, 700, "x")), nil, ""},
		{"deep objects", pageWith("", strings.Repeat("/A<<", 100_000), ""), nil, ""},
		{"huge numbers", onePage("1e99 99999999999999999999999 cm BT /F1 9e99 Tf 1 0 0 1 " + strings.Repeat("9", 5000) + " 0 Tm (x) Tj ET"), nil, ""},
		{"many operands", onePage(strings.Repeat("1 ", 1_000_000) + at(50, 700, "here")), nil, "here"},
		{"many equal words", onePage("BT /F1 1 Tf (" + strings.Repeat("a b ", 200_000) + ") Tj ET"), nil, ""},
		{"scattered letters", onePage(scattered(299_000)), documents.ErrTooMuch, "a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := read(t, test.file)
			if test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if !strings.Contains(d.Text(), test.text) || test.text == "once" && d.Pages != 1 {
				t.Errorf("got %.100q, %v", d.Text(), err)
			}
		})
	}
}

// scattered shows letters in many places of a page, which gives many rows, gutters and regions.
func scattered(letters int) string {
	var out strings.Builder
	out.WriteString("BT /F1 1 Tf\n")
	for i := range letters {
		fmt.Fprintf(&out, "1 0 0 1 %d %d Tm(a)Tj\n", i%600, 7*i%790)
	}
	return out.String() + "ET"
}

func kids(first, n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "%d 0 R ", first+i)
	}
	return out.String()
}

// xobjects names n forms as resources, beginning with an object number.
func xobjects(first, n int) string {
	var out strings.Builder
	out.WriteString("/XObject<<")
	for i := range n {
		fmt.Fprintf(&out, "/X%d %d 0 R", i, first+i)
	}
	return out.String() + ">>"
}

func TestMutatedFilesNeverCrash(t *testing.T) {
	files, err := filepath.Glob("testdata/*.pdf")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	withText := 0
	const mutations = 200
	for i := range mutations {
		data, err := os.ReadFile(files[i%len(files)])
		if err != nil {
			t.Fatal(err)
		}
		d, err := read(t, mutate(random, bytes.Clone(data), i))
		if d.Text() != "" {
			withText++
		}
		for _, known := range []error{documents.ErrDamaged, documents.ErrNoText, documents.ErrTooMuch,
			documents.ErrEncrypted} {
			if errors.Is(err, known) {
				err = nil
			}
		}
		if err != nil {
			t.Errorf("mutation %d of %s: %v", i, files[i%len(files)], err)
		}
	}
	t.Logf("%d of %d mutated files still give text", withText, mutations)
	if withText < mutations/2 {
		t.Errorf("only %d of %d mutated files still give text", withText, mutations)
	}
}

// mutate damages a file in one of five ways.
func mutate(random *rand.Rand, data []byte, way int) []byte {
	a, b := random.IntN(len(data)), random.IntN(len(data))
	a, b = min(a, b), max(a, b)
	switch way % 5 {
	case 0:
		return data[:len(data)/4+a*3/4] // truncated
	case 1:
		for range 1 + len(data)/500 {
			data[random.IntN(len(data))] = byte(random.Uint32())
		}
	case 2:
		return append(data[:a:a], data[min(b, a+len(data)/20):]...) // a part is missing
	case 3:
		data = bytes.ReplaceAll(data, []byte("startxref"), []byte("startyref"))
		clear(data[max(0, len(data)-200):])
	case 4:
		return append(bytes.Clone(data[:a]), append(data[a:b:b], data[a:]...)...) // a part is repeated
	}
	return data
}

func TestReadReturnsContextError(t *testing.T) {
	data, err := os.ReadFile("testdata/chrome-long-en.pdf")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
	err = pdf.Read(ctx, documents.FromBytes(data), b)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// countdownContext ends after a number of calls of Err.
type countdownContext struct {
	context.Context
	calls int
}

// Err implements [context.Context].
func (c *countdownContext) Err() error {
	if c.calls--; c.calls < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// TestReadReportsAnEndedContextWhereverItEnds ends the context at every place that checks it. Read must
// return either all of the text or an error.
func TestReadReportsAnEndedContextWhereverItEnds(t *testing.T) {
	data := onePage(column(50, 700, "The left side goes on and", "on for some lines until", "it ends down here at", "the end of the column.") +
		column(300, 700, "Right of it there is more", "to read, which comes after", "the words on the left and", "not between them.") +
		"BT /F1 10 Tf 0 1 -1 0 580 300 Tm (going up) Tj ET " + scattered(3000))
	whole, err := read(t, data)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for ; ; calls++ {
		b := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
		ctx := &countdownContext{t.Context(), calls}
		err := pdf.Read(ctx, documents.FromBytes(data), b)
		text := b.Document().Text()
		if err == nil && text == whole.Text() {
			break
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("after %d checks: %.80q, %v", calls, text, err)
		}
	}
	const minChecks = 32 // one for each gutter of the first cut
	if calls < minChecks {
		t.Errorf("the context is checked %d times, want at least %d", calls, minChecks)
	}
}

// TestPageLimit reads a file of three pages with limits at and below their number.
func TestPageLimit(t *testing.T) {
	file := threePages("", func(content string) string { return content })
	for limit := 1; limit <= 4; limit++ {
		limits := documents.DefaultLimits()
		limits.Pages = limit
		b := documents.NewBuilder(documents.PDF, limits)
		err := pdf.Read(t.Context(), documents.FromBytes(file), b)
		d, want := b.Document(), min(limit, 3)
		hasLast := strings.Contains(d.Text(), fmt.Sprintf("Page %d, line 30", want))
		if err != nil || !hasLast || strings.Contains(d.Text(), fmt.Sprintf("Page %d, line 1:", want+1)) ||
			(len(d.Warnings) > 0) != (limit < 3) {
			t.Errorf("limit %d: has the end of page %d: %v, warnings %q, %v", limit, want, hasLast, d.Warnings, err)
		}
	}
}
