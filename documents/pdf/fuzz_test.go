package pdf

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"portside/documents"
)

func tightLimits() documents.Limits {
	return documents.Limits{
		Text: 1 << 20, Blocks: 20_000, Pages: 50, Inflated: 4 << 20, Depth: 32, Objects: 20_000, Pictures: 3, PictureBytes: 4 << 20,
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.pdf")
	if err != nil {
		f.Fatal(err)
	}
	more, err := filepath.Glob("testdata/*/*.pdf")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range append(files[:12:12], more...) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := documents.NewBuilder(documents.PDF, tightLimits())
		err := Read(t.Context(), documents.FromBytes(data), b)
		if errors.Is(err, documents.ErrPanic) {
			t.Error(err)
		}
		d := b.Document()
		if len(d.Text()) > tightLimits().Text || !utf8.ValidString(d.Text()) {
			t.Errorf("%d bytes of text", len(d.Text()))
		}
	})
}

func FuzzContent(f *testing.F) {
	f.Add([]byte("q 1 0 0 1 0 0 cm BT /F1 12 Tf 5 Tc 50 700 Td [(a) -900 <4142>] TJ T* (x) ' ET Q " +
		"BI /W 1 ID x EI /S <</ActualText(b)>> BDC EMC"))
	f.Fuzz(func(t *testing.T, data []byte) {
		known := &face{table: encoding("WinAnsiEncoding"), otherwise: 0.5}
		file := &file{work: 100_000, fonts: map[int]*face{}, forms: map[int]*form{}}
		m := &machine{ctx: t.Context(), f: file, state: newState(matrix{1, 0, 0, -1, 0, 842}), width: 595, height: 842}
		m.state.font, m.state.size = known, 10
		if err := m.run(data, nil); err == nil && len(m.glyphs) > len(data) {
			t.Errorf("%d glyphs of %d bytes", len(m.glyphs), len(data))
		}
		if _, err := layOut(t.Context(), m.glyphs); err != nil {
			t.Error(err)
		}
	})
}

func FuzzCMap(f *testing.F) {
	f.Add([]byte("1 begincodespacerange <00> <ff> endcodespacerange "+
		"1 beginbfrange <00> <ffffffff> <0041> endbfrange 1 begincidrange <00> <ff> 7"), []byte("ab"))
	f.Fuzz(func(t *testing.T, data, raw []byte) {
		m := parseCMap(data)
		for len(raw) > 0 {
			c, n := m.cut(raw)
			if n < 1 {
				t.Fatal("a code of no bytes")
			}
			m.text(c)
			m.glyph(c)
			raw = raw[n:]
		}
	})
}

func TestNestingIsCapped(t *testing.T) {
	for _, opening := range []string{"[", "<</A"} {
		p := parser{lex: lexer{data: []byte(strings.Repeat(opening, 34))}, deepest: 32, cells: maxCells}
		if _, err := p.next(); !errors.Is(err, errDeep) {
			t.Errorf("34 %s: %v", opening, err)
		}
	}
	p := parser{lex: lexer{data: []byte(strings.Repeat("<<>>", 1000))}, deepest: 32, cells: 100}
	p.lex.data = append([]byte("["), p.lex.data...)
	if _, err := p.next(); !errors.Is(err, errLarge) {
		t.Errorf("a thousand dictionaries: %v", err)
	}
}
