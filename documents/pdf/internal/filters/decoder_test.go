package filters

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/pdf/internal/budget"
	"portside/documents/pdf/internal/syntax"
)

// noObjects is a file without indirect objects.
type noObjects struct{}

func (noObjects) Object(int) any { return nil }

const maxBytes = 1 << 20 // that all streams of a test may decode to

func newDecoder(ctx context.Context) *Decoder {
	limits := documents.DefaultLimits()
	limits.Inflated = maxBytes
	return &Decoder{
		Objects: syntax.Resolver{Loader: noObjects{}}, Budget: budget.New(ctx, limits), Damage: &budget.Damage{},
	}
}

func deflate(t *testing.T, data string) string {
	t.Helper()
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func flateStream(t *testing.T, data string, parms syntax.Dict) *syntax.Stream {
	t.Helper()
	return &syntax.Stream{
		Dict: syntax.Dict{"Filter": syntax.Name("FlateDecode"), "DecodeParms": parms}, Raw: []byte(deflate(t, data)),
	}
}

func TestPredictors(t *testing.T) {
	for name, test := range map[string]struct {
		predictor, colors, bits float64
		encoded, want           string
	}{
		"none":         {1, 1, 8, "abc", "abc"},
		"TIFF, 8 bit":  {2, 1, 8, "a\x01\x01", "abc"},
		"TIFF, 16 bit": {2, 1, 16, "\x00\xff\x00\x02\x00\x00", "\x00\xff\x01\x01\x01\x01"},
		"PNG None":     {15, 1, 8, "\x00abc", "abc"},
		"PNG Sub":      {15, 1, 8, "\x01a\x01\x01", "abc"},
		"PNG Up":       {15, 1, 8, "\x00abc\x02\x01\x01\x01", "abcbcd"},
		"PNG Average":  {15, 1, 8, "\x00\x02\x04\x06\x03\x01\x01\x01", "\x02\x04\x06\x02\x04\x06"},
		"PNG Paeth":    {15, 1, 8, "\x00\x0a\x14\x1e\x04\x01\x01\x01", "\x0a\x14\x1e\x0b\x15\x1f"},
		"PNG, colors":  {15, 3, 8, "\x01abc\x01\x01\x01\x01\x01\x01", "abcbcdcde"},
	} {
		t.Run(name, func(t *testing.T) {
			s := flateStream(t, test.encoded, syntax.Dict{
				"Predictor": test.predictor, "Colors": test.colors, "BitsPerComponent": test.bits, "Columns": 3.0,
			})
			got, err := newDecoder(t.Context()).Decode(s)
			if err != nil || string(got) != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestDecodeBoundsEachFilterOfAChain(t *testing.T) {
	bomb := deflate(t, strings.Repeat("\x00", 4*maxBytes))
	for name, chain := range map[string]syntax.Array{
		"one filter":                      {syntax.Name("FlateDecode")},
		"a second filter with no output":  {syntax.Name("FlateDecode"), syntax.Name("ASCIIHexDecode")},
		"a second filter that keeps size": {syntax.Name("FlateDecode"), syntax.Name("RunLengthDecode")},
	} {
		s := &syntax.Stream{Dict: syntax.Dict{"Filter": chain}, Raw: []byte(bomb)}
		d := newDecoder(t.Context())
		_, err := d.Decode(s)
		if !errors.Is(err, documents.ErrTooMuch) && !d.Damage.Lost {
			t.Errorf("%s: got %v and no loss", name, err)
		}
		if _, err := d.Decode(s); !errors.Is(err, documents.ErrTooMuch) {
			t.Errorf("%s, second time: got %v, want ErrTooMuch", name, err)
		}
	}
}

func TestDecodeKeepsDataInFrontOfDamage(t *testing.T) {
	whole := deflate(t, strings.Repeat("A line of text. ", 100))
	s := &syntax.Stream{Dict: syntax.Dict{"Filter": syntax.Name("FlateDecode")}, Raw: []byte(whole[:len(whole)-10])}
	d := newDecoder(t.Context())
	got, err := d.Decode(s)
	if err != nil || !strings.HasPrefix(string(got), "A line of text. ") || !d.Damage.Lost {
		t.Errorf("got %d bytes, %v, lost: %v", len(got), err, d.Damage.Lost)
	}
}

func TestDecodeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newDecoder(ctx).Decode(flateStream(t, "data", nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the error of the context", err)
	}
}
