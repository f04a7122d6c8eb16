package pdf

import (
	"errors"
	"math"
	"slices"
	"unicode"

	"portside/documents"
)

// What makes a page a scan: hardly any text, and pictures on most of it.
const (
	fewLetters  = 50
	mostOfPage  = 0.5
	smallImage  = 0.03 // of the page: a logo
	maxImages   = 500  // of a page
	stripsApart = 2.5  // points
)

// placed is an image where it is painted: the matrix takes the unit square to the page as it is shown.
type placed struct {
	stream *stream
	matrix matrix
}

// shown is a picture on a page: an image, or the strips that it is stored in.
type shown struct {
	parts    []*stream
	turn     int // clockwise
	mirrored bool
	box      documents.Box
	pixels   float64
}

// scanned returns the pictures that a page consists of, in reading order, unless it has a text, be it one that was recognized
// and lies invisibly over the scan.
func scanned(glyphs []glyph, images []placed, width, height float64) []shown {
	letters := 0
	for _, g := range glyphs {
		for _, r := range g.text {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				letters++
			}
		}
	}
	covered := 0.0
	for _, p := range images {
		covered += p.covers(width, height)
	}
	if letters >= fewLetters || covered < mostOfPage {
		return nil
	}
	return slices.DeleteFunc(joined(images), func(s shown) bool {
		return (s.box.Right-s.box.Left)*(s.box.Bottom-s.box.Top) < smallImage*width*height
	})
}

// covers is the part of the page that an image lies on.
func (p placed) covers(width, height float64) float64 {
	box := p.box()
	across := min(box.Right, width) - max(box.Left, 0)
	down := min(box.Bottom, height) - max(box.Top, 0)
	return max(across, 0) * max(down, 0) / max(width*height, 1)
}

func (p placed) box() documents.Box {
	x1, y1 := p.matrix.apply(0, 0)
	x2, y2 := p.matrix.apply(1, 1)
	return documents.Box{Left: min(x1, x2), Top: min(y1, y2), Right: max(x1, x2), Bottom: max(y1, y2)}
}

// turn is how an image is turned and whether it is mirrored. Upright, its first axis goes right and its second one up.
func (p placed) turn() (degrees int, mirrored bool) {
	m := p.matrix
	switch {
	case math.Abs(m[0]) < math.Abs(m[1]) && m[1] > 0:
		degrees = 90
	case math.Abs(m[0]) < math.Abs(m[1]):
		degrees = 270
	case m[0] < 0:
		degrees = 180
	}
	return degrees, m[0]*m[3]-m[1]*m[2] > 0
}

// joined puts the strips of pictures together. Of those that lie on each other the one with the most pixels is taken: a scanner
// may tell the letters of a page from its paper, which it stores coarsely.
func joined(images []placed) []shown {
	images = slices.Clone(images)
	slices.SortStableFunc(images, func(a, b placed) int { return compare(a.box().Top, b.box().Top) })
	var all []shown
	for len(images) > 0 {
		strips, rest := follow(images)
		images = rest
		s := shown{box: strips[0].box()}
		for _, p := range strips {
			s.parts = append(s.parts, p.stream)
			s.box = union(s.box, p.box())
			h, _ := p.stream.dict["Height"].(float64)
			s.pixels += p.stream.wide() * h
		}
		s.turn, s.mirrored = strips[0].turn()
		all = append(all, s)
	}
	var found []shown
	for i, s := range all {
		if !slices.ContainsFunc(all, func(other shown) bool { return other.hides(s) }) &&
			!slices.ContainsFunc(all[:i], func(other shown) bool { return other.box == s.box && other.pixels == s.pixels }) {
			found = append(found, s)
		}
	}
	return found
}

// hides reports whether the picture lies on most of another and is finer.
func (s shown) hides(other shown) bool {
	if s.pixels <= other.pixels {
		return false
	}
	across := min(s.box.Right, other.box.Right) - max(s.box.Left, other.box.Left)
	down := min(s.box.Bottom, other.box.Bottom) - max(s.box.Top, other.box.Top)
	area := (other.box.Right - other.box.Left) * (other.box.Bottom - other.box.Top)
	return across > 0 && down > 0 && across*down > 0.8*area
}

// follow takes the first image and the strips that go on with it, to both sides.
func follow(images []placed) (strips, rest []placed) {
	strips, rest = images[:1:1], images[1:]
	for again := true; again; {
		again = false
		for i, p := range rest {
			first, last := strips[0], strips[len(strips)-1]
			switch {
			case goesOn(last, p):
				strips = append(strips, p)
			case goesOn(p, first):
				strips = append([]placed{p}, strips...)
			default:
				continue
			}
			rest, again = slices.Concat(rest[:i], rest[i+1:]), true
			break
		}
	}
	return strips, rest
}

// goesOn reports whether next is the strip under above, in the direction of the image.
func goesOn(above, next placed) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) < stripsApart }
	x1, y1 := above.matrix.apply(0, 0)
	x2, y2 := next.matrix.apply(0, 1)
	return above.stream.wide() == next.stream.wide() && near(x1, x2) && near(y1, y2) &&
		near(above.matrix[0], next.matrix[0]) && near(above.matrix[1], next.matrix[1])
}

// wide is how many pixels an image is wide.
func (s *stream) wide() float64 {
	w, _ := s.dict["Width"].(float64)
	return w
}

// give hands the pictures of a page on, as long as they are taken.
func (f *file) give(pictures []shown, into *documents.Builder) error {
	for _, s := range pictures {
		if !into.TakesPictures() {
			into.Picture(documents.Picture{}) // says why it is left out
			return nil
		}
		p, err := f.picture(s)
		switch {
		case err == nil:
			into.Picture(p)
		case f.ctx.Err() != nil:
			return err
		case errors.Is(err, errPicture) || errors.Is(err, documents.ErrTooMuch):
			into.Warn("Some pages are pictures of a kind that cannot be shown; they were left out.")
		default:
			return err
		}
	}
	return nil
}
