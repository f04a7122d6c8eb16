package images

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"

	"portside/documents/pdf/internal/syntax"
)

// maxJPEGBytes bounds the memory that decoding a JPEG takes.
const maxJPEGBytes = 96 << 20

// openJPEG decodes a JPEG.
func (r *Renderer) openJPEG(s *syntax.Stream, data []byte) (*rowReader, error) {
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil || config.Width*config.Height > maxPixels {
		return nil, ErrImage
	}
	size := config.Width * config.Height * bytesPerPixel(config, data)
	if !r.Budget.SpendBytes(int64(size)) || size > maxJPEGBytes {
		return nil, ErrImage
	}
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, ErrImage
	}
	return jpegRows(img, r.isInverted(s)), nil
}

// bytesPerPixel estimates the memory for decoding a JPEG. A progressive JPEG takes several times as much
// for its coefficients.
func bytesPerPixel(config image.Config, data []byte) int {
	n := 3
	switch config.ColorModel {
	case color.GrayModel:
		n = 1
	case color.CMYKModel:
		n = 8
	}
	if isProgressive(data) {
		n *= 5
	}
	return n
}

// isProgressive looks for the marker of a progressive frame in front of the first scan. An unusual
// structure counts as progressive, which is the worst case.
func isProgressive(data []byte) bool {
	const progressiveFrame, startOfScan = 0xc2, 0xda
	for pos := 2; pos+3 < len(data) && data[pos] == 0xff; {
		switch data[pos+1] {
		case progressiveFrame:
			return true
		case startOfScan:
			return false
		}
		pos += 2 + int(data[pos+2])<<8 + int(data[pos+3])
	}
	return true
}

// jpegRows returns the rows of a decoded JPEG. Package jpeg assumes that CMYK is stored inverted, as it
// mostly is; a PDF says so explicitly.
func jpegRows(img image.Image, isInverted bool) *rowReader {
	box := img.Bounds()
	reader := &rowReader{width: box.Dx(), height: box.Dy(), channels: 3}
	if _, isGray := img.(*image.Gray); isGray {
		reader.channels = 1
	}
	y := box.Min.Y
	reader.next = func(row []byte) error {
		for i := range reader.width {
			pixel, x := row[i*reader.channels:], box.Min.X+i
			switch img := img.(type) {
			case *image.Gray:
				pixel[0] = img.GrayAt(x, y).Y
			case *image.CMYK:
				c := img.CMYKAt(x, y)
				pixel[0], pixel[1], pixel[2] = convertCMYK([4]byte{c.C, c.M, c.Y, c.K}, !isInverted)
			case *image.YCbCr:
				c := img.YCbCrAt(x, y)
				pixel[0], pixel[1], pixel[2] = color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
			default:
				r, g, b, _ := img.At(x, y).RGBA()
				pixel[0], pixel[1], pixel[2] = byte(r>>8), byte(g>>8), byte(b>>8)
			}
		}
		y++
		return nil
	}
	return reader
}
