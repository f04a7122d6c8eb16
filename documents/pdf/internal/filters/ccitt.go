package filters

import (
	"io"

	"golang.org/x/image/ccitt"
)

// IsCCITT reports whether the filter is CCITTFaxDecode.
func (f Filter) IsCCITT() bool { return f.Name == "CCITTFaxDecode" || f.Name == "CCF" }

// IsJPEG reports whether the filter is DCTDecode.
func (f Filter) IsJPEG() bool { return f.Name == "DCTDecode" || f.Name == "DCT" }

// CCITT undoes CCITTFaxDecode for an image of a size in pixels. The rows of the result are packed, one
// bit per pixel.
func (d *Decoder) CCITT(filter Filter, r io.Reader, width, height int) io.Reader {
	group := ccitt.Group3
	if d.Objects.Number(filter.Parms["K"], 0) < 0 {
		group = ccitt.Group4
	}
	options := &ccitt.Options{
		Invert: d.Objects.IsTrue(filter.Parms["BlackIs1"]),
		Align:  d.Objects.IsTrue(filter.Parms["EncodedByteAlign"]),
	}
	return meteredReader{ccitt.NewReader(r, ccitt.MSB, group, width, height, options), d.Budget}
}
