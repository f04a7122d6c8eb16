package office

import (
	"strconv"
	"strings"
)

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
	lists   map[string]list
	outline list // the numbering of headings
	limit   int
}

func newODFStyles(limit int) *odfStyles {
	return &odfStyles{styles: map[string]odfStyle{}, lists: map[string]list{}, limit: limit}
}

// visit reads the styles in an element, at any depth.
func (o *odfStyles) visit(s *scanner, e element) error {
	switch e.name {
	case "style":
		if len(o.styles) >= o.limit {
			return nil
		}
		key := e.id("family") + " " + e.id("name")
		style := odfStyle{parent: e.id("parent-style-name")}
		// A paragraph that changes the master page also begins a page.
		style.breakBefore = e.attr("master-page-name") != ""
		err := s.children(func(e element) error {
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
		o.lists[e.id("name")] = l
		return err
	case "outline-style":
		l, err := readODFList(s)
		o.outline = l
		return err
	case "master-styles", "body":
		return nil
	}
	return s.children(func(child element) error { return o.visit(s, child) })
}

func (o *odfStyle) property(e element) {
	switch e.name {
	case "paragraph-properties":
		o.breakBefore = o.breakBefore || e.attr("break-before") == "page"
		o.breakAfter = e.attr("break-after") == "page"
	case "table-properties":
		o.hidden = e.attr("display") == "false"
	case "drawing-page-properties":
		o.hidden = e.attr("visibility") == "hidden"
	}
}

func (o *odfStyles) style(family, name string) odfStyle { return o.styles[family+" "+name] }

// descends reports whether a paragraph style has one of the names or is derived from a style that has.
func (o *odfStyles) descends(style, from string) bool {
	for range ancient {
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

func readODFList(s *scanner) (list, error) {
	var l list
	err := s.children(func(e element) error {
		at := e.number("level", 0) - 1
		if at < 0 || at >= depth {
			return nil
		}
		if e.name == "list-level-style-number" || e.name == "outline-level-style" {
			l.levels[at] = odfLevel(e, at)
		}
		return nil
	})
	return l, err
}

func odfLevel(e element, at int) level {
	read := level{start: e.number("start-value", 1)}
	switch e.attr("num-format") {
	case "":
		return read
	case "a":
		read.format = "lowerLetter"
	case "A":
		read.format = "upperLetter"
	case "i":
		read.format = "lowerRoman"
	case "I":
		read.format = "upperRoman"
	default:
		read.format = "decimal"
	}
	read.pattern = odfPattern(e, at)
	return read
}

// odfPattern returns the pattern of a level in Word's notation. LibreOffice stores the pattern, other programs its parts.
func odfPattern(e element, at int) string {
	if stated := e.id("num-list-format"); stated != "" {
		for i := range depth {
			n := "%" + strconv.Itoa(i+1)
			stated = strings.ReplaceAll(stated, n+"%", n)
		}
		return stated
	}
	shown := min(max(e.number("display-levels", 1), 1), at+1)
	var numbers []string
	for i := at - shown + 1; i <= at; i++ {
		numbers = append(numbers, "%"+strconv.Itoa(i+1))
	}
	return e.id("num-prefix") + strings.Join(numbers, ".") + e.id("num-suffix")
}
