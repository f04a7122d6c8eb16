package office

import (
	"strconv"
	"strings"

	"portside/documents"
)

func readODP(a *archive) error {
	o, err := openODF(a)
	if err != nil {
		return err
	}
	added := map[string]bool{}
	return o.body(func(s *scanner, e element) error {
		if e.name != "page" {
			return nil
		}
		if o.styles.style("drawing-page", e.attr("style-name")).hidden {
			a.into.Warn("Hidden slides were left out.")
			return nil
		}
		if !a.into.Page() {
			return errLastPage
		}
		r := &odpSlide{o: o, s: s, added: added}
		failed := r.shapes(&r.tree)
		if err := r.tree.pour(&plain{a}); err != nil {
			return err
		}
		if err := r.notes.pour(&plain{a}); err != nil {
			return err
		}
		return failed
	})
}

// odpSlide reads the shapes of a slide and the notes on it.
type odpSlide struct {
	o           *odf
	s           *scanner
	tree, notes shape
	added       map[string]bool
	count       int
}

func (r *odpSlide) shapes(into *shape) error {
	return r.s.children(func(e element) error {
		switch {
		case leftOut(e):
			return nil
		case e.name == "notes":
			return r.shapes(&r.notes)
		case e.name == "g" || e.name == "a":
			return r.shapes(into)
		}
		return r.shape(e, into)
	})
}

func (r *odpSlide) shape(e element, into *shape) error {
	sh := &shape{at: place{left: emu(e.attr("x")), top: emu(e.attr("y"))}}
	sh.said.limits = r.o.into.Limits
	class := e.attr("class")
	err := r.o.flow(r.s, &sh.said)
	if sh.said.isEmpty() {
		return err
	}
	text, rows := sh.said.words()
	switch class {
	case "page-number":
		return err
	case "date-time", "footer", "header":
		if r.added[text] {
			return err
		}
		r.added[text] = true
		sh.holder = placeholder{is: true, kind: "ftr"}
	case "title":
		sh.holder = placeholder{is: true, kind: "title"}
		title := documents.Block{Kind: documents.Heading, Level: 1, Text: strings.ReplaceAll(text, "\n", " ")}
		sh.said.blocks = append([]documents.Block{title}, rows...)
	}
	if r.count++; r.count > maxShapes {
		return documents.ErrTooMuch
	}
	into.inner = append(into.inner, sh)
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
