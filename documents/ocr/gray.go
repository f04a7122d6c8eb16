package ocr

import (
	"image"
	"image/draw"
)

// toGray returns the picture in gray, on white, because transparent pixels would become black.
func toGray(m image.Image) *image.Gray {
	gray := image.NewGray(image.Rectangle{Max: m.Bounds().Size()})
	switch m := m.(type) {
	case *image.Gray:
		draw.Draw(gray, gray.Rect, m, m.Rect.Min, draw.Src)
	case *image.YCbCr:
		for y := range gray.Rect.Dy() {
			at := m.YOffset(m.Rect.Min.X, m.Rect.Min.Y+y)
			copy(gray.Pix[y*gray.Stride:(y+1)*gray.Stride], m.Y[at:])
		}
	default:
		draw.Draw(gray, gray.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(gray, gray.Rect, m, m.Bounds().Min, draw.Over)
	}
	return gray
}
