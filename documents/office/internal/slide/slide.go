// Package slide puts the shapes of a slide into the order in which people read them.
package slide

import (
	"cmp"
	"slices"

	"portside/documents/office/internal/flow"
)

// Place is the position of a placeholder in a layout. Slides inherit it.
type Place struct{ Left, Top int }

// Placeholder is the role that a layout gives to a shape.
type Placeholder struct {
	Is          bool
	Kind, Index string
}

// Role returns the type of the placeholder, or the usual one.
func (h Placeholder) Role() string {
	switch h.Kind {
	case "ctrTitle":
		return "title"
	case "", "obj":
		return "body"
	}
	return h.Kind
}

// Shape is a shape or a group of shapes, with its text.
type Shape struct {
	At     Place
	Placed bool
	Holder Placeholder
	Said   flow.Collector
	Inner  []*Shape
}

// MaxShapes bounds the shapes with text on a slide. All are in memory until they are sorted.
const MaxShapes = 50_000

// sameRow is how far apart, in EMU, the tops of shapes in one row may be: 0.3 inch.
const sameRow = 274_320

// Pour adds the texts in reading order: the title, then from top to bottom.
func (sh *Shape) Pour(out flow.Sink) error {
	if err := sh.Said.Pour(out); err != nil {
		return err
	}
	for _, each := range ordered(sh.Inner) {
		if err := each.Pour(out); err != nil {
			return err
		}
	}
	return nil
}

func ordered(shapes []*Shape) []*Shape {
	slices.SortStableFunc(shapes, func(a, b *Shape) int {
		if c := cmp.Compare(rank(a), rank(b)); c != 0 {
			return c
		}
		return cmp.Compare(a.At.Top, b.At.Top)
	})
	for from := 0; from < len(shapes); {
		to := from + 1
		for to < len(shapes) && rank(shapes[to]) == rank(shapes[from]) && shapes[to].At.Top-shapes[from].At.Top < sameRow {
			to++
		}
		slices.SortStableFunc(shapes[from:to], func(a, b *Shape) int { return cmp.Compare(a.At.Left, b.At.Left) })
		from = to
	}
	return shapes
}

func rank(sh *Shape) int {
	switch {
	case sh.Holder.Is && sh.Holder.Role() == "title":
		return 0
	case sh.Holder.Is && sh.Holder.Role() == "ftr", sh.Holder.Is && sh.Holder.Role() == "dt":
		return 2
	}
	return 1
}
