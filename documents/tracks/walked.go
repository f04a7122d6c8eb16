package tracks

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"portside/documents"
)

// What may be done for one recording in all. A day of video in small blocks takes some seven million steps.
const (
	mostSteps  = 10_000_000 // boxes, elements, entries of tables
	mostBytes  = 32 << 20   // of samples, and of what they inflate to
	mostSample = 2 << 20    // of one sample: a TTML document may be that of a whole film
	mostTracks = 100
	mostCues   = 200_000
	mostText   = 8 << 20
)

// Why a track is not read to its end.
var (
	errCut  = errors.New("the recording is damaged or cut short")
	errFull = errors.New("the recording has more text than is read")
)

// walked is a file with what may still be done for it.
type walked struct {
	ctx    context.Context
	source documents.Source
	steps  int
	bytes  int64

	inflater io.ReadCloser
}

// step counts a step of a walk. It returns the context's error soon after that ends, and errFull after too many steps.
func (w *walked) step() error {
	w.steps--
	if w.steps < 0 {
		return errFull
	}
	if w.steps%1024 == 0 {
		return w.ctx.Err()
	}
	return nil
}

// spend counts bytes that are looked at.
func (w *walked) spend(n int64) error {
	if n > w.bytes {
		w.bytes = 0
		return errFull
	}
	w.bytes -= n
	return nil
}

// window returns a view of the file for one place that moves on, such as a table, so that places do not disturb each other.
func (w *walked) window() *window { return &window{source: w.source} }

// sample reads the bytes of a sample. One that no text can be this long is errFull.
func (w *walked) sample(at, size int64) ([]byte, error) {
	if size < 0 || size > mostSample {
		return nil, errFull
	}
	const atLeast = 64 // looking at a sample has its cost, however short it is
	if err := w.spend(max(size, atLeast)); err != nil {
		return nil, err
	}
	view := window{source: w.source, exact: true}
	return view.read(at, size)
}

// window keeps the last few bytes that were read: the next are mostly among them, and few enough are read ahead that walking
// over frames reads little of them.
type window struct {
	source documents.Source
	exact  bool // read nothing ahead
	kept   []byte
	from   int64
	store  []byte
}

const readAhead = 2 << 10

// read returns the bytes, which stay until the next call; errCut when they are not all in the file.
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

// fields takes big-endian numbers off a header. Behind its end all are zero, and short tells so.
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

// wide is a number whose width depends on the version of its header.
func (f *fields) wide(eight bool) uint64 {
	if eight {
		return f.u64()
	}
	return uint64(f.u32())
}

// number reads a big-endian number of up to eight bytes.
func number(data []byte) uint64 {
	n := uint64(0)
	for _, b := range data[:min(len(data), 8)] {
		n = n<<8 | uint64(b)
	}
	return n
}
