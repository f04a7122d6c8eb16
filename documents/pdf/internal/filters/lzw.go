package filters

import (
	"compress/lzw"
	"io"
)

// openLZW undoes LZWDecode. By default the code length grows one code early, as in TIFF.
func (d *Decoder) openLZW(filter Filter, r io.Reader) io.Reader {
	if d.Objects.Number(filter.Parms["EarlyChange"], 1) == 0 {
		return d.openPredictor(filter.Parms, lzw.NewReader(r, lzw.MSB, 8))
	}
	return d.openPredictor(filter.Parms, newEarlyLZWReader(r))
}
