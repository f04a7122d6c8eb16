package charset_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"portside/documents/charset"
)

func TestDecode(t *testing.T) {
	for name, test := range map[string]struct{ data, declared, want string }{
		"byte order mark wins over the declaration": {"\xff\xfeh\x00i\x00", "windows-1252", "hi"},
		"UTF-8 wins over the declaration":           {"łąka", "iso-8859-1", "łąka"},
		"declared":                                  {"\xb3\xb1ka", "iso-8859-2", "łąka"},
		"UTF-16 without a mark":                     {"h\x00i\x00!\x00?\x00", "", "hi!?"},
		"guessed by its letters":                    {"Gr\xfc\xdfe aus M\xfcnchen", "klingon", "Grüße aus München"},
		"half a character at the end":               {"\xff\xfeh\x00i", "", "h\ufffd"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := charset.Decode([]byte(test.data), test.declared); got != test.want {
				t.Errorf("%s: got %q, want %q", name, got, test.want)
			}
		})
	}
}

func TestDecodeOr(t *testing.T) {
	for data, want := range map[string]string{"na\xefve": "naÔve", "naïve": "naïve", "\xfe\xff\x00a": "a"} {
		t.Run(data, func(t *testing.T) {
			if got := charset.DecodeOr([]byte(data), charmap.Macintosh); got != want {
				t.Errorf("%q: got %q, want %q", data, got, want)
			}
		})
	}
}

func TestNewReader(t *testing.T) {
	long := strings.Repeat(" ", 100_000)
	for name, test := range map[string]struct{ data, want string }{
		"declared":         {`<?xml version="1.0" encoding="windows-1250"?><a>` + long + "\xb3</a>", "ł</a>"},
		"false UTF-16":     {`<?xml version="1.0" encoding="UTF-16"?><a>ł</a>`, "<a>ł</a>"},
		"meta element":     {"<html><meta charset=latin1>\xe9</html>", "é</html>"},
		"UTF-8":            {"<a>ł</a>", "<a>ł</a>"},
		"big-endian":       {"\xfe\xff\x00<\x00a\x00>", "<a>"},
		"shorter than any": {"<", "<"},
		"empty":            {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := io.ReadAll(charset.NewReader(strings.NewReader(test.data)))
			if err != nil || !strings.HasSuffix(string(got), test.want) {
				t.Errorf("%s: got %.100q, want %q (%v)", name, got, test.want, err)
			}
		})
	}
}

func TestNewReaderReturnsErrors(t *testing.T) {
	failing := io.MultiReader(strings.NewReader("<a>"), iotest.ErrReader(io.ErrClosedPipe))
	if got, err := io.ReadAll(charset.NewReader(failing)); string(got) != "<a>" || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %q, %v", got, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\xff\xfea\x00"), "utf-16")
	f.Add([]byte("Gr\xfc\xdfe"), "iso-8859-15")
	f.Add([]byte("\x1b$B$3"), "iso-2022-jp")
	f.Fuzz(func(t *testing.T, data []byte, declared string) {
		text := charset.Decode(data, declared)
		if utf8.Valid(data) && charset.ByMark(data) == nil && !utf8.ValidString(text) {
			t.Errorf("%q is not UTF-8", text)
		}
		charset.Declared(data)
	})
}
