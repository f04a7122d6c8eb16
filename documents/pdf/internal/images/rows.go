package images

import (
	"io"

	"portside/documents/pdf/internal/budget"
	"portside/documents/pdf/internal/filters"
	"portside/documents/pdf/internal/syntax"
)

// rowReader reads the rows of an image from top to bottom, in gray or in red, green and blue.
type rowReader struct {
	width, height int
	channels      int // 1 or 3
	next          func(row []byte) error
}

// open opens an image XObject. JBIG2 and JPEG 2000 are not supported.
func (r *Renderer) open(s *syntax.Stream) (*rowReader, error) {
	width, height := r.Objects.Int(s.Dict["Width"], 0), r.Objects.Int(s.Dict["Height"], 0)
	if !isDrawable(width, height) {
		return nil, ErrImage
	}
	in, filter := r.Decoder.Open(s)
	switch {
	case filter.Name == "":
	case filter.IsJPEG():
		data, err := io.ReadAll(io.LimitReader(in, filters.MaxStreamBytes))
		if err != nil {
			return nil, ErrImage
		}
		return r.openJPEG(s, data)
	case filter.IsCCITT():
		const defaultColumns = 1728
		if r.Objects.Int(filter.Parms["Columns"], defaultColumns) != width {
			return nil, ErrImage
		}
		in = r.Decoder.CCITT(filter, in, width, height)
	default:
		return nil, ErrImage
	}
	return r.openSamples(s, in, width, height)
}

// openSamples reads packed samples, and converts them to colors. Rows that are cut off are white.
func (r *Renderer) openSamples(s *syntax.Stream, in io.Reader, width, height int) (*rowReader, error) {
	bits, space := r.sampleFormat(s)
	if space == nil || bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16 {
		return nil, ErrImage
	}
	packed := make([]byte, (width*space.samples*bits+7)/8)
	samples := make([]byte, width*space.samples)
	isFirst := true
	next := func(row []byte) error {
		n, err := io.ReadFull(in, packed)
		if budget.IsFinal(err) {
			return err
		}
		if n == 0 && isFirst {
			return ErrImage
		}
		if isFirst = false; n == 0 {
			fill(row, 255)
			return nil
		}
		unpack(samples, packed, bits, space.palette == nil)
		space.convert(row, samples)
		return nil
	}
	return &rowReader{width: width, height: height, channels: space.channels(), next: next}, nil
}

// sampleFormat returns the bits per sample and the color space of an image. The space is nil if it is not
// supported.
func (r *Renderer) sampleFormat(s *syntax.Stream) (bits int, space *colorSpace) {
	bits = r.Objects.Int(s.Dict["BitsPerComponent"], 1)
	if r.Objects.IsTrue(s.Dict["ImageMask"]) {
		bits, space = 1, &colorSpace{samples: 1}
	} else {
		space = r.colorSpace(s.Dict["ColorSpace"], 0)
	}
	if space != nil {
		space.isInverted = space.isInverted != r.isInverted(s)
	}
	return bits, space
}

// isInverted reports whether the array Decode of an image maps high samples to dark colors.
func (r *Renderer) isInverted(s *syntax.Stream) bool {
	decode := r.Objects.Array(s.Dict["Decode"])
	return len(decode) >= 2 && r.Objects.Number(decode[0], 0) > r.Objects.Number(decode[1], 0)
}

// unpack converts packed samples to one byte each. isLevel means that samples are levels, which it scales
// to the range of a byte; otherwise they are indexes of a palette.
func unpack(samples, packed []byte, bits int, isLevel bool) {
	switch bits {
	case 8:
		copy(samples, packed)
		return
	case 16:
		for i := range samples {
			samples[i] = packed[2*i]
		}
		return
	}
	mask := byte(1<<bits - 1)
	scale := byte(1)
	if isLevel {
		scale = 255 / mask
	}
	for i, perByte := 0, 8/bits; i < len(samples); i += perByte {
		b := packed[i/perByte]
		for j := range samples[i:min(i+perByte, len(samples))] {
			samples[i+j] = b >> (8 - bits - j*bits) & mask * scale
		}
	}
}
