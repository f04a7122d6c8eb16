// Package straighten makes the lines of text in a picture horizontal, in a size that an OCR engine needs.
package straighten

import (
	"image"
	"math"

	"golang.org/x/image/math/f64"
)

// Bounds of a straight picture, in pixels. Pages of 300 dpi have 8.7 million. In small pictures, letters are too small
// for the engine; enlarged, they are not.
const (
	maxPixels    = 10_000_000
	smallSide    = 2_000
	maxEnlarging = 2
)

// maxSkew is the largest skew that is looked for, in radians. More than that is no accident of a scanner.
const maxSkew = 12 * math.Pi / 180

// minSkew is the skew that an OCR engine tolerates, in radians.
const minSkew = 0.25 * math.Pi / 180

// Straight is a picture whose lines are horizontal.
type Straight struct {
	Gray *image.Gray
	// toOriginal converts pixels of Gray to pixels of the original.
	toOriginal f64.Aff3
}

// Original returns the place of a point in the original picture.
func (s Straight) Original(x, y float64) (originalX, originalY float64) {
	m := s.toOriginal
	return m[0]*x + m[1]*y + m[2], m[3]*x + m[4]*y + m[5]
}

// Picture straightens a picture whose lines run in a direction: in quarter turns clockwise, from 0 for an upright
// picture to 3.
func Picture(gray *image.Gray, direction int) Straight {
	angle := float64(direction)*math.Pi/2 + skewOf(gray, direction)
	size := gray.Rect.Size()
	scale := 1.0
	if longest := max(size.X, size.Y); longest < smallSide {
		scale = min(maxEnlarging, smallSide/float64(longest))
	}
	scale = min(scale, math.Sqrt(maxPixels/float64(size.X*size.Y)))
	return rotated(gray, angle, scale)
}

// rotated rotates a picture counterclockwise by the angle of its lines, and scales it.
func rotated(gray *image.Gray, angle, scale float64) Straight {
	if angle == 0 && scale == 1 {
		return Straight{gray, f64.Aff3{1, 0, 0, 0, 1, 0}}
	}
	sin, cos := math.Sincos(angle)
	width, height := float64(gray.Rect.Dx()), float64(gray.Rect.Dy())
	outWidth := math.Ceil(scale * (math.Abs(width*cos) + math.Abs(height*sin)))
	outHeight := math.Ceil(scale * (math.Abs(width*sin) + math.Abs(height*cos)))
	// The centers of both pictures are the same point.
	toOriginal := f64.Aff3{cos / scale, -sin / scale, 0, sin / scale, cos / scale, 0}
	toOriginal[2] = width/2 - toOriginal[0]*outWidth/2 - toOriginal[1]*outHeight/2
	toOriginal[5] = height/2 - toOriginal[3]*outWidth/2 - toOriginal[4]*outHeight/2
	out := Straight{image.NewGray(image.Rect(0, 0, int(outWidth), int(outHeight))), toOriginal}
	for y := range out.Gray.Rect.Dy() {
		row := out.Gray.Pix[y*out.Gray.Stride:][:out.Gray.Rect.Dx()]
		for x := range row {
			originalX, originalY := out.Original(float64(x)+0.5, float64(y)+0.5)
			row[x] = between(gray, originalX-0.5, originalY-0.5)
		}
	}
	return out
}

// between returns the gray value at a point between the centers of four pixels. Outside the picture, it is white. The
// package golang.org/x/image/draw interpolates any kind of picture, and takes ten times as long.
func between(gray *image.Gray, x, y float64) uint8 {
	left, top := math.Floor(x), math.Floor(y)
	column, row := int(left), int(top)
	if column < 0 || row < 0 || column+1 >= gray.Rect.Dx() || row+1 >= gray.Rect.Dy() {
		return 0xff
	}
	at := gray.Pix[row*gray.Stride+column:]
	below := at[gray.Stride:]
	const unit = 256
	right, down := int((x-left)*unit), int((y-top)*unit)
	upper := int(at[0])*(unit-right) + int(at[1])*right
	lower := int(below[0])*(unit-right) + int(below[1])*right
	return uint8((upper*(unit-down) + lower*down) / (unit * unit))
}
