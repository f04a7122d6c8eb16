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
	"portside/shared/testkit"
)

// stubTranscriber returns the same words for every recording, and counts the calls.
type stubTranscriber struct{ calls *int }

func (stubTranscriber) Version() string { return "stub 3" }

func (stubTranscriber) Slow() bool { return true }

func (s stubTranscriber) Transcribe(context.Context, media.Recording) ([]documents.Block, []string, error) {
	*s.calls++
	return []documents.Block{{Kind: documents.Caption, Text: "heard"}}, []string{"unclear"}, nil
}

func TestSubtitlesAreUsedFirst(t *testing.T) {
	const unused = "The recording's own subtitles were used, so the keywords were not needed."
	own := subtitlesOf(t, testFile(t, "srt.mkv"))
	for name, test := range map[string]struct {
		file     []byte
		keywords []string
		want     string
		warnings []string
		calls    int
	}{
		"subtitles":     {testFile(t, "srt.mkv"), nil, own, nil, 0},
		"with keywords": {testFile(t, "srt.mkv"), []string{"Nordwind"}, own, []string{unused}, 0},
		"no subtitles":  {testFile(t, "plain.m4a"), []string{"Nordwind"}, "heard", []string{"unclear"}, 1},
		"damaged file":  {testFile(t, "srt.mkv")[:400], nil, "heard", []string{"unclear"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			transcriber := mediaengines.SubtitlesFirst(stubTranscriber{&calls})
			r := media.Recording{File: source(test.file), Kind: documents.Video, Keywords: test.keywords}
			captions, warnings, err := transcriber.Transcribe(t.Context(), r)
			got := joinTexts(captions)
			if err != nil || got != test.want || !slices.Equal(warnings, test.warnings) || calls != test.calls {
				t.Errorf("warnings %q, error %v, %d calls, captions\n%s", warnings, err, calls, got)
			}
		})
	}
}

func TestSubtitlesFirstDescribesNext(t *testing.T) {
	slow, fast := mediaengines.SubtitlesFirst(stubTranscriber{new(int)}), mediaengines.SubtitlesFirst(media.NoTranscriber{})
	if slow.Version() != "tracks 1, stub 3" || !slow.Slow() || fast.Slow() {
		t.Errorf("version %s, slow %v and %v, want true and false", slow.Version(), slow.Slow(), fast.Slow())
	}
	_, _, err := fast.Transcribe(t.Context(), media.Recording{File: source(testFile(t, "plain.m4a"))})
	if !errors.Is(err, media.ErrNoTranscriber) {
		t.Errorf("error %v, want ErrNoTranscriber", err)
	}
}

// A recording that cannot be read must not be sent to a transcriber that may cost money.
func TestSubtitlesFirstReportsReadErrors(t *testing.T) {
	calls := 0
	file := source(testFile(t, "srt.mkv"))
	r := media.Recording{File: documents.Source{ReaderAt: brokenFile{file, 2048}, Size: file.Size}}
	if _, _, err := mediaengines.SubtitlesFirst(stubTranscriber{&calls}).Transcribe(t.Context(), r); !errors.Is(err, errBroken) || calls > 0 {
		t.Errorf("error %v and %d calls, want %v and none", err, calls, errBroken)
	}
}

// panickingFile panics when it is read, as a defect of a reader would.
type panickingFile struct{}

func (panickingFile) ReadAt([]byte, int64) (int, error) { panic("secret words of the file") }

// A panic of the reader does not end the process. It is logged, and the transcriber is called.
func TestSubtitlesFirstLogsPanics(t *testing.T) {
	logged, calls := testkit.CaptureLogs(t), 0
	r := media.Recording{File: documents.Source{ReaderAt: panickingFile{}, Size: 4096}}
	_, _, err := mediaengines.SubtitlesFirst(stubTranscriber{&calls}).Transcribe(t.Context(), r)
	if err != nil || calls != 1 {
		t.Errorf("error %v and %d calls, want none and one", err, calls)
	}
	text := logged.String()
	if strings.Count(text, "a reader panicked") != 1 || !strings.Contains(text, "subtitles_test.go") || strings.Contains(text, "secret") {
		t.Errorf("want one log line with the stack and without the file's words, got %s", text)
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
		t.Fatalf("%d captions, error %v", len(captions), err)
	}
	return joinTexts(captions)
}

func joinTexts(captions []documents.Block) string {
	texts := make([]string, len(captions))
	for i, c := range captions {
		texts[i] = c.Text
	}
	return strings.Join(texts, "\n")
}

var errBroken = errors.New("the disk is broken")

// brokenFile fails after its first bytes.
type brokenFile struct {
	io.ReaderAt
	until int64
}

func (b brokenFile) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > b.until {
		return 0, errBroken
	}
	return b.ReaderAt.ReadAt(p, at)
}
