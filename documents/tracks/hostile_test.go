package tracks_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/tracks"
)

const (
	cutWarning  = "The recording is damaged or cut short; only some of its subtitles could be read."
	fullWarning = "Only the first subtitles were read; the recording has more than can be."
)

func words(n int) film {
	f := film{codec: "tx3g", boxes: map[string][]byte{}}
	for range n {
		f.samples, f.lasts = append(f.samples, tx3g("words")), append(f.lasts, 4)
	}
	return f
}

// with returns the film with another content of a box.
func (f film) with(kind string, instead []byte) []byte {
	f.boxes[kind] = instead
	return f.bytes()
}

// Tables may claim anything. The reader reads only what the file has, and ends.
func TestMP4WithFalseSizes(t *testing.T) {
	const most = 1<<32 - 1
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"two thousand million sizes":       {words(1).with("stsz", box("stsz", be(0, 0, 1<<31, 7))), "0.00-4.00 words\n"},
		"two thousand million empty ones":  {words(1).with("stsz", box("stsz", be(0, 0, 1<<31))), ""},
		"all of one size, chunks too":      {words(1).with("stsz", box("stsz", be(0, 7, 1<<31))), "0.00-4.00 words\n"},
		"chunks that come too early":       {chunks(words(1), be(0, 3, 1, 1, 1, 1, 1, 1, 0, 1, 1), 7), "0.00-4.00 words\n"},
		"no chunks":                        {words(1).with("stsc", box("stsc", be(0, 0))), ""},
		"a sample of 4 GB":                 {words(1).with("stsz", box("stsz", be(0, 0, 1, most))), ""},
		"a place behind the end":           {words(1).with("stco", box("stco", be(0, 1, most))), ""},
		"a place beyond all files":         {words(1).with("stco", box("co64", be(0, 1, most, most))), ""},
		"no time scale":                    {words(1).with("mdhd", box("mdhd", be(0, 0, 0, 0, 0, 0))), ""},
		"a box without a size at the end":  {concat(words(1).bytes(), be(0), []byte("free")), "0.00-4.00 words\n"},
		"a box of one byte":                {concat(words(1).bytes(), be(1), []byte("free"), be(0, 1)), "0.00-4.00 words\n"},
		"a box that is too small":          {concat(words(1).bytes(), be(7), []byte("free")), "0.00-4.00 words\n"},
		"a box of all there is":            {concat(words(1).bytes(), be(1), []byte("free"), be(most, most)), "0.00-4.00 words\n"},
		"a track of which one box is junk": {words(1).with("tkhd", be(3, 0, 0)), ""},
		"nested for ever":                  {concat(box("ftyp", be(0, 0)), bytes.Repeat([]byte("\x00\x00\x00\x00moov\x00\x00\x00\x00trak"), 50_000)), ""},
		"a table that is cut":              {words(1).with("stts", box("stts", be(0))), "0.00-0.00 words\n"},
		"times that overflow":              {words(3).with("stts", box("stts", be(0, 1, 3, most))), "0.00-10000000.00 words\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := captionsOf(t, test.file)
			if got != test.want {
				t.Errorf("%s: got\n%swant\n%s", name, got, test.want)
			}
		})
	}
}

// chunks returns the film with samples of one size in the chunks of a table.
func chunks(f film, stsc []byte, size uint32) []byte {
	f.boxes["stsc"] = box("stsc", stsc)
	return f.with("stsz", box("stsz", be(0, size, 1<<31)))
}

// If the tables claim too many samples, the reader reads other data as text until the file ends.
func TestMP4WithTooManyChunks(t *testing.T) {
	got := captionsOf(t, chunks(words(1), be(0, 1, 1, 1<<32-1, 1), 7))
	if !strings.HasPrefix(got, "0.00-4.00 words\n") || !strings.HasSuffix(got, cutWarning+"\n") || len(got) > 1000 {
		t.Errorf("got %s", got)
	}
}

