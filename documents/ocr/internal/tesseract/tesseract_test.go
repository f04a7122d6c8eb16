package tesseract

import (
	"bytes"
	"compress/gzip"
	"errors"
	"image"
	"os"
	"testing"
)

func TestUnusableModelIsReported(t *testing.T) {
	module, err := os.ReadFile("../../data/tesseract.wasm")
	if err != nil {
		t.Fatal("run `make engines` first: ", err)
	}
	engine, err := New(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	var model bytes.Buffer
	packed := gzip.NewWriter(&model)
	_, _ = packed.Write(bytes.Repeat([]byte("no model"), 1000))
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	r := Request{Model: model.Bytes(), Picture: image.NewGray(image.Rect(0, 0, 9, 9))}
	if _, err := engine.Recognize(t.Context(), r); !errors.Is(err, ErrBroken) {
		t.Errorf("error %v", err)
	}
	if _, err := New(t.Context(), []byte("no module")); err == nil {
		t.Error("a file that is no module is accepted")
	}
}

func FuzzParseWords(f *testing.F) {
	f.Add("5\t1\t1\t1\t1\t1\t10\t20\t30\t40\t96.5\tTotal\n")
	f.Add("4\t1\t1\t1\t1\t0\t10\t20\t30\t40\t-1\t\n5\t1\t1\t1\t1\t2\tx\t20\t30\t-40\tNaN\t a\tb \n")
	f.Fuzz(func(t *testing.T, table string) {
		line := 1
		for _, w := range parseWords(table) {
			if w.Text == "" || w.Line < line || !(w.Confidence >= 0 && w.Confidence <= 1) || w.Box != w.Box.Canon() {
				t.Errorf("word %+v of %q", w, table)
			}
			line = w.Line
		}
	})
}
