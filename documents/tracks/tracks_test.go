package tracks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/tracks"
)

func source(data []byte) documents.Source {
	return documents.FromBytes(data)
}

func testFile(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// listed writes captions as a list of times, with those when they end or without, and texts.
func listed(captions []documents.Block, ends bool) string {
	var out strings.Builder
	for _, c := range captions {
		if c.Kind != documents.Caption {
			fmt.Fprintf(&out, "%s: ", c.Kind)
		}
		fmt.Fprintf(&out, "%.2f", c.Time.From)
		if ends {
			fmt.Fprintf(&out, "-%.2f", c.Time.To)
		}
		fmt.Fprintf(&out, " %s\n", strings.ReplaceAll(c.Text, "\n", "|"))
	}
	return out.String()
}

// oracle returns the cues of a SubRip file in the form of listed. In fragments of MP4, a cue ends where the next one
// begins.
func oracle(t *testing.T, name string, ends bool) string {
	t.Helper()
	text := strings.NewReplacer("<i>", "", "</i>", "").Replace(string(testFile(t, name)))
	var captions []documents.Block
	for cue := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		lines := strings.SplitN(cue, "\n", 3)
		var from, to [4]int
		if _, err := fmt.Sscanf(lines[1], "%d:%d:%d,%d --> %d:%d:%d,%d", &from[0], &from[1], &from[2], &from[3],
			&to[0], &to[1], &to[2], &to[3]); err != nil {
			t.Fatal(err)
		}
		time := documents.Span{From: seconds(from), To: seconds(to)}
		captions = append(captions, documents.Block{Kind: documents.Caption, Text: lines[2], Time: time})
	}
	return listed(captions, ends)
}

func seconds(t [4]int) float64 { return float64(t[0]*3600+t[1]*60+t[2]) + float64(t[3])/1000 }

func TestTracksOfRealFiles(t *testing.T) {
	const en, de = "minutes.en.srt", "minutes.de.srt"
	for name, test := range map[string]struct{ oracle, warning string }{
		"movtext.mp4":     {oracle: en},
		"timedtext.mov":   {oracle: en},
		"ttml.mp4":        {oracle: en},
		"fragmented.mp4":  {en, "The recording has subtitle tracks in en, de; the first was read."},
		"defaultbase.mp4": {oracle: en},
		"two.mp4":         {de, "The recording has subtitle tracks in en, de; number 2 was read."},
		"srt.mkv":         {oracle: en},
		"ass.mkv":         {oracle: en},
		"webvtt.mkv":      {oracle: en},
		"webvtt.webm":     {oracle: en},
		"live.mkv":        {oracle: en},
		"two.mkv":         {de, "The recording has subtitle tracks in en, de; number 2 was read."},
	} {
		t.Run(name, func(t *testing.T) {
			ends := name != "fragmented.mp4" && name != "defaultbase.mp4"
			captions, warnings, err := tracks.Captions(t.Context(), source(testFile(t, name)))
			if err != nil || strings.Join(warnings, " ") != test.warning {
				t.Errorf("warnings %q, %v", warnings, err)
			}
			if got, want := listed(captions, ends), oracle(t, test.oracle, ends); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// A list of chapters is a text track, but not a subtitle.
func TestRecordingsWithoutText(t *testing.T) {
	for name, data := range map[string][]byte{
		"no track":  testFile(t, "plain.m4a"),
		"chapters":  testFile(t, "chapters.m4a"),
		"sound":     testFile(t, "plain.mka"),
		"an ID3":    []byte("ID3\x04\x00\x00\x00\x00\x00\x00"),
		"a wave":    []byte("RIFF\x24\x00\x00\x00WAVEfmt "),
		"a letter":  []byte("a"),
		"nothing":   nil,
		"a picture": []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x00\x00\x00"),
	} {
		t.Run(name, func(t *testing.T) {
			captions, warnings, err := tracks.Captions(t.Context(), source(data))
			if captions != nil || warnings != nil || err != nil {
				t.Errorf("%s: %v, %q, %v", name, captions, warnings, err)
			}
		})
	}
}