// A table may list the same bytes again and again, so that a small file has many samples.
func TestSamplesThatOverlap(t *testing.T) {
	const places = 100_000
	f := film{codec: "tx3g", samples: [][]byte{append(tx3g("words"), make([]byte, 60_000)...)}, lasts: []uint32{1},
		boxes: map[string][]byte{}}
	f.boxes["stsz"] = box("stsz", be(0, 60_007, places))
	f.boxes["stsc"] = box("stsc", be(0, 1, 1, 1, 1))
	stco := be(0, places)
	for range places {
		stco = append(stco, be(24)...)
	}
	captions, warnings, err := tracks.Captions(t.Context(), source(f.with("stco", box("stco", stco))))
	if err != nil || len(captions) != 1 || len(warnings) != 1 || warnings[0] != fullWarning {
		t.Errorf("%d captions, %q, %v", len(captions), warnings, err)
	}
}

// fragmented is a film of a subtitle of four seconds, and of a fragment in which they last as long.
func fragmented(traf []byte) []byte {
	file := words(1).with("tail", concat(box("moof", traf), box("mdat", tx3g("later"))))
	at := bytes.Index(file, []byte("mvhd")) - 4
	mvex := box("mvex", box("trex", be(0, 1, 1, 4, 0, 0)))
	file = concat(file[:at], mvex, file[at:])
	moov := bytes.Index(file, []byte("moov")) - 4
	binary.BigEndian.PutUint32(file[moov:], binary.BigEndian.Uint32(file[moov:])+uint32(len(mvex)))
	return file
}

func TestFragmentsHaveTheirOwnTime(t *testing.T) {
	traf := box("traf", box("tfhd", be(0, 1)), box("tfdt", be(0, 10)), box("trun", be(0x201, 1, 80, 7)))
	if got, want := captionsOf(t, fragmented(traf)), "0.00-4.00 words\n10.00-14.00 later\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestFragmentsWithFalseSizes(t *testing.T) {
	for name, traf := range map[string][]byte{
		"samples of nothing":     box("traf", box("tfhd", be(0, 1)), box("trun", be(0, 1<<32-1))),
		"samples of its size":    box("traf", box("tfhd", be(0x10, 1, 7)), box("trun", be(0, 1<<32-1))),
		"places before the file": box("traf", box("tfhd", be(1, 1, 1<<32-1, 0)), box("trun", be(0x201, 9, 1<<31, 7))),
		"a header that is cut":   box("traf", box("tfhd", be(0)), box("trun")),
	} {
		t.Run(name, func(t *testing.T) {
			if got := captionsOf(t, fragmented(traf)); !strings.HasPrefix(got, "0.00-4.00 words\n") {
				t.Errorf("%s: %s", name, got)
			}
		})
	}
}

func TestMatroskaWithFalseSizes(t *testing.T) {
	track := subtitles("S_TEXT/UTF8")
	said := cluster(2, group(1, "words"))
	huge := append(ebmlID(0x1F43B675), 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe)
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"a cluster of all there is":  {matroska(track, said, huge, clusterTime(4), group(1, "more")), "2.00-3.00 words\n4.00-5.00 more\n"},
		"nested without sizes":       {matroska(track, said, bytes.Repeat(unknown(0x1F43B675), 100_000)), "2.00-3.00 words\n"},
		"nested segments":            {matroska(bytes.Repeat(unknown(0x18538067), 100_000), track, said), "2.00-3.00 words\n"},
		"a group without a size":     {matroska(track, said, unknown(0xA0), group(1, "?")), "2.00-3.00 words\n" + cutWarning + "\n"},
		"tracks without a size":      {matroska(unknown(0x1654AE6B), track, said), ""},
		"zeros":                      {matroska(track, said, make([]byte, 1<<20)), "2.00-3.00 words\n" + cutWarning + "\n"},
		"cut":                        {matroska(track, said, said)[:len(matroska(track, said))+20], "2.00-3.00 words\n" + cutWarning + "\n"},
		"a block of one byte":        {matroska(track, said, cluster(3, ebml(0xA3, []byte{0x81}))), "2.00-3.00 words\n"},
		"a clock that stands":        {matroska(ebml(0x1549A966, ebml(0x2AD7B1, []byte{0})), track, said), "0.00-0.00 words\n"},
		"a clock that runs":          {matroska(ebml(0x1549A966, ebml(0x2AD7B1, bytes.Repeat([]byte{255}, 8))), track, said), "10000000.00-10000000.00 words\n"},
		"what is not zlib":           {matroska(subtitles("S_TEXT/UTF8", compressed(0, "")), said), ""},
		"a bomb":                     {matroska(subtitles("S_TEXT/UTF8", compressed(0, "")), bomb(t, 1)), "2.00-3.00 words\n" + fullWarning + "\n"},
		"compressed twice":           {matroska(subtitles("S_TEXT/UTF8", compressed(0, ""), compressed(3, "x")), said), ""},
		"invalid text":               {matroska(track, cluster(2, group(1, "a\x00\x1b\u202eb"))), "2.00-3.00 ab\n"},
		"a block of 5 MB of letters": {matroska(track, cluster(2, group(1, strings.Repeat("a", 5<<20)))), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := captionsOf(t, test.file); got != test.want {
				t.Errorf("%s: got\n%.300s\nwant\n%s", name, got, test.want)
			}
		})
	}
}

