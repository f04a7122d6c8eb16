package mediaengines_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/tracks"
	"portside/shared/media"
	"portside/shared/media/mediaengines"
)

// ear hears the same words in everything, and counts how often.
type ear struct{ asked *int }

func (ear) Version() string { return "ear 3" }

func (ear) Slow() bool { return true }

func (e ear) Transcribe(context.Context, media.Recording) ([]documents.Block, []string, error) {
	*e.asked++
	return []documents.Block{{Kind: documents.Caption, Text: "heard"}}, []string{"hardly"}, nil
}

func TestTheRecordingsOwnWordsComeFirst(t *testing.T) {
	const unused = "The recording's own subtitles were read, so the keywords were not used."
	own := subtitlesOf(t, testFile(t, "srt.mkv"))
	for name, test := range map[string]struct {
		file     []byte
		keywords []string
		want     string
		warnings []string
		asked    int
	}{
		"its own":       {testFile(t, "srt.mkv"), nil, own, nil, 0},
		"with keywords": {testFile(t, "srt.mkv"), []string{"Nordwind"}, own, []string{unused}, 0},
		"none":          {testFile(t, "plain.m4a"), []string{"Nordwind"}, "heard", []string{"hardly"}, 1},
		"damaged":       {testFile(t, "srt.mkv")[:400], nil, "heard", []string{"hardly"}, 1},
	} {
		asked := 0
		first := mediaengines.First(ear{&asked})
		r := media.Recording{File: source(test.file), Kind: documents.Video, Keywords: test.keywords}
		captions, warnings, err := first.Transcribe(t.Context(), r)
		if got := joined(captions); err != nil || got != test.want || !slices.Equal(warnings, test.warnings) || asked != test.asked {
			t.Errorf("%s: %q, %v, asked %d\n%s", name, warnings, err, asked, got)
		}
	}
}

func TestFirstStandsForTheNext(t *testing.T) {
	first := mediaengines.First(ear{new(int)})
	if first.Version() != "tracks 1, ear 3" || !first.Slow() || mediaengines.First(media.NoTranscriber{}).Slow() {
		t.Errorf("%s, slow %v", first.Version(), first.Slow())
	}
	_, _, err := mediaengines.First(media.NoTranscriber{}).Transcribe(t.Context(), media.Recording{File: source(testFile(t, "plain.m4a"))})
	if !errors.Is(err, media.ErrNoTranscriber) {
		t.Error(err)
	}
}

// What cannot be read is not sent to a transcriber that may cost money.
func TestFirstTellsErrors(t *testing.T) {
	asked := 0
	file := source(testFile(t, "srt.mkv"))
	r := media.Recording{File: documents.Source{ReaderAt: broken{file, 2048}, Size: file.Size}}
	if _, _, err := mediaengines.First(ear{&asked}).Transcribe(t.Context(), r); !errors.Is(err, errBroken) || asked > 0 {
		t.Errorf("%v, asked %d", err, asked)
	}
}

func testFile(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "documents", "tracks", "testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func source(data []byte) documents.Source {
	return documents.FromBytes(data)
}

// subtitlesOf returns the captions that the recording itself contains.
func subtitlesOf(t *testing.T, recording []byte) string {
	t.Helper()
	captions, _, err := tracks.Captions(t.Context(), source(recording))
	if err != nil || len(captions) == 0 {
		t.Fatalf("%d captions, %v", len(captions), err)
	}
	return joined(captions)
}

func joined(captions []documents.Block) string {
	texts := make([]string, len(captions))
	for i, c := range captions {
		texts[i] = c.Text
	}
	return strings.Join(texts, "\n")
}

var errBroken = errors.New("the disk is broken")

// broken fails behind its first bytes.
type broken struct {
	io.ReaderAt
	until int64
}

func (b broken) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > b.until {
		return 0, errBroken
	}
	return b.ReaderAt.ReadAt(p, at)
}
