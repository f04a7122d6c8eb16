package images

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"portside/documents"
)

// encode encodes an image as PNG or, if that is too large, as JPEG. It halves the image until the JPEG
// fits.
func encode(img image.Image) (documents.Picture, error) {
	const jpegQuality = 85
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, img); err != nil {
		return documents.Picture{}, fmt.Errorf("encode a PNG: %w", err)
	}
	if out.Len() <= maxPictureBytes {
		return documents.Picture{MediaType: "image/png", Data: out.Bytes()}, nil
	}
	for {
		out.Reset()
		if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: jpegQuality}); err != nil {
			return documents.Picture{}, fmt.Errorf("encode a JPEG: %w", err)
		}
		if out.Len() <= maxPictureBytes {
			return documents.Picture{MediaType: "image/jpeg", Data: out.Bytes()}, nil
		}
		img = halve(img)
	}
}

// halve halves the sides of an image.
func halve(img image.Image) image.Image {
	width, height := img.Bounds().Dx(), img.Bounds().Dy()
	pixels, pixelBytes, channels := []byte(nil), 4, 3
	switch img := img.(type) {
	case *image.Gray:
		pixels, pixelBytes, channels = img.Pix, 1, 1
	case *image.RGBA:
		pixels = img.Pix
	}
	c := newCanvas(width, height, channels, 2)
	row := make([]byte, width*channels)
	for y := range height {
		for x := range width {
			copy(row[x*channels:(x+1)*channels], pixels[(y*width+x)*pixelBytes:])
		}
		c.add(row)
	}
	c.flush()
	return c.image
}

// orient mirrors an image top to bottom, then rotates it clockwise by a multiple of 90 degrees.
func orient(img image.Image, degrees int, isMirrored bool) image.Image {
	if degrees == 0 && !isMirrored {
		return img
	}
	width, height := img.Bounds().Dx(), img.Bounds().Dy()
	source := func(x, y int) (int, int) {
		switch degrees {
		case 90:
			x, y = y, height-1-x
		case 180:
			x, y = width-1-x, height-1-y
		case 270:
			x, y = width-1-y, x
		}
		if isMirrored {
			y = height - 1 - y
		}
		return x, y
	}
	box := image.Rect(0, 0, width, height)
	if degrees == 90 || degrees == 270 {
		box = image.Rect(0, 0, height, width)
	}
	if gray, ok := img.(*image.Gray); ok {
		return mapGray(gray, box, source)
	}
	colored, _ := img.(*image.RGBA)
	return mapRGBA(colored, box, source)
}

// mapGray returns an image whose pixels come from the source coordinates.
func mapGray(img *image.Gray, box image.Rectangle, source func(x, y int) (int, int)) *image.Gray {
	out := image.NewGray(box)
	for y := range box.Dy() {
		for x := range box.Dx() {
			out.SetGray(x, y, img.GrayAt(source(x, y)))
		}
	}
	return out
}

// mapRGBA is mapGray for colors.
func mapRGBA(img *image.RGBA, box image.Rectangle, source func(x, y int) (int, int)) *image.RGBA {
	out := image.NewRGBA(box)
	for y := range box.Dy() {
		for x := range box.Dx() {
			out.SetRGBA(x, y, img.RGBAAt(source(x, y)))
		}
	}
	return out
}
