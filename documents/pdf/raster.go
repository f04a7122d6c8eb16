package pdf

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"io"

	"golang.org/x/image/ccitt"
)

// errPicture is of a picture that cannot be shown: of an unknown kind, damaged from its beginning, or too large.
var errPicture = errors.New("a picture that cannot be shown")

const (
	maxPixels = 40_000_000 // of a picture
	maxJPEG   = 96 << 20   // bytes that unpacking one takes
)

// raster gives the rows of a picture from top to bottom, in gray or in red, green and blue.
type raster struct {
	width, height int
	channels      int // 1 or 3
	next          func(row []byte) error
}

// raster opens the picture of a stream.
func (f *file) raster(s *stream) (*raster, error) {
	width, height := int(f.number(s.dict["Width"], 0)), int(f.number(s.dict["Height"], 0))
	if width < 1 || height < 1 || width > maxPixels/height {
		return nil, errPicture
	}
	r, rest := f.unpacked(s)
	switch rest.name {
	case "":
	case "DCTDecode", "DCT":
		data, err := io.ReadAll(io.LimitReader(r, maxStream))
		if err != nil {
			return nil, errPicture
		}
		return f.jpegRaster(s, data)
	case "CCITTFaxDecode", "CCF":
		r = metered{f.fax(rest.parms, width, height, r), f}
		if columns := int(f.number(rest.parms["Columns"], 1728)); columns != width {
			return nil, errPicture
		}
	default:
		return nil, errPicture // JBIG2 and JPEG 2000
	}
	return f.sampled(s, r, width, height)
}

func (f *file) fax(parms dict, width, height int, r io.Reader) io.Reader {
	way := ccitt.Group3
	if f.number(parms["K"], 0) < 0 {
		way = ccitt.Group4
	}
	options := &ccitt.Options{Invert: f.resolve(parms["BlackIs1"]) == true, Align: f.resolve(parms["EncodedByteAlign"]) == true}
	return ccitt.NewReader(r, ccitt.MSB, way, width, height, options)
}

// sampled reads packed samples, and makes colours of them.
func (f *file) sampled(s *stream, r io.Reader, width, height int) (*raster, error) {
	bits := int(f.number(s.dict["BitsPerComponent"], 1))
	space := &colors{samples: 1}
	if f.resolve(s.dict["ImageMask"]) == true {
		bits = 1
	} else {
		space = f.colors(s.dict["ColorSpace"], 0)
	}
	if space == nil || bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16 {
		return nil, errPicture
	}
	space.inverted = space.inverted != f.turnsAround(s)
	packed := make([]byte, (width*space.samples*bits+7)/8)
	samples := make([]byte, width*space.samples)
	read := 0
	next := func(row []byte) error {
		n, err := io.ReadFull(r, packed)
		if settled(err) {
			return err
		}
		if n == 0 && read == 0 {
			return errPicture
		}
		if read++; n == 0 {
			fill(row, 255) // what is cut off is white
			return nil
		}
		spread(samples, packed, bits, space.palette == nil)
		space.paint(row, samples)
		return nil
	}
	return &raster{width: width, height: height, channels: space.channels(), next: next}, nil
}

func fill(row []byte, value byte) {
	for i := range row {
		row[i] = value
	}
}

// turnsAround reports whether high samples are dark.
func (f *file) turnsAround(s *stream) bool {
	decode := f.array(s.dict["Decode"])
	return len(decode) >= 2 && f.number(decode[0], 0) > f.number(decode[1], 0)
}

// spread makes a byte of each sample; scaled to what a byte holds, or as it is for the number of a colour.
func spread(samples, packed []byte, bits int, scaled bool) {
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
	most := byte(1<<bits - 1)
	scale := byte(1)
	if scaled {
		scale = 255 / most
	}
	for i, each := 0, 8/bits; i < len(samples); i += each {
		b := packed[i/each]
		for j := range samples[i:min(i+each, len(samples))] {
			samples[i+j] = b >> (8 - bits - j*bits) & most * scale
		}
	}
}

// jpegRaster unpacks a JPEG, which has to be in memory as a whole; one that is progressive takes several times as much.
func (f *file) jpegRaster(s *stream, data []byte) (*raster, error) {
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil || config.Width*config.Height > maxPixels {
		return nil, errPicture
	}
	samples := 3
	switch config.ColorModel {
	case color.GrayModel:
		samples = 1
	case color.CMYKModel:
		samples = 8
	}
	if progressive(data) {
		samples *= 5
	}
	size := config.Width * config.Height * samples
	if f.budget -= int64(size); size > maxJPEG || f.budget < 0 {
		return nil, errPicture
	}
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, errPicture
	}
	return imageRaster(img, f.turnsAround(s)), nil
}

// progressive looks for the marker of such frames in front of the first scan.
func progressive(data []byte) bool {
	for at := 2; at+3 < len(data) && data[at] == 0xff; {
		switch data[at+1] {
		case 0xc2:
			return true
		case 0xda:
			return false
		}
		at += 2 + int(data[at+2])<<8 + int(data[at+3])
	}
	return true // of an odd form: expect the worse
}

// imageRaster gives the rows of a JPEG. Go takes four inks as stored the wrong way round, as they mostly are; a PDF says so.
func imageRaster(img image.Image, inverted bool) *raster {
	box := img.Bounds()
	made := &raster{width: box.Dx(), height: box.Dy(), channels: 3}
	if _, gray := img.(*image.Gray); gray {
		made.channels = 1
	}
	y := box.Min.Y
	made.next = func(row []byte) error {
		for x := range made.width {
			at := row[x*made.channels:]
			switch img := img.(type) {
			case *image.Gray:
				at[0] = img.GrayAt(box.Min.X+x, y).Y
			case *image.CMYK:
				c := img.CMYKAt(box.Min.X+x, y)
				at[0], at[1], at[2] = inks([4]byte{c.C, c.M, c.Y, c.K}, !inverted)
			case *image.YCbCr:
				c := img.YCbCrAt(box.Min.X+x, y)
				at[0], at[1], at[2] = color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
			default:
				r, g, b, _ := img.At(box.Min.X+x, y).RGBA()
				at[0], at[1], at[2] = byte(r>>8), byte(g>>8), byte(b>>8)
			}
		}
		y++
		return nil
	}
	return made
}

// inks is what four inks look like.
func inks(i [4]byte, inverted bool) (r, g, b byte) {
	if inverted {
		i = [4]byte{255 - i[0], 255 - i[1], 255 - i[2], 255 - i[3]}
	}
	return color.CMYKToRGB(i[0], i[1], i[2], i[3])
}
