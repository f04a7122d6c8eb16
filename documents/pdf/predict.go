package pdf

import (
	"io"

	"golang.org/x/image/tiff/lzw"
)

// earlyLZW reads LZW whose codes grow one early, as in TIFF and, by default, in PDF.
func earlyLZW(r io.Reader) io.Reader { return lzw.NewReader(r, lzw.MSB, 8) }

// predictor undoes the prediction of rows by their neighbours, which packs better.
type predictor struct {
	from          io.Reader
	row, above    []byte // with a byte in front that names the way, for PNG
	pixel         int    // bytes
	bits, samples int
	png           bool
	rest          []byte
}

// predicted wraps a reader whose filter has parameters that ask for it.
func (f *file) predicted(parms dict, r io.Reader) io.Reader {
	way := int(f.number(parms["Predictor"], 1))
	if way < 2 {
		return r
	}
	bound := func(key string, otherwise float64, most int) int {
		return min(max(int(f.number(parms[key], otherwise)), 1), most)
	}
	p := &predictor{from: r, png: way >= 10, samples: bound("Colors", 1, 32), bits: bound("BitsPerComponent", 8, 16)}
	columns := bound("Columns", 1, 1<<20)
	p.pixel = max(1, p.samples*p.bits/8)
	length := (columns*p.samples*p.bits + 7) / 8
	p.row, p.above = make([]byte, length+1), make([]byte, length+1)
	return p
}

// Read implements [io.Reader].
func (p *predictor) Read(out []byte) (int, error) {
	if len(p.rest) == 0 {
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	n := copy(out, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func (p *predictor) next() error {
	into := p.row
	if !p.png {
		into = p.row[1:]
	}
	n, err := io.ReadFull(p.from, into)
	if n < len(into) && n < 2 {
		return err //nolint:wrapcheck // io.EOF has to stay what it is
	}
	clear(into[n:]) // a last row that is cut short
	if p.png {
		p.unfilter(p.row[0])
	} else {
		p.sum()
	}
	p.row, p.above = p.above, p.row
	p.rest = p.above[1:]
	return nil
}

// unfilter undoes one of the ways of PNG.
func (p *predictor) unfilter(way byte) {
	row, above := p.row[1:], p.above[1:]
	for i := range row {
		var left, corner byte
		if i >= p.pixel {
			left, corner = row[i-p.pixel], above[i-p.pixel]
		}
		switch way {
		case 1:
			row[i] += left
		case 2:
			row[i] += above[i]
		case 3:
			row[i] += byte((int(left) + int(above[i])) / 2)
		case 4:
			row[i] += paeth(int(left), int(above[i]), int(corner))
		}
	}
}

func paeth(left, above, corner int) byte {
	distance := func(a, b int) int { return max(a-b, b-a) }
	guess := left + above - corner
	a, b, c := distance(guess, left), distance(guess, above), distance(guess, corner)
	switch {
	case a <= b && a <= c:
		return byte(left)
	case b <= c:
		return byte(above)
	}
	return byte(corner)
}

// sum undoes the way of TIFF, for samples of whole bytes.
func (p *predictor) sum() {
	row := p.row[1:]
	switch p.bits {
	case 8:
		for i := p.samples; i < len(row); i++ {
			row[i] += row[i-p.samples]
		}
	case 16:
		for i := 2 * p.samples; i+1 < len(row); i += 2 {
			v := uint16(row[i])<<8 + uint16(row[i+1]) + uint16(row[i-2*p.samples])<<8 + uint16(row[i-2*p.samples+1])
			row[i], row[i+1] = byte(v>>8), byte(v)
		}
	}
}
