// Package images finds scanned pages and prepares their images for a viewer.
//
// A page whose content is images instead of text is a scan. [Find] returns the pictures of such a page.
// A [Renderer] converts each to JPEG or PNG: it decodes the image XObject row by row, converts the colors,
// and reduces the size on the way, so that it never holds a full-size copy. Only a JPEG is decoded
// as a whole; its memory is estimated from its header first.
package images

import (
	"cmp"
	"math"
	"slices"
	"unicode"

	"portside/documents"
	"portside/documents/pdf/internal/content"
	"portside/documents/pdf/internal/geometry"
	"portside/documents/pdf/internal/pages"
	"portside/documents/pdf/internal/syntax"
)

// A page is a scan if it has little text and images cover most of it.
const (
	minTextLetters  = 50
	minCoverage     = 0.5
	maxLogoCoverage = 0.03 // smaller images are logos
	maxStripGap     = 2.5  // points
	minHiddenPart   = 0.8  // of a picture that lies below another one
)

// Scan is a picture on a page: an image, or the strips into which a scanner divided it.
type Scan struct {
	parts      []*syntax.Stream // from top to bottom
	rotation   int              // clockwise in degrees
	isMirrored bool
	box        documents.Box
	pixels     float64
}

// Find returns the pictures of a scanned page in reading order. It returns none for a page with text,
// including invisible text that a program recognized in the scan.
func Find(glyphs []content.Glyph, images []content.Image, frame pages.Frame) []Scan {
	coverage := 0.0
	for _, img := range images {
		coverage += coverageOf(boxOf(img), frame)
	}
	if countLetters(glyphs) >= minTextLetters || coverage < minCoverage {
		return nil
	}
	return slices.DeleteFunc(visibleScans(joinStrips(images)), func(s Scan) bool {
		return area(s.box) < maxLogoCoverage*frame.Width*frame.Height
	})
}

func countLetters(glyphs []content.Glyph) int {
	letters := 0
	for _, g := range glyphs {
		for _, r := range g.Text {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				letters++
			}
		}
	}
	return letters
}

func area(b documents.Box) float64 { return (b.Right - b.Left) * (b.Bottom - b.Top) }

// coverageOf returns the part of the page that a box covers.
func coverageOf(box documents.Box, frame pages.Frame) float64 {
	page := documents.Box{Right: frame.Width, Bottom: frame.Height}
	overlap := max(geometry.OverlapX(box, page), 0) * max(geometry.OverlapY(box, page), 0)
	return overlap / max(frame.Width*frame.Height, 1)
}

func boxOf(img content.Image) documents.Box {
	x1, y1 := img.Matrix.Apply(0, 0)
	x2, y2 := img.Matrix.Apply(1, 1)
	return geometry.BoxOf(x1, y1, x2, y2)
}

// orientationOf returns how an image is rotated clockwise, and whether it is mirrored. The x axis of an
// upright image points right and its y axis up.
func orientationOf(img content.Image) (degrees int, isMirrored bool) {
	m := img.Matrix
	isSideways := math.Abs(m[0]) < math.Abs(m[1])
	switch {
	case isSideways && m[1] > 0:
		degrees = 90
	case isSideways:
		degrees = 270
	case m[0] < 0:
		degrees = 180
	}
	return degrees, m[0]*m[3]-m[1]*m[2] > 0
}

// joinStrips joins the strips of pictures. The result is in reading order.
func joinStrips(images []content.Image) []Scan {
	images = slices.Clone(images)
	slices.SortStableFunc(images, func(a, b content.Image) int { return cmp.Compare(boxOf(a).Top, boxOf(b).Top) })
	var scans []Scan
	for len(images) > 0 {
		strips, rest := takeStrips(images)
		images = rest
		s := Scan{box: boxOf(strips[0])}
		for _, strip := range strips {
			s.parts = append(s.parts, strip.Stream)
			s.box = s.box.Union(boxOf(strip))
			s.pixels += directNumber(strip.Stream, "Width") * directNumber(strip.Stream, "Height")
		}
		s.rotation, s.isMirrored = orientationOf(strips[0])
		scans = append(scans, s)
	}
	return scans
}

// directNumber returns a number in the dictionary of a stream, or 0 for a reference.
func directNumber(s *syntax.Stream, key string) float64 {
	n, _ := s.Dict[key].(float64)
	return n
}

// takeStrips returns the first image with all strips that continue it on both sides, and the other
// images.
func takeStrips(images []content.Image) (strips, rest []content.Image) {
	strips, rest = images[:1:1], images[1:]
	for found := true; found; {
		found = false
		for i, img := range rest {
			first, last := strips[0], strips[len(strips)-1]
			switch {
			case isNextStrip(last, img):
				strips = append(strips, img)
			case isNextStrip(img, first):
				strips = append([]content.Image{img}, strips...)
			default:
				continue
			}
			rest, found = slices.Concat(rest[:i], rest[i+1:]), true
			break
		}
	}
	return strips, rest
}

// isNextStrip reports whether next is the strip below above, as the picture is oriented.
func isNextStrip(above, next content.Image) bool {
	isNear := func(a, b float64) bool { return math.Abs(a-b) < maxStripGap }
	x1, y1 := above.Matrix.Apply(0, 0)
	x2, y2 := next.Matrix.Apply(0, 1)
	return directNumber(above.Stream, "Width") == directNumber(next.Stream, "Width") &&
		isNear(x1, x2) && isNear(y1, y2) &&
		isNear(above.Matrix[0], next.Matrix[0]) && isNear(above.Matrix[1], next.Matrix[1])
}

// visibleScans removes pictures that are below a finer one, and repeated pictures. Some scanners store
// the letters of a page in a fine image and its paper in a coarse one.
func visibleScans(scans []Scan) []Scan {
	var visible []Scan
	for i, s := range scans {
		isHidden := slices.ContainsFunc(scans, func(other Scan) bool { return other.hides(s) })
		isRepeated := slices.ContainsFunc(scans[:i], func(other Scan) bool {
			return other.box == s.box && other.pixels == s.pixels
		})
		if !isHidden && !isRepeated {
			visible = append(visible, s)
		}
	}
	return visible
}

// hides reports whether the picture covers most of another one and has more pixels.
func (s Scan) hides(other Scan) bool {
	if s.pixels <= other.pixels {
		return false
	}
	width, height := geometry.OverlapX(s.box, other.box), geometry.OverlapY(s.box, other.box)
	return width > 0 && height > 0 && width*height > minHiddenPart*area(other.box)
}
