package mediaengines

import (
	"context"
	"errors"

	"portside/documents"
	"portside/documents/tracks"
	"portside/shared/media"
)

// First returns a Transcriber that takes the recording's own words where it has any, and asks next only where it has none.
func First(next media.Transcriber) media.Transcriber { return first{next} }

type first struct{ next media.Transcriber }

// Version implements [media.Transcriber]. Its number rises when the same file gives other captions than before.
func (f first) Version() string { return "tracks 1, " + f.next.Version() }

// Slow implements [media.Transcriber]. Whether a recording has subtitles is only known when it is read, so next decides.
func (f first) Slow() bool { return f.next.Slow() }

// Transcribe implements [media.Transcriber].
func (f first) Transcribe(ctx context.Context, r media.Recording) ([]documents.Block, []string, error) {
	captions, warnings, err := tracks.Captions(ctx, r.File)
	if err != nil && !errors.Is(err, documents.ErrDamaged) { // which next may be able to mend
		return nil, nil, err
	}
	if len(captions) == 0 {
		return f.next.Transcribe(ctx, r)
	}
	if len(r.Keywords) > 0 {
		warnings = append(warnings, "The recording's own subtitles were read, so the keywords were not used.")
	}
	return captions, warnings, nil
}
