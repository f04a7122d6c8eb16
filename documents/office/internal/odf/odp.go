package odf

import (
	"strconv"
	"strings"

	"portside/documents"
	"portside/documents/office/internal/flow"
	"portside/documents/office/internal/parts"
	"portside/documents/office/internal/slide"
)

// ReadODP reads a presentation.
func ReadODP(a *parts.Archive) error {
	o, err := newReader(a)
	if err != nil {
		return err
	}
	added := map[string]bool{}
	return o.body(func(s *parts.Scanner, e parts.Element) error {
		if e.Name != "page" {
			return nil
		}
		if o.styles.style("drawing-page", e.Attr("style-name")).hidden {
			a.Into.Warn("Hidden slides were left out.")
			return nil
		}
		if !a.Into.Page() {
			return parts.ErrLastPage
		}
		r := &slideReader{o: o, s: s, added: added}
		failed := r.shapes(&r.tree)
		if err := r.tree.Pour(flow.NewPlain(a)); err != nil {
			return err
		}
		if err := r.notes.Pour(flow.NewPlain(a)); err != nil {
			return err
		}
		return failed
	})
}

// slideReader reads the shapes of a slide and the notes on it.
type slideReader struct {
	o           *reader
	s           *parts.Scanner
	tree, notes slide.Shape
	added       map[string]bool
	count       int
}

func (r *slideReader) shapes(into *slide.Shape) error {
	return r.s.Children(func(e parts.Element) error {
		switch {
		case r.o.leftOut(e):
			return nil
		case e.Name == "notes":
			return r.shapes(&r.notes)
		case e.Name == "g" || e.Name == "a":
			return r.shapes(into)
		}
		return r.shape(e, into)
	})
}

func (r *slideReader) shape(e parts.Element, into *slide.Shape) error {
	sh := &slide.Shape{At: slide.Place{Left: emu(e.Attr("x")), Top: emu(e.Attr("y"))}}
	sh.Said.Limits = r.o.into.Limits
	class := e.Attr("class")
	err := r.o.flow(r.s, &sh.Said)
	if sh.Said.IsEmpty() {
		return err
	}
	text, rows := sh.Said.Words()
	switch class {
	case "page-number":
		return err
	case "date-time", "footer", "header":
		if r.added[text] {
			return err
		}
		r.added[text] = true
		sh.Holder = slide.Placeholder{Is: true, Kind: "ftr"}
	case "title":
		sh.Holder = slide.Placeholder{Is: true, Kind: "title"}
		title := documents.Block{Kind: documents.Heading, Level: 1, Text: strings.ReplaceAll(text, "\n", " ")}
		sh.Said.Blocks = append([]documents.Block{title}, rows...)
	}
	if r.count++; r.count > slide.MaxShapes {
		return documents.ErrTooMuch
	}
	into.Inner = append(into.Inner, sh)
	return err
}

// emu converts a length of OpenDocument to English Metric Units, 914,400 to the inch.
func emu(length string) int {
	units := map[string]float64{"cm": 360_000, "mm": 36_000, "in": 914_400, "pt": 12_700, "pc": 152_400, "px": 9_525}
	if len(length) < 3 {
		return 0
	}
	at := len(length) - 2
	n, err := strconv.ParseFloat(length[:at], 64)
	if err != nil {
		return 0
	}
	return int(n * units[length[at:]])
}
