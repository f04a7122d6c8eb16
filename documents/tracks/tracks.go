// Package tracks reads what is said in a recording where the recording itself has it in writing: subtitle tracks of MP4,
// QuickTime, Matroska and WebM, and lyrics with times in MP3 and FLAC.
//
// Those come before any transcription: somebody wrote or checked them, so names and numbers are right, their times are exact,
// and they cost nothing, neither money nor minutes, nor an account. So callers look for them before they ask a transcriber.
//
// A recording may have gigabytes of sound and pictures, of which nothing is read: containers are walked by the sizes that they
// give, and only the samples of one text track are looked at. There is no library that does so; those that there are decode
// whole files into memory. Every size comes from a stranger and is held against the file. Walking is a loop of bounded steps,
// never recursion; how much is looked at, read, inflated and kept in all is bounded too, whatever a table claims.
//
// Left out are chapters, which are text tracks in MP4 but only titles; lyrics without times, since many programs keep
// show notes there; subtitles that are pictures; and CEA-608.
package tracks

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"portside/documents"
)

// Captions returns the words of the recording's best text track, in the order of their times and without marks: that which is
// shown unasked, has all that is said and can be read; else the first. There are neither captions nor an error where the
// recording has no such track, and where it is none. Of a damaged or an overlong track what could be read is returned, with a
// warning. Errors: the context's, the file's, and media.ErrDamaged.
func Captions(ctx context.Context, file documents.Source) (captions []documents.Block, warnings []string, err error) {
	defer documents.RecoverPanic(&err)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	f := &walked{ctx: ctx, source: file, steps: mostSteps, bytes: mostBytes}
	recording, err := open(f)
	if recording == nil || err != nil {
		return nil, nil, past(err)
	}
	tracks, err := recording.tracks()
	if past(err) != nil {
		return nil, nil, err
	}
	return captionsOf(recording, tracks)
}

// container is a kind of file with text tracks.
type container interface {
	// tracks returns those that can be read. Some may come with an error.
	tracks() ([]track, error)
	// read gives the words of a track to the cues. Some may come with an error.
	read(number uint64, into *cues) error
}

// captionsOf reads the best track that has words.
func captionsOf(recording container, tracks []track) (captions []documents.Block, warnings []string, err error) {
	for _, i := range byPreference(tracks) {
		into := &cues{}
		err := recording.read(tracks[i].number, into)
		if past(err) != nil {
			return nil, nil, err
		}
		if captions = into.blocks(); len(captions) == 0 {
			continue
		}
		return captions, slices.Concat(about(tracks, i), lost(err)), nil
	}
	return nil, nil, nil
}

// open tells the container by its first bytes; nil for all that have no text.
func open(f *walked) (container, error) {
	head, err := f.window().read(0, min(f.source.Size, 12))
	switch {
	case err != nil:
		return nil, err
	case bytes.HasPrefix(head, []byte("\x1a\x45\xdf\xa3")):
		return &matroska{walked: f, at: f.window()}, nil
	case len(head) >= 8 && slices.Contains(isoBeginnings, string(head[4:8])):
		return &iso{walked: f, at: f.window()}, nil
	case bytes.HasPrefix(head, []byte("ID3")):
		return &id3{lyrics{walked: f, at: f.window()}}, nil
	case bytes.HasPrefix(head, []byte("fLaC")):
		return &flac{lyrics{walked: f, at: f.window()}}, nil
	}
	return nil, nil //nolint:nilnil // a recording without text is no error, and the only caller knows
}

// past drops the errors that only end a track, whose words until there are used.
func past(err error) error {
	if errors.Is(err, errCut) || errors.Is(err, errFull) {
		return nil
	}
	return err
}

// lost says what is missing of a track.
func lost(err error) []string {
	switch {
	case errors.Is(err, errCut):
		return []string{"The recording is damaged or cut short; only some of its subtitles could be read."}
	case errors.Is(err, errFull):
		return []string{"Only the first subtitles were read; the recording has more than can be."}
	}
	return nil
}
