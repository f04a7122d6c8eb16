package filters

import (
	"bufio"
	"io"
)

// runLengthReader undoes RunLengthDecode: a length byte, then as many literal bytes or one byte to
// repeat.
type runLengthReader struct {
	in        *bufio.Reader
	left      int // bytes of the current run
	repeated  byte
	isLiteral bool
}

func newRunLengthReader(r io.Reader) *runLengthReader {
	return &runLengthReader{in: bufio.NewReader(r)}
}

// Read implements [io.Reader].
func (r *runLengthReader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if r.left == 0 {
			if err := r.nextRun(); err != nil {
				return n, err
			}
		}
		p[n] = r.repeated
		if r.isLiteral {
			c, err := r.in.ReadByte()
			if err != nil {
				return n, err
			}
			p[n] = c
		}
		r.left--
		n++
	}
	return n, nil
}

func (r *runLengthReader) nextRun() error {
	const endOfData = 128
	length, err := r.in.ReadByte()
	switch {
	case err != nil:
		return err
	case length == endOfData:
		return io.EOF
	case length < endOfData:
		r.isLiteral, r.left = true, int(length)+1
		return nil
	}
	r.isLiteral, r.left = false, 257-int(length)
	r.repeated, err = r.in.ReadByte()
	return err
}
