package sample

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/f64"
	"golang.org/x/image/math/fixed"
)

// Scan is a sheet of A4 paper with text, as a scanner returns it.
type Scan struct {
	Text    string  // lines, with tabs between columns that are 5 cm apart
	DPI     float64 // resolution
	Degrees float64 // rotation of the sheet, clockwise
}

// Sizes of the text of a Scan, in points.
const (
	fontSize, lineHeight, margin, columnWidth = 11.0, 18.0, 60.0, 142.0
	sheetWidth, sheetHeight                   = 595.0, 842.0
)

// PNG returns the picture.
func (s Scan) PNG() ([]byte, error) {
	sheet, err := s.draw()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = png.Encode(&out, rotate(sheet, s.Degrees*math.Pi/180))
	return out.Bytes(), err
}

// draw returns the sheet before it is rotated.
func (s Scan) draw() (*image.Gray, error) {
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: fontSize, DPI: s.DPI})
	if err != nil {
		return nil, err
	}
	scale := s.DPI / 72
	sheet := image.NewGray(image.Rect(0, 0, int(sheetWidth*scale), int(sheetHeight*scale)))
	draw.Draw(sheet, sheet.Rect, image.White, image.Point{}, draw.Src)
	pen := font.Drawer{Dst: sheet, Src: image.Black, Face: face}
	y := margin
	for line := range strings.Lines(s.Text) {
		for column, text := range strings.Split(strings.TrimSuffix(line, "\n"), "\t") {
			pen.Dot = fixed.P(int((margin+columnWidth*float64(column))*scale), int(y*scale))
			pen.DrawString(text)
		}
		y += lineHeight
	}
	return sheet, nil
}

// rotate returns the picture rotated clockwise, on white.
func rotate(m *image.Gray, angle float64) *image.Gray {
	sin, cos := math.Sincos(angle)
	width, height := float64(m.Rect.Dx()), float64(m.Rect.Dy())
	outWidth := math.Abs(width*cos) + math.Abs(height*sin)
	outHeight := math.Abs(width*sin) + math.Abs(height*cos)
	out := image.NewGray(image.Rect(0, 0, int(math.Round(outWidth)), int(math.Round(outHeight))))
	draw.Draw(out, out.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	a := f64.Aff3{cos, -sin, (outWidth - width*cos + height*sin) / 2, sin, cos, (outHeight - width*sin - height*cos) / 2}
	draw.BiLinear.Transform(out, a, m, m.Rect, draw.Src, nil)
	return out
}
