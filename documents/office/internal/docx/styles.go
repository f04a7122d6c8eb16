package docx

import (
	"strconv"
	"strings"

	"portside/documents/office/internal/flow"
	"portside/documents/office/internal/parts"
)

// wordStyle is a paragraph style, as far as it determines the role of a paragraph.
type wordStyle struct {
	name    string
	basedOn string
	outline int    // from 0; -1 says nothing, 9 and more is body text
	number  string // ID of the numbering; "" if not set, "0" for no numbering
	level   int    // of the numbering; -1 says nothing
}

const (
	unset   = -1
	bodies  = 9  // outline levels that are headings
	ancient = 20 // generations of styles that are looked through, which also ends circles
)

type wordStyles map[string]wordStyle

func readWordStyles(a *parts.Archive, part string) (wordStyles, error) {
	styles := wordStyles{}
	err := a.WalkOptional(part, func(s *parts.Scanner, _ parts.Element) error {
		return s.Children(func(e parts.Element) error {
			if e.Name != "style" || len(styles) >= a.Into.Limits.Objects {
				return nil
			}
			style, err := readWordStyle(s)
			styles[e.ID("styleId")] = style
			return err
		})
	})
	return styles, err
}

func readWordStyle(s *parts.Scanner) (wordStyle, error) {
	style := wordStyle{outline: unset, level: unset}
	err := s.Children(func(e parts.Element) error {
		switch e.Name {
		case "name":
			style.name = strings.ToLower(e.Attr("val"))
		case "basedOn":
			style.basedOn = e.ID("val")
		case "pPr":
			return s.Children(func(e parts.Element) error {
				return style.property(s, e)
			})
		}
		return nil
	})
	return style, err
}

// property reads a property that styles and paragraphs share.
func (w *wordStyle) property(s *parts.Scanner, e parts.Element) error {
	switch e.Name {
	case "outlineLvl":
		w.outline = e.Number("val", unset)
	case "numPr":
		return s.Children(func(e parts.Element) error {
			switch e.Name {
			case "numId":
				w.number = e.ID("val")
			case "ilvl":
				w.level = e.Number("val", unset)
			}
			return nil
		})
	}
	return nil
}

// resolve completes the properties of a paragraph by those of its style and the styles that it is based on. The heading
// level is 0 for body text. The second result is the style that the numbering comes from.
func (w wordStyles) resolve(own wordStyle, id string) (resolved wordStyle, heading int, from string) {
	resolved = own
	for range ancient {
		style, ok := w[id]
		if !ok {
			break
		}
		if heading == 0 && resolved.outline == unset {
			heading = headingByName(style.name)
		}
		if resolved.outline == unset {
			resolved.outline = style.outline
		}
		if resolved.number == "" && style.number != "" {
			resolved.number, from = style.number, id
			resolved.level = max(resolved.level, style.level)
		}
		id = style.basedOn
	}
	if heading == 0 && resolved.outline != unset && resolved.outline < bodies {
		heading = resolved.outline + 1
	}
	return resolved, heading, from
}

// headingByName returns the heading level of a style by its name, which Word keeps in English in every language. IDs
// are translated.
func headingByName(name string) int {
	switch name {
	case "title":
		return 1
	case "subtitle":
		return 2
	}
	rest, ok := strings.CutPrefix(name, "heading ")
	n, err := strconv.Atoi(rest)
	if !ok || err != nil || n < 1 || n > bodies {
		return 0
	}
	return n
}

// wordNumber is a numbering that paragraphs refer to. Several numberings may continue the same list.
type wordNumber struct {
	list   *flow.List
	starts map[int]int // levels that begin anew where this numbering is first used
}

type wordNumbers map[string]*wordNumber

func readWordNumbers(a *parts.Archive, part string) (wordNumbers, error) {
	lists, numbers := map[string]*flow.List{}, wordNumbers{}
	err := a.WalkOptional(part, func(s *parts.Scanner, _ parts.Element) error {
		return s.Children(func(e parts.Element) error {
			if len(lists)+len(numbers) >= a.Into.Limits.Objects/10 {
				return nil
			}
			switch e.Name {
			case "abstractNum":
				l, err := readWordList(s)
				lists[e.ID("abstractNumId")] = l
				return err
			case "num":
				n, err := readWordNumber(s, lists)
				numbers[e.ID("numId")] = n
				return err
			}
			return nil
		})
	})
	return numbers, err
}

func readWordList(s *parts.Scanner) (*flow.List, error) {
	l := &flow.List{}
	err := s.Children(func(e parts.Element) error {
		if e.Name != "lvl" {
			return nil
		}
		at := e.Number("ilvl", unset)
		read, err := readWordLevel(s)
		if at >= 0 && at < flow.Depth {
			l.Levels[at] = read
		}
		return err
	})
	return l, err
}

func readWordLevel(s *parts.Scanner) (flow.Level, error) {
	read := flow.Level{Format: "decimal"}
	err := s.Children(func(e parts.Element) error {
		switch e.Name {
		case "start":
			read.Start = e.Number("val", 0)
		case "numFmt":
			read.Format = e.Attr("val")
		case "lvlText":
			read.Pattern = e.ID("val")
		case "pStyle":
			read.Style = e.ID("val")
		}
		return nil
	})
	if read.Format == "bullet" {
		read.Format = ""
	}
	return read, err
}

func readWordNumber(s *parts.Scanner, lists map[string]*flow.List) (*wordNumber, error) {
	n := &wordNumber{list: &flow.List{}, starts: map[int]int{}}
	err := s.Children(func(e parts.Element) error {
		switch e.Name {
		case "abstractNumId":
			if l, ok := lists[e.ID("val")]; ok {
				n.list = l
			}
		case "lvlOverride":
			at := e.Number("ilvl", unset)
			return s.Children(func(e parts.Element) error {
				if e.Name == "startOverride" && at >= 0 && at < flow.Depth {
					n.starts[at] = e.Number("val", 0)
				}
				return nil
			})
		}
		return nil
	})
	return n, err
}

// label counts a paragraph and returns its level and its number or bullet.
func (w wordNumbers) label(style wordStyle, from string) (at int, label string) {
	at = max(style.level, 0)
	n, ok := w[style.number]
	if !ok {
		return at, ""
	}
	if style.level == unset {
		at = n.levelOf(from)
	}
	if start, ok := n.starts[at]; ok {
		n.list.Restart(at, start)
		delete(n.starts, at)
	}
	return at, n.list.Next(at)
}

func (n *wordNumber) levelOf(style string) int {
	for i := range n.list.Levels {
		if style != "" && n.list.Levels[i].Style == style {
			return i
		}
	}
	return 0
}
