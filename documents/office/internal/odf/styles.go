package odf

import (
	"strconv"
	"strings"

	"portside/documents/office/internal/flow"
	"portside/documents/office/internal/parts"
)

const ancestors = 20 // generations of styles that are looked through, which also ends circles

// odfStyle is a style, as far as it determines the role of an element.
type odfStyle struct {
	parent      string
	breakBefore bool
	breakAfter  bool
	hidden      bool // of a sheet or a slide
}

// odfStyles are the styles of a document by family and name, and its list styles.
type odfStyles struct {
	styles  map[string]odfStyle
	lists   map[string]flow.List
	outline flow.List // the numbering of headings
	limit   int
}

func newODFStyles(limit int) *odfStyles {
	return &odfStyles{styles: map[string]odfStyle{}, lists: map[string]flow.List{}, limit: limit}
}

// visit reads the styles in an element, at any depth.
func (o *odfStyles) visit(s *parts.Scanner, e parts.Element) error {
	switch e.Name {
	case "style":
		if len(o.styles) >= o.limit {
			return nil
		}
		key := e.ID("family") + " " + e.ID("name")
		style := odfStyle{parent: e.ID("parent-style-name")}
		// A paragraph that changes the master page also begins a page.
		style.breakBefore = e.Attr("master-page-name") != ""
		err := s.Children(func(e parts.Element) error {
			style.property(e)
			return nil
		})
		o.styles[key] = style
		return err
	case "list-style":
		if len(o.lists) >= o.limit/100 {
			return nil
		}
		l, err := readODFList(s)
		o.lists[e.ID("name")] = l
		return err
	case "outline-style":
		l, err := readODFList(s)
		o.outline = l
		return err
	case "master-styles", "body":
		return nil
	}
	return s.Children(func(child parts.Element) error { return o.visit(s, child) })
}

func (o *odfStyle) property(e parts.Element) {
	switch e.Name {
	case "paragraph-properties":
		o.breakBefore = o.breakBefore || e.Attr("break-before") == "page"
		o.breakAfter = e.Attr("break-after") == "page"
	case "table-properties":
		o.hidden = e.Attr("display") == "false"
	case "drawing-page-properties":
		o.hidden = e.Attr("visibility") == "hidden"
	}
}

func (o *odfStyles) style(family, name string) odfStyle { return o.styles[family+" "+name] }

// descends reports whether a paragraph style has one of the names or is derived from a style that has.
func (o *odfStyles) descends(style, from string) bool {
	for range ancestors {
		if style == from {
			return true
		}
		if style == "" {
			return false
		}
		style = o.style("paragraph", style).parent
	}
	return false
}

func readODFList(s *parts.Scanner) (flow.List, error) {
	var l flow.List
	err := s.Children(func(e parts.Element) error {
		at := e.Number("level", 0) - 1
		if at < 0 || at >= flow.Depth {
			return nil
		}
		if e.Name == "list-level-style-number" || e.Name == "outline-level-style" {
			l.Levels[at] = odfLevel(e, at)
		}
		return nil
	})
	return l, err
}

func odfLevel(e parts.Element, at int) flow.Level {
	read := flow.Level{Start: e.Number("start-value", 1)}
	switch e.Attr("num-format") {
	case "":
		return read
	case "a":
		read.Format = "lowerLetter"
	case "A":
		read.Format = "upperLetter"
	case "i":
		read.Format = "lowerRoman"
	case "I":
		read.Format = "upperRoman"
	default:
		read.Format = "decimal"
	}
	read.Pattern = odfPattern(e, at)
	return read
}

// odfPattern returns the pattern of a level in Word's notation. LibreOffice stores the pattern, other programs its
// parts.
func odfPattern(e parts.Element, at int) string {
	if stated := e.ID("num-list-format"); stated != "" {
		for i := range flow.Depth {
			n := "%" + strconv.Itoa(i+1)
			stated = strings.ReplaceAll(stated, n+"%", n)
		}
		return stated
	}
	shown := min(max(e.Number("display-levels", 1), 1), at+1)
	var numbers []string
	for i := at - shown + 1; i <= at; i++ {
		numbers = append(numbers, "%"+strconv.Itoa(i+1))
	}
	return e.ID("num-prefix") + strings.Join(numbers, ".") + e.ID("num-suffix")
}
