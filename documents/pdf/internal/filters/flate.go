package filters

import (
	"bufio"
	"compress/flate"
	"encoding/binary"
	"hash"
	"hash/adler32"
	"io"

	"portside/documents/pdf/internal/budget"
)

// openFlate undoes FlateDecode.
func (d *Decoder) openFlate(filter Filter, r io.Reader) io.Reader {
	const zlibHeaderBytes = 2
	in := bufio.NewReader(r)
	if _, err := in.Peek(1); err == io.EOF {
		return in // some programs write an empty page as an empty stream
	}
	_, _ = in.Discard(zlibHeaderBytes)
	return d.openPredictor(filter.Parms, &flateReader{flate.NewReader(in), in, adler32.New(), d.Damage})
}

// flateReader inflates, and verifies the checksum at the end. A wrong checksum counts as damage and
// not as an error, because most of the data may be right.
type flateReader struct {
	io.Reader

	in       *bufio.Reader
	checksum hash.Hash32
	damage   *budget.Damage
}

// Read implements [io.Reader].
func (f *flateReader) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	_, _ = f.checksum.Write(p[:n])
	if err == io.EOF {
		stored, _ := f.in.Peek(adler32.Size) // some programs omit it
		isWrong := len(stored) == adler32.Size && binary.BigEndian.Uint32(stored) != f.checksum.Sum32()
		f.damage.Lost = f.damage.Lost || isWrong
	}
	return n, err
}
