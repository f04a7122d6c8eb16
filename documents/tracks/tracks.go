// Package tracks reads the text inside recordings: subtitle tracks of MP4, QuickTime, Matroska and WebM, and lyrics
// with times in MP3 and FLAC.
//
// Programs look for subtitles before they transcribe a recording. A person wrote or checked them, so names and numbers
// are right and times are exact, and reading them costs nothing.
//
// A recording may have gigabytes of sound and pictures. [Captions] skips these by the sizes that the container
// declares, and reads only the samples of one text track. It checks every declared size against the file. It descends a
// fixed number of levels, and limits the steps, the bytes read and inflated, and the text that it keeps. The libraries
// for these formats do not; docs/decisions/0017 has the figures.
//
// It leaves out chapters, which are text tracks in MP4 but only titles; lyrics without times, because many programs
// store show notes there; subtitles that are pictures; and CEA-608.
package tracks

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"portside/documents"
)

// Captions returns the text of the recording's best text track, in the order of time and without markup. The best track
// is a default track with everything that is said; otherwise the first that can be read. It returns no captions and no
// error if the recording has no such track, or if the file is not a recording. If the track is damaged or too long, it
// returns the first part with a warning. Errors: those of the context and the file, and ErrDamaged after a panic.
func Captions(ctx context.Context, file documents.Source) (captions []documents.Block, warnings []string, err error) {
	defer documents.RecoverPanic(&err)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	f := &input{ctx: ctx, source: file, steps: maxSteps, bytes: maxBytes}
	recording, err := open(f)
	if recording == nil || err != nil {
		return nil, nil, fatal(err)
	}
	tracks, err := recording.tracks()
	if fatal(err) != nil {
		return nil, nil, err
	}
	return captionsOf(recording, tracks)
}

// container is a file with text tracks.
type container interface {
	// tracks returns the text tracks that can be read, also together with an error.
	tracks() ([]track, error)
	// read adds the text of a track to the cues, also if it returns an error.
	read(number uint64, into *cues) error
}

// captionsOf reads the best track that has text.
func captionsOf(recording container, tracks []track) (captions []documents.Block, warnings []string, err error) {
	for _, i := range byPreference(tracks) {
		into := &cues{}
		err := recording.read(tracks[i].number, into)
		if fatal(err) != nil {
			return nil, nil, err
		}
		if captions = into.blocks(); len(captions) == 0 {
			continue
		}
		return captions, slices.Concat(trackWarnings(tracks, i), lossWarnings(err)), nil
	}
	return nil, nil, nil
}

// open returns the container by the first bytes of the file; nil if its format has no text.
func open(f *input) (container, error) {
	head, err := f.window().read(0, min(f.source.Size, 12))
	switch {
	case err != nil:
		return nil, err
	case bytes.HasPrefix(head, []byte("\x1a\x45\xdf\xa3")):
		return &matroska{input: f, at: f.window()}, nil
	case len(head) >= 8 && slices.Contains(isoBeginnings, string(head[4:8])):
		return &iso{input: f, at: f.window()}, nil
	case bytes.HasPrefix(head, []byte("ID3")):
		return &id3{lyrics{input: f, at: f.window()}}, nil
	case bytes.HasPrefix(head, []byte("fLaC")):
		return &flac{lyrics{input: f, at: f.window()}}, nil
	}
	return nil, nil //nolint:nilnil // a recording without text is not an error, and the only caller checks for nil
}

// fatal returns nil for errors that only end a track, whose text until then is used.
func fatal(err error) error {
	if errors.Is(err, errCut) || errors.Is(err, errFull) {
		return nil
	}
	return err
}

// lossWarnings returns warnings about the missing parts of a track.
func lossWarnings(err error) []string {
	switch {
	case errors.Is(err, errCut):
		return []string{"The recording is damaged or cut short; only some of its subtitles could be read."}
	case errors.Is(err, errFull):
		return []string{"Only the first subtitles were read; the recording has more than can be."}
	}
	return nil
}
