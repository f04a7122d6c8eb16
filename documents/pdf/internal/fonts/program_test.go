package fonts

import (
	"fmt"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/pdf/internal/budget"
	"portside/documents/pdf/internal/syntax"
	"portside/documents/pdf/internal/xref"
)

func newLoader(tb testing.TB) *Loader {
	tb.Helper()
	return NewLoader(xref.New(budget.New(tb.Context(), documents.DefaultLimits()), nil))
}

// indexOf returns an INDEX of the Compact Font Format.
func indexOf(objects ...string) string {
	out := string([]byte{byte(len(objects) >> 8), byte(len(objects))})
	if len(objects) == 0 {
		return out
	}
	out += "\x02"
	offset := 1
	for _, o := range append([]string{""}, objects...) {
		offset += len(o)
		out += string([]byte{byte(offset >> 8), byte(offset)})
	}
	return out + strings.Join(objects, "")
}

// compactFont returns a font program with the given tables and names of glyphs.
func compactFont(charset, encoding string, glyphs int, names ...string) []byte {
	number := func(n int) string { return string([]byte{29, 0, 0, byte(n >> 8), byte(n)}) }
	dict := func(charset, encoding, glyphs int) string {
		return number(charset) + "\x0f" + number(encoding) + "\x10" + number(glyphs) + "\x11" + "\x1e\x12\x5f\x0c\x07"
	}
	front := "\x01\x00\x04\x01" + indexOf("Own")
	at := len(front + indexOf(dict(0, 0, 0)) + indexOf(names...))
	top := indexOf(dict(at, at+len(charset), at+len(charset)+len(encoding)))
	return []byte(front + top + indexOf(names...) + charset + encoding + indexOf(make([]string, glyphs)...))
}

// TestCompactEncodings reads the codes 200 to 202 of fonts whose tables have each form. The glyphs are the standard
// string 34, which is "A", 236, which is "1" in the style of old books, and the font's own "f_f_i".
func TestCompactEncodings(t *testing.T) {
	const listed, ranges, longRanges = "\x00\x00\x22\x00\xf0\x01\x87", "\x01\x00\x22\x00\x00\xf0\x00\x01\x87\x00",
		"\x02\x00\x22\x00\x00\x00\xf0\x00\x00\x01\x87\x00\x00"
	for _, charset := range []string{listed, ranges, longRanges} {
		for _, encoding := range []string{
			"\x00\x03\xc8\xc9\xca", "\x01\x01\xc8\x02", "\x01\x02\xc8\x01\xca\x00", "\x80\x02\xc8\xc9\x01\xca\x01\x87",
		} {
			t.Run(fmt.Sprintf("%x %x", charset, encoding), func(t *testing.T) {
				table := newLoader(t).parseCompact(compactFont(charset, encoding, 4, "f_f_i", "unused"))
				if table == nil {
					t.Fatal("no encoding")
				}
				if got := strings.Join(table[200:203], " "); got != "A 1 ffi" {
					t.Errorf("got %q", got)
				}
			})
		}
	}
}

func TestStandardStrings(t *testing.T) {
	texts := standardStrings()
	for id, want := range map[int]string{1: " ", 34: "A", 66: "a", 109: "ﬁ", 149: "ß", 150: "¹", 166: "−", 189: "Ö", 228: "ž"} {
		if texts[id] != want {
			t.Errorf("string %d: got %q, want %q", id, texts[id], want)
		}
	}
	if len(texts) != 229 {
		t.Errorf("%d strings", len(texts))
	}
}

func TestType1Encodings(t *testing.T) {
	const program = "%!PS-AdobeFont-1.0: Own\n/FontName /Own def /Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\n" +
		"dup 11 /ff put dup 66/eacute put\ndup 200 /a.sc put readonly def\ncurrentfile eexec"
	table := newLoader(t).parseType1([]byte(program))
	if table[11] != "ff" || table[66] != "é" || table[200] != "a" || table['A'] != "" {
		t.Errorf("got %q %q %q %q", table[11], table[66], table[200], table['A'])
	}
	table = newLoader(t).parseType1([]byte("/Encoding StandardEncoding def"))
	if table['A'] != "A" || table[0xae] != "ﬁ" {
		t.Errorf("got %q %q", table['A'], table[0xae])
	}
	if table := newLoader(t).parseType1([]byte("/FontName /Own def")); table != nil {
		t.Errorf("got %q of a program without an encoding", table)
	}
}

// TestMapsWithoutMeaning checks which texts of a ToUnicode map the names of glyphs replace.
func TestMapsWithoutMeaning(t *testing.T) {
	for _, test := range []struct{ mapped, name, want string }{
		{"2191", "ff", "ff"}, {"21B5", "f_f_i", "ffi"}, {"000B", "fl", "fl"}, {"E001", "ff", "ff"}, {"21E4", "asteriskmath", "∗"},
		{"2191", "arrowup", "↑"}, {"2192", "n", "→"}, {"F0B7", "n", "\uf0b7"}, {"0066", "fi", "f"}, {"2713", "a_b", "✓"},
		{"2191", "g12", "↑"},
	} {
		t.Run(test.mapped+" "+test.name, func(t *testing.T) {
			l := newLoader(t)
			font := &Font{toUnicode: parseCMap([]byte("1 beginbfchar <0B> <" + test.mapped + "> endbfchar"))}
			l.readEncoding(font, syntax.Dict{"Subtype": syntax.Name("Type1"), "Encoding": syntax.Dict{
				"Differences": syntax.Array{11.0, syntax.Name(test.name)},
			}}, "Own")
			if got := font.Text(11); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// FuzzPrograms checks that no font program makes the reader panic.
func FuzzPrograms(f *testing.F) {
	font := compactFont("\x00\x00\x22\x00\xf0\x01\x87", "\x81\x01\xc8\x02\x01\xca\x01\x87", 4, "f_f_i")
	f.Add(font)
	f.Add(append([]byte("OTTO\x00\x01\x00\x00\x00\x00\x00\x00CFF \x00\x00\x00\x00\x00\x00\x00\x1c\x00\x00\x00\x20"), font...))
	f.Add([]byte("/Encoding 256 array dup 65 /A put def"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := newLoader(t)
		l.parseCompact(data)
		l.parseType1(data)
	})
}
