package mediaengines

import (
	"context"
	"errors"

	"portside/documents"
	"portside/documents/tracks"
	"portside/shared/media"
)

// SubtitlesFirst returns a Transcriber that returns the recording's own subtitles. It calls next only
// for recordings without subtitles.
func SubtitlesFirst(next media.Transcriber) media.Transcriber { return subtitlesFirst{next} }

type subtitlesFirst struct{ next media.Transcriber }

// Version implements [media.Transcriber]. Increase its number if the same file yields other captions.
func (s subtitlesFirst) Version() string { return "tracks 1, " + s.next.Version() }

// Slow implements [media.Transcriber]. Only a read of the recording shows whether it has
// subtitles, so next decides.
func (s subtitlesFirst) Slow() bool { return s.next.Slow() }

// Transcribe implements [media.Transcriber]. If the subtitles are damaged, it calls next, which may be
// able to read the recording.
func (s subtitlesFirst) Transcribe(
	ctx context.Context, r media.Recording,
) ([]documents.Block, []string, error) {
	captions, warnings, err := tracks.Captions(ctx, r.File)
	if err != nil && !errors.Is(err, documents.ErrDamaged) {
		return nil, nil, err
	}
	media.LogPanic(ctx, err) // here, because the error is dropped
	if len(captions) == 0 {
		return s.next.Transcribe(ctx, r)
	}
	if len(r.Keywords) > 0 {
		warnings = append(warnings, "The recording's own subtitles were used, so the keywords were not needed.")
	}
	return captions, warnings, nil
}
