package filters

import (
	"io"

	"golang.org/x/image/tiff/lzw"
)

// newEarlyLZWReader decodes LZW with the early change of code lengths, which compress/lzw lacks.
func newEarlyLZWReader(r io.Reader) io.Reader { return lzw.NewReader(r, lzw.MSB, 8) }
