package tracks

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"portside/documents"
)

// Limits for one recording. A day of video in small blocks takes some seven million steps.
const (
	maxSteps       = 10_000_000 // boxes, elements and table entries
	maxBytes       = 32 << 20   // bytes of all samples, and of the data that they inflate to
	maxSampleBytes = 2 << 20    // a TTML document may have the subtitles of a whole film
	maxTracks      = 100
	maxCues        = 200_000
	maxTextBytes   = 8 << 20
)

// Why a track is not read to its end.
var (
	errCut  = errors.New("the recording is damaged or cut short")
	errFull = errors.New("the recording has more text than is read")
)

// input is a recording with the rest of its budget.
type input struct {
	ctx    context.Context
	source documents.Source
	steps  int
	bytes  int64

	inflater io.ReadCloser
}

// step counts a step. It returns errFull after too many steps, and the context's error soon after the context ends.
func (in *input) step() error {
	in.steps--
	if in.steps < 0 {
		return errFull
	}
	if in.steps%1024 == 0 {
		return in.ctx.Err()
	}
	return nil
}

// spend counts bytes that are read or inflated. It returns errFull if there are too many.
func (in *input) spend(n int64) error {
	if n > in.bytes {
		in.bytes = 0
		return errFull
	}
	in.bytes -= n
	return nil
}

// window returns a buffered view of the file. Each table and each walk has its own, so that they keep their place.
func (in *input) window() *window { return &window{source: in.source} }

// sample reads a sample. It returns errFull if the sample is too long for text.
func (in *input) sample(at, size int64) ([]byte, error) {
	if size < 0 || size > maxSampleBytes {
		return nil, errFull
	}
	const minCost = 64 // bytes; even a short sample takes time
	if err := in.spend(max(size, minCost)); err != nil {
		return nil, err
	}
	view := window{source: in.source, exact: true}
	return view.read(at, size)
}

// window keeps the bytes that were read last, because the next ones are mostly among them. It reads only a little
// ahead, so that skipping over frames reads little of them.
type window struct {
	source documents.Source
	exact  bool // do not read ahead
	kept   []byte
	from   int64
	store  []byte
}

const readAhead = 2 << 10

// read returns n bytes, which are valid until the next call. It returns errCut if the file ends before.
func (w *window) read(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > w.source.Size || n > w.source.Size-at {
		return nil, errCut
	}
	if begin := at - w.from; begin >= 0 && begin+n <= int64(len(w.kept)) {
		return w.kept[begin : begin+n], nil
	}
	want := n
	if !w.exact {
		want = max(n, min(readAhead, w.source.Size-at))
	}
	if int64(cap(w.store)) < want {
		w.store = make([]byte, want)
	}
	w.from, w.kept = at, w.store[:want]
	got, err := w.source.ReadAt(w.kept, at)
	w.kept = w.kept[:got]
	if int64(got) >= n {
		return w.kept[:n], nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return nil, errCut
	}
	return nil, fmt.Errorf("read a recording: %w", err)
}

// fields reads big-endian numbers from a header. Behind the end it reads zeros and sets short.
type fields struct {
	data  []byte
	short bool
}

func (f *fields) take(n int) []byte {
	if n < 0 || n > len(f.data) {
		f.short, f.data = true, nil
		return make([]byte, min(max(n, 0), 8))
	}
	taken := f.data[:n]
	f.data = f.data[n:]
	return taken
}

func (f *fields) u8() uint8   { return f.take(1)[0] }
func (f *fields) u16() uint16 { return binary.BigEndian.Uint16(f.take(2)) }
func (f *fields) u32() uint32 { return binary.BigEndian.Uint32(f.take(4)) }
func (f *fields) u64() uint64 { return binary.BigEndian.Uint64(f.take(8)) }

// wide reads a number of eight or four bytes, which depends on the version of the header.
func (f *fields) wide(eight bool) uint64 {
	if eight {
		return f.u64()
	}
	return uint64(f.u32())
}

// number returns a big-endian number of up to eight bytes.
func number(data []byte) uint64 {
	n := uint64(0)
	for _, b := range data[:min(len(data), 8)] {
		n = n<<8 | uint64(b)
	}
	return n
}
