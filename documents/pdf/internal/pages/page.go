package pages

import (
	"portside/documents"
	"portside/documents/pdf/internal/filters"
	"portside/documents/pdf/internal/geometry"
	"portside/documents/pdf/internal/syntax"
	"portside/documents/pdf/internal/xref"
)

// Frame is how a page appears: rotated, with its top left corner as the origin and y pointing down.
type Frame struct {
	Matrix        geometry.Matrix // from the user space of the page to points in the frame
	Width, Height float64         // in points
}

// Frame returns the frame of the page. A page without a box has the size US Letter.
func (p Page) Frame(objects syntax.Resolver) Frame {
	corners := [4]float64{0, 0, 612, 792}
	if box := objects.Array(p.Box); len(box) == 4 {
		for i := range corners {
			corners[i] = objects.Number(box[i], corners[i])
		}
	}
	left, right := min(corners[0], corners[2]), max(corners[0], corners[2])
	bottom, top := min(corners[1], corners[3]), max(corners[1], corners[3])
	width, height := right-left, top-bottom
	switch degrees := objects.Int(p.Rotate, 0) % 360; (degrees + 360) % 360 {
	case 90:
		return Frame{geometry.Matrix{0, 1, 1, 0, -bottom, -left}, height, width}
	case 180:
		return Frame{geometry.Matrix{-1, 0, 0, 1, right, -bottom}, width, height}
	case 270:
		return Frame{geometry.Matrix{0, -1, -1, 0, top, right}, height, width}
	}
	return Frame{geometry.Matrix{1, 0, 0, -1, -left, top}, width, height}
}

// Contents returns the content of the page: its content streams, decoded and joined with line breaks,
// because no token may span two streams. It returns the data in front of an error with the error.
func (p Page) Contents(f *xref.File) ([]byte, error) {
	const maxStreams = 10_000
	contents := p.Dict["Contents"]
	if s := f.Objects.Stream(contents); s != nil {
		return f.Decoder.Decode(s)
	}
	noteMissing(f, contents)
	var all []byte
	streams := f.Objects.Array(contents)
	for _, o := range streams[:min(len(streams), maxStreams)] {
		s := f.Objects.Stream(o)
		if s == nil {
			noteMissing(f, o)
			continue
		}
		data, err := f.Decoder.Decode(s)
		if err != nil {
			return all, err
		}
		if all = append(append(all, data...), '\n'); len(all) > filters.MaxStreamBytes {
			return all, documents.ErrTooMuch
		}
	}
	return all, nil
}

// noteMissing records a loss if an object should be a content stream and is neither that nor an array.
func noteMissing(f *xref.File, o any) {
	switch f.Objects.Resolve(o).(type) {
	case nil:
		f.Expect(o)
	case syntax.Array:
	default:
		f.Damage.Lost = true
	}
}
