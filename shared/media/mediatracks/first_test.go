package mediatracks_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"portside/shared/media"
	"portside/shared/media/mediatracks"
)

// ear hears the same words in everything, and counts how often.
type ear struct{ asked *int }

func (ear) Version() string { return "ear 3" }

func (ear) Slow() bool { return true }

func (e ear) Transcribe(context.Context, media.Recording) ([]media.Block, []string, error) {
	*e.asked++
	return []media.Block{{Kind: media.Caption, Text: "heard"}}, []string{"hardly"}, nil
}

func TestTheRecordingsOwnWordsComeFirst(t *testing.T) {
	const unused = "The recording's own subtitles were read, so the keywords were not used."
	own := oracle(t, "minutes.en.srt", true)
	for name, test := range map[string]struct {
		file     []byte
		keywords []string
		want     string
		warnings []string
		asked    int
	}{
		"its own":       {testFile(t, "srt.mkv"), nil, own, nil, 0},
		"with keywords": {testFile(t, "srt.mkv"), []string{"Nordwind"}, own, []string{unused}, 0},
		"none":          {testFile(t, "plain.m4a"), []string{"Nordwind"}, "0.00-0.00 heard\n", []string{"hardly"}, 1},
		"damaged":       {testFile(t, "srt.mkv")[:400], nil, "0.00-0.00 heard\n", []string{"hardly"}, 1},
	} {
		asked := 0
		first := mediatracks.First(ear{&asked})
		r := media.Recording{File: source(test.file), Kind: media.Video, Keywords: test.keywords}
		captions, warnings, err := first.Transcribe(t.Context(), r)
		if got := listed(captions, true); err != nil || got != test.want || !slices.Equal(warnings, test.warnings) || asked != test.asked {
			t.Errorf("%s: %q, %v, asked %d\n%s", name, warnings, err, asked, got)
		}
	}
}

func TestFirstStandsForTheNext(t *testing.T) {
	first := mediatracks.First(ear{new(int)})
	if first.Version() != "tracks 1, ear 3" || !first.Slow() || mediatracks.First(media.NoTranscriber{}).Slow() {
		t.Errorf("%s, slow %v", first.Version(), first.Slow())
	}
	_, _, err := mediatracks.First(media.NoTranscriber{}).Transcribe(t.Context(), media.Recording{File: source(testFile(t, "plain.m4a"))})
	if !errors.Is(err, media.ErrNoTranscriber) {
		t.Error(err)
	}
}

// What cannot be read is not sent to a transcriber that may cost money.
func TestFirstTellsErrors(t *testing.T) {
	asked := 0
	file := source(testFile(t, "srt.mkv"))
	r := media.Recording{File: media.Source{ReaderAt: broken{file, 2048}, Size: file.Size}}
	if _, _, err := mediatracks.First(ear{&asked}).Transcribe(t.Context(), r); !errors.Is(err, errBroken) || asked > 0 {
		t.Errorf("%v, asked %d", err, asked)
	}
}
