package straighten

import "image"

// Blobs returns the boxes of connected ink that is outside the covered rectangles, in pixels of the picture. It joins
// ink that is less than two pixels of a reduced picture apart.
func Blobs(gray *image.Gray, covered []image.Rectangle) []image.Rectangle {
	marks := marksOf(reduce(gray))
	size, full := marks.Rect.Size(), gray.Rect.Size()
	for _, c := range covered {
		c = image.Rect(c.Min.X*size.X/full.X, c.Min.Y*size.Y/full.Y, (c.Max.X*size.X)/full.X+1, (c.Max.Y*size.Y)/full.Y+1).Intersect(marks.Rect)
		for y := c.Min.Y; y < c.Max.Y; y++ {
			clear(marks.Pix[y*marks.Stride+c.Min.X : y*marks.Stride+c.Max.X])
		}
	}
	var blobs []image.Rectangle
	for y := range size.Y {
		for x := range size.X {
			if marks.Pix[y*marks.Stride+x] != 0 {
				b := fill(marks, image.Pt(x, y))
				blobs = append(blobs, image.Rect(b.Min.X*full.X/size.X, b.Min.Y*full.Y/size.Y, b.Max.X*full.X/size.X, b.Max.Y*full.Y/size.Y))
			}
		}
	}
	return blobs
}

// fill removes the marks that are connected to one, and returns the box around them.
func fill(marks *image.Gray, from image.Point) image.Rectangle {
	box := image.Rectangle{from, from.Add(image.Pt(1, 1))}
	for open := take(marks, box, nil); len(open) > 0; {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		box = box.Union(image.Rectangle{p, p.Add(image.Pt(1, 1))})
		const reach = 2
		near := image.Rect(p.X-reach, p.Y-reach, p.X+reach+1, p.Y+reach+1)
		open = take(marks, near.Intersect(marks.Rect), open)
	}
	return box
}

// take removes the marks in r, and appends them to found.
func take(marks *image.Gray, r image.Rectangle, found []image.Point) []image.Point {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if at := y*marks.Stride + x; marks.Pix[at] != 0 {
				marks.Pix[at] = 0
				found = append(found, image.Pt(x, y))
			}
		}
	}
	return found
}
