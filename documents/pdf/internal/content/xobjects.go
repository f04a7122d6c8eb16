package content

import (
	"portside/documents/pdf/internal/geometry"
	"portside/documents/pdf/internal/syntax"
)

// form is a form XObject (ISO 32000-1, 8.10), decoded.
type form struct {
	content   []byte
	matrix    geometry.Matrix
	resources syntax.Dict
}

// paintXObject executes the operator Do: it notes an image, or paints a form.
func (in *Interpreter) paintXObject(resources syntax.Dict) error {
	objects := in.doc.file.Objects
	object := objects.Dict(resources["XObject"])[string(in.operands.last().Bytes)]
	number := syntax.ObjectNumber(object)
	if in.depth >= maxFormDepth || in.painting[number] {
		return nil
	}
	s := objects.Stream(object)
	switch {
	case s == nil:
		in.doc.file.Expect(object)
		return nil
	case objects.Name(s.Dict["Subtype"]) == "Image":
		if len(in.Images) < maxImages {
			in.Images = append(in.Images, Image{s, in.state.ctm})
		}
		return nil
	}
	return in.paintForm(number, s, resources)
}

// PaintForm paints a form XObject on the page, outside of the page's content. ctm maps the space around
// the form to the frame of the page.
func (in *Interpreter) PaintForm(number int, s *syntax.Stream, ctm geometry.Matrix) error {
	in.state, in.saved = newGraphicsState(ctm), nil
	return in.paintForm(number, s, nil)
}

// paintForm paints a form, and restores the graphics state. A form without resources uses those of its
// parent.
func (in *Interpreter) paintForm(number int, s *syntax.Stream, parentResources syntax.Dict) error {
	f, err := in.doc.form(number, s)
	if err != nil {
		return err
	}
	state, saved := in.state, in.saved
	if next := f.matrix.Times(in.state.ctm); next.IsUsable() {
		in.state.ctm = next
	}
	in.depth, in.painting[number], in.saved = in.depth+1, number != 0, nil
	resources := f.resources
	if resources == nil {
		resources = parentResources
	}
	err = in.Run(f.content, resources)
	in.depth, in.painting[number], in.saved, in.state = in.depth-1, false, saved, state
	return err
}

// form decodes a form.
func (d *Document) form(number int, s *syntax.Stream) (*form, error) {
	if known, ok := d.forms.Get(number); ok && number != 0 {
		return known, nil
	}
	content, err := d.file.Decoder.Decode(s)
	if err != nil {
		return nil, err
	}
	f := &form{
		content: content, matrix: MatrixOf(d.file.Objects, s.Dict["Matrix"]),
		resources: d.file.Objects.Dict(s.Dict["Resources"]),
	}
	d.file.Expect(s.Dict["Resources"])
	d.forms.Put(number, f, len(content))
	return f, nil
}

// MatrixOf returns the matrix in an array, or the identity for another object.
func MatrixOf(objects syntax.Resolver, o any) geometry.Matrix {
	elements := objects.Array(o)
	if len(elements) != len(geometry.Matrix{}) {
		return geometry.Identity
	}
	var m geometry.Matrix
	for i := range elements {
		m[i] = objects.Number(elements[i], 0)
	}
	return m
}
