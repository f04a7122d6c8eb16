package filters

import (
	"io"

	"portside/documents/pdf/internal/syntax"
)

// Predictors and their parameters (ISO 32000-1, 7.4.4.4).
const (
	tiffPredictor     = 2
	firstPNGPredictor = 10

	maxColors           = 32
	maxBitsPerComponent = 16
	maxColumns          = 1 << 20
)

// predictorReader restores samples from their differences to neighboring samples.
type predictorReader struct {
	in            io.Reader
	row, above    []byte // the first byte names the PNG filter of the row
	bytesPerPixel int
	bits, colors  int
	isPNG         bool
	rest          []byte // of the current row
}

// openPredictor undoes the predictor of a filter, if its parameters name one.
func (d *Decoder) openPredictor(parms syntax.Dict, r io.Reader) io.Reader {
	predictor := d.Objects.Int(parms["Predictor"], 1)
	if predictor < tiffPredictor {
		return r
	}
	bounded := func(key string, fallback, maximum int) int {
		return min(max(d.Objects.Int(parms[key], fallback), 1), maximum)
	}
	p := &predictorReader{
		in: r, isPNG: predictor >= firstPNGPredictor,
		colors: bounded("Colors", 1, maxColors), bits: bounded("BitsPerComponent", 8, maxBitsPerComponent),
	}
	columns := bounded("Columns", 1, maxColumns)
	p.bytesPerPixel = max(1, p.colors*p.bits/8)
	rowBytes := (columns*p.colors*p.bits + 7) / 8
	p.row, p.above = make([]byte, rowBytes+1), make([]byte, rowBytes+1)
	return p
}

// Read implements [io.Reader].
func (p *predictorReader) Read(out []byte) (int, error) {
	if len(p.rest) == 0 {
		if err := p.nextRow(); err != nil {
			return 0, err
		}
	}
	n := copy(out, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// nextRow reads and restores the next row. A truncated last row is filled with zeros.
func (p *predictorReader) nextRow() error {
	into := p.row
	if !p.isPNG {
		into = p.row[1:]
	}
	n, err := io.ReadFull(p.in, into)
	if n < len(into) && n < 2 {
		return err
	}
	clear(into[n:])
	if p.isPNG {
		p.undoPNG(p.row[0])
	} else {
		p.undoTIFF()
	}
	p.row, p.above = p.above, p.row
	p.rest = p.above[1:]
	return nil
}

// undoPNG undoes a filter type of PNG: Sub, Up, Average or Paeth.
func (p *predictorReader) undoPNG(filterType byte) {
	row, above := p.row[1:], p.above[1:]
	for i := range row {
		var left, upperLeft byte
		if i >= p.bytesPerPixel {
			left, upperLeft = row[i-p.bytesPerPixel], above[i-p.bytesPerPixel]
		}
		switch filterType {
		case 1:
			row[i] += left
		case 2:
			row[i] += above[i]
		case 3:
			row[i] += byte((int(left) + int(above[i])) / 2)
		case 4:
			row[i] += paeth(int(left), int(above[i]), int(upperLeft))
		}
	}
}

// paeth returns the neighbor that is closest to left + above - upperLeft.
func paeth(left, above, upperLeft int) byte {
	distance := func(a, b int) int { return max(a-b, b-a) }
	estimate := left + above - upperLeft
	a, b, c := distance(estimate, left), distance(estimate, above), distance(estimate, upperLeft)
	switch {
	case a <= b && a <= c:
		return byte(left)
	case b <= c:
		return byte(above)
	}
	return byte(upperLeft)
}

// undoTIFF undoes the predictor of TIFF for samples of 8 and 16 bits. Others stay as they are.
func (p *predictorReader) undoTIFF() {
	row := p.row[1:]
	switch p.bits {
	case 8:
		for i := p.colors; i < len(row); i++ {
			row[i] += row[i-p.colors]
		}
	case 16:
		for i := 2 * p.colors; i+1 < len(row); i += 2 {
			left := uint16(row[i-2*p.colors])<<8 + uint16(row[i-2*p.colors+1])
			v := uint16(row[i])<<8 + uint16(row[i+1]) + left
			row[i], row[i+1] = byte(v>>8), byte(v)
		}
	}
}
