package tracks_test

import (
	"math"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/tracks"
)

func FuzzMP4(f *testing.F)      { fuzz(f, "*.mp4", "*.mov", "*.m4a") }
func FuzzMatroska(f *testing.F) { fuzz(f, "*.mkv", "*.webm", "*.mka") }
func FuzzLyrics(f *testing.F) {
	f.Add(concat([]byte("ID3\x03\x00\x00\x00\x00\x00\x40SYLT"), be(20), []byte("\x00\x00\x00eng\x02\x01\x00"),
		[]byte("a\x00"), be(1), []byte("b\x00"), be(2)))
	f.Add(concat([]byte("ID3\x04\x00\x00\x00\x00\x00\x40USLT"), be(20), []byte("\x00\x00\x03eng\x00[00:01]a\n[00:02]b")))
	fuzz(f, "*.flac")
}

// FuzzSample is about the text in an otherwise sound file.
func FuzzSample(f *testing.F) {
	f.Add("stpp", []byte(`<tt ttp:frameRate="5"><body begin="1s"><p dur="2t">a<br/>&amp;<span>b</span></p></body></tt>`))
	f.Add("wvtt", payload("<v A>a&lt;", "b"))
	f.Add("tx3g", tx3g(`<i>a</i>{\p1}b{\p0}`))
	f.Fuzz(func(t *testing.T, codec string, sample []byte) {
		if len(codec) == 4 {
			try(t, film{codec: codec, samples: [][]byte{sample, sample}, lasts: []uint32{1, 2}}.bytes())
		}
	})
}

func fuzz(f *testing.F, patterns ...string) {
	f.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil || len(files) == 0 {
			f.Fatal(pattern, err)
		}
		for _, file := range files {
			f.Add(testFile(f, filepath.Base(file)))
		}
	}
	f.Fuzz(try)
}

func try(t *testing.T, data []byte) {
	captions, warnings, err := tracks.Captions(t.Context(), source(data))
	if err != nil {
		t.Errorf("%v", err) // media.ErrDamaged would be a panic
	}
	if len(captions) == 0 && len(warnings) > 0 {
		t.Errorf("warnings of nothing: %q", warnings)
	}
	last := 0.0
	for _, c := range captions {
		if c.Text != documents.Clean(c.Text) || c.Text == "" || !utf8.ValidString(c.Text) {
			t.Errorf("text %q", c.Text)
		}
		if c.Time.From < last || c.Time.To < c.Time.From || math.IsNaN(c.Time.From+c.Time.To) || c.Time.To > 1e7 {
			t.Errorf("%v after %v", c.Time, last)
		}
		last = c.Time.From
	}
}
