package pdf

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"

	"portside/documents"
)

const (
	maxPicture = 3_750_000 // bytes of a picture that is given on
	maxShown   = 9_000_000 // pixels of one that is made here: a page at 300 dots per inch
	maxSide    = 8_000
)

// picture makes one of what is shown on a page. A JPEG stays as it is where it can.
func (f *file) picture(s shown) (documents.Picture, error) {
	if p, ok := f.asItIs(s); ok {
		return p, nil
	}
	canvas, err := f.draw(s.parts)
	if err != nil {
		return documents.Picture{}, err
	}
	return encode(oriented(canvas, s.turn, s.mirrored))
}

// asItIs is the JPEG that a scanner made.
func (f *file) asItIs(s shown) (documents.Picture, bool) {
	if len(s.parts) != 1 || s.turn != 0 || s.mirrored || f.turnsAround(s.parts[0]) {
		return documents.Picture{}, false
	}
	r, rest := f.unpacked(s.parts[0])
	if rest.name != "DCTDecode" && rest.name != "DCT" {
		return documents.Picture{}, false
	}
	data, err := io.ReadAll(io.LimitReader(r, maxPicture+1))
	if err != nil || len(data) > maxPicture {
		return documents.Picture{}, false
	}
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	four := image.NewCMYK(image.Rectangle{}).ColorModel()
	if err != nil || config.ColorModel == four || max(config.Width, config.Height) > maxSide || config.Width*config.Height > maxPixels {
		return documents.Picture{}, false
	}
	return documents.Picture{MediaType: "image/jpeg", Data: data}, true
}

// canvas is a picture that is drawn row by row, made smaller on the way: the mean of a square of pixels becomes one.
type canvas struct {
	image   image.Image
	pixels  []byte
	stride  int
	step    int // bytes of a pixel
	factor  int
	width   int // of the rows that come
	sums    []int
	rows    int // in sums
	y       int
	samples int
}

// shrinking is by how much a picture has to be made smaller.
func shrinking(width, height int) int {
	factor := 1
	for max(width, height)/factor > maxSide || (width/factor)*(height/factor) > maxShown {
		factor++
	}
	return factor
}

func newCanvas(width, height, channels, factor int) *canvas {
	c := &canvas{factor: factor, width: width, samples: channels, sums: make([]int, channels*((width+factor-1)/factor))}
	box := image.Rect(0, 0, (width+factor-1)/factor, (height+factor-1)/factor)
	if channels == 1 {
		gray := image.NewGray(box)
		c.image, c.pixels, c.stride, c.step = gray, gray.Pix, gray.Stride, 1
		return c
	}
	colored := image.NewRGBA(box)
	fill(colored.Pix, 255)
	c.image, c.pixels, c.stride, c.step = colored, colored.Pix, colored.Stride, 4
	return c
}

// add draws the next row.
func (c *canvas) add(row []byte) {
	for x := range len(c.sums) / c.samples {
		square := row[x*c.factor*c.samples : min((x+1)*c.factor*c.samples, len(row))]
		sums := c.sums[x*c.samples : (x+1)*c.samples]
		for i := 0; i < len(square); i += c.samples {
			for s := range sums {
				sums[s] += int(square[i+s])
			}
		}
	}
	if c.rows++; c.rows == c.factor {
		c.flush()
	}
}

// flush puts the means of the rows so far into the picture.
func (c *canvas) flush() {
	if c.rows == 0 || (c.y+1)*c.stride > len(c.pixels) {
		return
	}
	line := c.pixels[c.y*c.stride : (c.y+1)*c.stride]
	for x := range len(c.sums) / c.samples {
		count := c.rows * min(c.factor, c.width-x*c.factor)
		for s := range c.samples {
			line[x*c.step+s] = byte(c.sums[x*c.samples+s] / count)
		}
	}
	clear(c.sums)
	c.rows = 0
	c.y++
}

// draw joins the strips of a picture.
func (f *file) draw(parts []*stream) (image.Image, error) {
	width, height, channels := 0, 0, 1
	for _, part := range parts { // their sizes are known beforehand, their colours are not
		width, height = int(f.number(part.dict["Width"], 0)), height+int(f.number(part.dict["Height"], 0))
	}
	if width < 1 || height < 1 || width > maxPixels/height {
		return nil, errPicture
	}
	var c *canvas
	for i, part := range parts {
		r, err := f.raster(part)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			if len(parts) == 1 {
				width, height = r.width, r.height
			}
			channels = r.channels
			c = newCanvas(width, height, channels, shrinking(width, height))
		}
		if r.width != width || r.channels != channels {
			return nil, errPicture
		}
		if err := f.copyRows(c, r); err != nil {
			return nil, err
		}
	}
	c.flush()
	return c.image, nil
}

func (f *file) copyRows(c *canvas, r *raster) error {
	row := make([]byte, r.width*r.channels)
	for y := range r.height {
		if y%64 == 0 && f.ctx.Err() != nil {
			return fmt.Errorf("draw a picture: %w", f.ctx.Err())
		}
		if f.budget -= int64(len(row)); f.budget < 0 {
			return documents.ErrTooMuch
		}
		if err := r.next(row); err != nil {
			return err
		}
		c.add(row)
	}
	return nil
}

// oriented turns a picture clockwise in steps of 90 degrees, after it is mirrored top to bottom.
func oriented(img image.Image, turn int, mirrored bool) image.Image {
	if turn == 0 && !mirrored {
		return img
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	from := func(x, y int) (int, int) {
		switch turn {
		case 90:
			x, y = y, h-1-x
		case 180:
			x, y = w-1-x, h-1-y
		case 270:
			x, y = w-1-y, x
		}
		if mirrored {
			y = h - 1 - y
		}
		return x, y
	}
	box := image.Rect(0, 0, w, h)
	if turn == 90 || turn == 270 {
		box = image.Rect(0, 0, h, w)
	}
	if gray, ok := img.(*image.Gray); ok {
		turned := image.NewGray(box)
		for y := range box.Dy() {
			for x := range box.Dx() {
				turned.SetGray(x, y, gray.GrayAt(from(x, y)))
			}
		}
		return turned
	}
	colored, turned := img.(*image.RGBA), image.NewRGBA(box)
	for y := range box.Dy() {
		for x := range box.Dx() {
			turned.SetRGBA(x, y, colored.RGBAAt(from(x, y)))
		}
	}
	return turned
}

// encode makes a PNG or, where that is too large, a JPEG, halved until it fits.
func encode(img image.Image) (documents.Picture, error) {
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, img); err != nil {
		return documents.Picture{}, fmt.Errorf("encode a picture: %w", err)
	}
	if out.Len() <= maxPicture {
		return documents.Picture{MediaType: "image/png", Data: out.Bytes()}, nil
	}
	for {
		out.Reset()
		if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 85}); err != nil {
			return documents.Picture{}, fmt.Errorf("encode a picture: %w", err)
		}
		if out.Len() <= maxPicture {
			return documents.Picture{MediaType: "image/jpeg", Data: out.Bytes()}, nil
		}
		img = halved(img)
	}
}

func halved(img image.Image) image.Image {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	pixels, step, channels := []byte(nil), 4, 3
	switch img := img.(type) {
	case *image.Gray:
		pixels, step, channels = img.Pix, 1, 1
	case *image.RGBA:
		pixels = img.Pix
	}
	c := newCanvas(w, h, channels, 2)
	row := make([]byte, w*channels)
	for y := range h {
		for x := range w {
			copy(row[x*channels:(x+1)*channels], pixels[(y*w+x)*step:])
		}
		c.add(row)
	}
	c.flush()
	return c.image
}