// bomb is clusters with a text before each block that inflates to as much as is taken or more.
func bomb(t *testing.T, blocks int) []byte {
	t.Helper()
	text := deflated(t, make([]byte, 64<<10))
	if blocks == 1 {
		text = deflated(t, make([]byte, 1<<20))
	}
	var all [][]byte
	for range blocks {
		all = append(all, group(1, text))
	}
	return cluster(2, group(1, deflated(t, []byte("words"))), concat(all...))
}

// The limit of inflated bytes applies to all blocks together.
func TestInflatedBytesAreLimited(t *testing.T) {
	got := captionsOf(t, matroska(subtitles("S_TEXT/UTF8", compressed(0, "")), bomb(t, 2000)))
	if got != "2.00-3.00 words\n"+fullWarning+"\n" {
		t.Errorf("got %.300s", got)
	}
}

// tiles is a file that repeats the same bytes after its beginning.
type tiles struct {
	begin, tile []byte
	size        int64
}

func (s tiles) ReadAt(p []byte, at int64) (int, error) {
	n := 0
	for end := min(int64(len(p)), s.size-at); int64(n) < end; {
		from := at + int64(n)
		if from < int64(len(s.begin)) {
			n += copy(p[n:end], s.begin[from:])
		} else {
			n += copy(p[n:end], s.tile[(from-int64(len(s.begin)))%int64(len(s.tile)):])
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func TestStepsAreLimited(t *testing.T) {
	begin := matroska(subtitles("S_TEXT/UTF8"), cluster(2, group(1, "words")))
	for name, tile := range map[string][]byte{
		"empty clusters":   append(ebmlID(0x1F43B675), 0x80),
		"blocks of others": {0xA3, 0x84, 0x82, 0, 0, 0},
	} {
		s := tiles{begin, bytes.Repeat(tile, 1000), 200_000_000}
		captions, warnings, err := tracks.Captions(t.Context(), documents.Source{ReaderAt: s, Size: s.size})
		if err != nil || len(captions) != 1 || len(warnings) != 1 || warnings[0] != fullWarning {
			t.Errorf("%s: %d captions, %q, %v", name, len(captions), warnings, err)
		}
	}
	s := tiles{begin, bytes.Repeat([]byte{0xA0, 0x87, 0xA1, 0x85, 0x81, 0, 0, 0, 'a'}, 1000), 50_000_000}
	captions, warnings, err := tracks.Captions(t.Context(), documents.Source{ReaderAt: s, Size: s.size})
	if err != nil || len(captions) > 3 || len(warnings) != 1 {
		t.Errorf("small captions: %d, %q, %v", len(captions), warnings, err)
	}
}

func TestLyricsLineWithManyTimes(t *testing.T) {
	line := strings.Repeat("[1:1]", 100_000) + "words" + strings.Repeat("<b>", 150_000)
	body := "\x00eng\x00" + line
	frame := concat([]byte("USLT"), be(uint32(len(body))), []byte{0, 0}, []byte(body))
	if got := captionsOf(t, concat([]byte("ID3\x03\x00\x00\x7f\x7f\x7f\x7f"), frame)); got != "61.00-61.00 words\n" {
		t.Errorf("got %.300s", got)
	}
}

func TestSoundAndPicturesAreSkipped(t *testing.T) {
	const gigabyte = 1 << 30
	f := words(2).with("stco", box("co64", be(0, 2, 0, 32, 1, 0)))
	f = bytes.Replace(f, concat([]byte("stsc"), be(0, 1, 1, 2, 1)), concat([]byte("stsc"), be(0, 1, 1, 1, 1)), 1)
	moov := f[bytes.Index(f, []byte("moov"))-4:]
	long := &gappy{size: 5 * gigabyte, parts: map[int64][]byte{
		0: concat(box("ftyp", []byte("isom"), be(0)), be(1), []byte("mdat"), be(1, 0)), 32: tx3g("words"),
		1 << 32: tx3g("after"), 1<<32 + 16: moov}}
	check(t, long, 1<<17, "0.00-4.00 words\n4.00-8.00 after\n")

	// a video in Matroska with 20 MB of pictures after each subtitle
	header := concat(ebmlHeader, unknown(0x18538067), subtitles("S_TEXT/UTF8"))
	video := &gappy{parts: map[int64][]byte{0: header}, size: int64(len(header))}
	for i := range 200 {
		begin := concat(unknown(0x1F43B675), ebml(0xE7, be(uint32(i)*2000)), group(1, "line "+strings.Repeat("i", i)),
			ebmlID(0xA3), []byte{0x08, 1 << 4, 0, 0, 0x82, 0, 0, 0})
		binary.BigEndian.PutUint32(begin[len(begin)-8:], 1<<28|20<<20)
		video.parts[video.size] = begin
		video.size += int64(len(begin)) - 4 + 20<<20
	}
	captions, warnings, err := tracks.Captions(t.Context(), video.source())
	if err != nil || len(captions) != 200 || warnings != nil || captions[199].Time.From != 398 {
		t.Errorf("%d captions, %q, %v", len(captions), warnings, err)
	}
	if video.read > 2<<20 {
		t.Errorf("%d of %d bytes were read", video.read, video.size)
	}
}

func check(t *testing.T, file *gappy, most int64, want string) {
	t.Helper()
	captions, warnings, err := tracks.Captions(t.Context(), file.source())
	if got := listed(captions, true); err != nil || warnings != nil || got != want {
		t.Errorf("got\n%s%q, %v", got, warnings, err)
	}
	if file.read > most {
		t.Errorf("%d bytes were read", file.read)
	}
}

// broken fails to read from a place on.
type broken struct {
	documents.Source
	from int64
}

var errBroken = errors.New("the disk is broken")

func (b broken) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > b.from {
		return 0, errBroken
	}
	return b.Source.ReadAt(p, at)
}

func TestCaptionsReturnsErrorsOfFileAndContext(t *testing.T) {
	for _, name := range []string{"movtext.mp4", "srt.mkv", "fragmented.mp4", "lyrics.flac"} {
		file := source(testFile(t, name))
		for _, from := range []int64{0, 2048} {
			_, _, err := tracks.Captions(t.Context(), documents.Source{ReaderAt: broken{file, from}, Size: file.Size})
			if !errors.Is(err, errBroken) {
				t.Errorf("%s: %v", name, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := tracks.Captions(ctx, file); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// ending cancels a context while it is read.
type ending struct {
	tiles
	end   context.CancelFunc
	reads *int
}

func (e ending) ReadAt(p []byte, at int64) (int, error) {
	if *e.reads++; *e.reads == 100 {
		e.end()
	}
	return e.tiles.ReadAt(p, at)
}

func TestCaptionsEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reads := 0
	s := ending{tiles{matroska(subtitles("S_TEXT/UTF8")), []byte{0xEC, 0x80}, 200_000_000}, cancel, &reads}
	if _, _, err := tracks.Captions(ctx, documents.Source{ReaderAt: s, Size: s.size}); !errors.Is(err, context.Canceled) ||
		reads > 110 {
		t.Errorf("%v after %d reads", err, reads)
	}
}

// A file that is cut at any place is read up to there, without an error.
func TestFilesCutAnywhere(t *testing.T) {
	for _, name := range []string{"movtext.mp4", "fragmented.mp4", "srt.mkv", "webvtt.webm", "ttml.mp4", "lyrics.flac"} {
		whole := testFile(t, name)
		for n := 0; n < len(whole); n += 7 {
			if _, _, err := tracks.Captions(t.Context(), source(whole[:n])); err != nil {
				t.Errorf("%s cut at %d: %v", name, n, err)
			}
		}
	}
}
