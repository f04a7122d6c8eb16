package images

import "image"

// Bounds of a picture for a viewer.
const (
	maxPictureBytes = 3_750_000
	maxDrawnPixels  = 9_000_000 // a page at 300 dots per inch
	maxSidePixels   = 8_000
)

// canvas draws an image row by row and reduces its size: each pixel is the mean of a square of pixels in
// the rows.
type canvas struct {
	image      image.Image
	pixels     []byte // of image
	stride     int
	pixelBytes int

	width    int // of the rows
	channels int // of the rows
	factor   int // the side of a square
	sums     []int
	rows     int // in sums
	y        int // of the next row of image
}

// reductionFactor returns the factor that reduces an image to the bounds of a picture.
func reductionFactor(width, height int) int {
	factor := 1
	for max(width, height)/factor > maxSidePixels || (width/factor)*(height/factor) > maxDrawnPixels {
		factor++
	}
	return factor
}

func newCanvas(width, height, channels, factor int) *canvas {
	columns, rows := (width+factor-1)/factor, (height+factor-1)/factor
	c := &canvas{factor: factor, width: width, channels: channels, sums: make([]int, channels*columns)}
	box := image.Rect(0, 0, columns, rows)
	if channels == 1 {
		gray := image.NewGray(box)
		c.image, c.pixels, c.stride, c.pixelBytes = gray, gray.Pix, gray.Stride, 1
		return c
	}
	colored := image.NewRGBA(box)
	fill(colored.Pix, 255)
	c.image, c.pixels, c.stride, c.pixelBytes = colored, colored.Pix, colored.Stride, 4
	return c
}

func fill(row []byte, value byte) {
	for i := range row {
		row[i] = value
	}
}

// add draws the next row.
func (c *canvas) add(row []byte) {
	for x := range len(c.sums) / c.channels {
		square := row[x*c.factor*c.channels : min((x+1)*c.factor*c.channels, len(row))]
		sums := c.sums[x*c.channels : (x+1)*c.channels]
		for i := 0; i < len(square); i += c.channels {
			for channel := range sums {
				sums[channel] += int(square[i+channel])
			}
		}
	}
	if c.rows++; c.rows == c.factor {
		c.flush()
	}
}

// flush writes the means of the last rows to the image.
func (c *canvas) flush() {
	if c.rows == 0 || (c.y+1)*c.stride > len(c.pixels) {
		return
	}
	line := c.pixels[c.y*c.stride : (c.y+1)*c.stride]
	for x := range len(c.sums) / c.channels {
		count := c.rows * min(c.factor, c.width-x*c.factor)
		for channel := range c.channels {
			line[x*c.pixelBytes+channel] = byte(c.sums[x*c.channels+channel] / count)
		}
	}
	clear(c.sums)
	c.rows = 0
	c.y++
}
