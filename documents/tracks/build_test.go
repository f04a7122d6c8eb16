package tracks_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math/bits"
	"slices"
	"testing"

	"portside/documents"
	"portside/documents/tracks"
)

// captionsOf returns the captions of a file that must be readable, a line for each, and then a line for each warning.
func captionsOf(t *testing.T, data []byte) string {
	t.Helper()
	captions, warnings, err := tracks.Captions(t.Context(), source(data))
	if err != nil {
		t.Fatal(err)
	}
	list := listed(captions, true)
	for _, warning := range warnings {
		list += warning + "\n"
	}
	return list
}

// be writes numbers of 32 bits.
func be(numbers ...uint32) []byte {
	var out []byte
	for _, n := range numbers {
		out = binary.BigEndian.AppendUint32(out, n)
	}
	return out
}

func box(kind string, parts ...[]byte) []byte {
	body := slices.Concat(parts...)
	return slices.Concat(be(uint32(8+len(body))), []byte(kind), body)
}

// film is an MP4 with one text track, of which a test may change boxes. Times are in seconds.
type film struct {
	codec   string
	samples [][]byte
	lasts   []uint32
	boxes   map[string][]byte // instead of those that would be there
}

func (f film) box(kind string, parts ...[]byte) []byte {
	if instead, ok := f.boxes[kind]; ok {
		return instead
	}
	return box(kind, parts...)
}

func (f film) bytes() []byte {
	begin := box("ftyp", []byte("isom"), be(0))
	sizes, times := be(0, 0, uint32(len(f.samples))), be(0, uint32(len(f.samples)))
	for i, s := range f.samples {
		sizes = append(sizes, be(uint32(len(s)))...)
		times = append(times, be(1, f.lasts[i])...)
	}
	stbl := f.box("stbl",
		f.box("stsd", be(0, 1, 24), []byte(f.codec), be(0, 1), be(0)),
		f.box("stts", times), f.box("stsc", be(0, 1, 1, uint32(len(f.samples)), 1)),
		f.box("stsz", sizes), f.box("stco", be(0, 1, uint32(len(begin)+8))))
	mdia := box("mdia", f.box("mdhd", be(0, 0, 0, 1, 0, 0x15c70000)), box("minf", stbl))
	trak := f.box("trak", f.box("tkhd", be(1, 0, 0, 1, 0, 0)), f.box("edts"), mdia)
	return slices.Concat(begin, box("mdat", f.samples...), f.box("moov", box("mvhd", be(0, 0, 0, 10, 0)), trak),
		f.box("tail"))
}

// tx3g is a sample of timed text.
func tx3g(text string) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(text))), text...)
}

func concat(parts ...[]byte) []byte { return slices.Concat(parts...) }

// ebml is an element; its size has eight bytes.
func ebml(id uint32, parts ...[]byte) []byte {
	body := slices.Concat(parts...)
	return slices.Concat(ebmlID(id), binary.BigEndian.AppendUint64(nil, 1<<56|uint64(len(body))), body)
}

func ebmlID(id uint32) []byte { return be(id)[bits.LeadingZeros32(id)/8:] }

// unknown begins an element that does not tell its size.
func unknown(id uint32) []byte {
	return append(ebmlID(id), 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
}

var ebmlHeader = ebml(0x1A45DFA3, ebml(0x4282, []byte("matroska")))

// subtitles is the track 1 of a Matroska file.
func subtitles(codec string, more ...[]byte) []byte {
	entry := slices.Concat(more...)
	return ebml(0x1654AE6B, ebml(0xAE, ebml(0xD7, []byte{1}), ebml(0x86, []byte(codec)), entry))
}

func cluster(seconds byte, blocks ...[]byte) []byte {
	return ebml(0x1F43B675, clusterTime(seconds), slices.Concat(blocks...))
}

func clusterTime(seconds byte) []byte { return ebml(0xE7, be(uint32(seconds)*1000)) }

// group is a block of a track that lasts a second.
func group(track byte, text string) []byte {
	return ebml(0xA0, ebml(0xA1, []byte{0x80 | track, 0, 0, 0}, []byte(text)), ebml(0x9B, be(1000)))
}

func matroska(parts ...[]byte) []byte {
	return append(slices.Clone(ebmlHeader), ebml(0x18538067, parts...)...)
}

// compressed says how the blocks of a track are: 0 by zlib, 3 without their first bytes.
func compressed(algorithm byte, settings string) []byte {
	return ebml(0x6D80, ebml(0x6240, ebml(0x5034, ebml(0x4254, []byte{algorithm}), ebml(0x4255, []byte(settings)))))
}

func deflated(t *testing.T, text []byte) string {
	t.Helper()
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// gappy is a large file of mostly zeros. It counts the bytes that are read from it.
type gappy struct {
	size  int64
	parts map[int64][]byte
	read  int64
}

func (g *gappy) ReadAt(p []byte, at int64) (int, error) {
	clear(p)
	for from, part := range g.parts {
		if from < at+int64(len(p)) && at < from+int64(len(part)) {
			copy(p[max(0, from-at):], part[max(0, at-from):])
		}
	}
	g.read += int64(len(p))
	return len(p), nil
}

func (g *gappy) source() documents.Source { return documents.Source{ReaderAt: g, Size: g.size} }
