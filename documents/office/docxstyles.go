package office

import (
	"strconv"
	"strings"
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

func (a *archive) wordStyles(part string) (wordStyles, error) {
	styles := wordStyles{}
	err := a.walkOptional(part, func(s *scanner, _ element) error {
		return s.children(func(e element) error {
			if e.name != "style" || len(styles) >= a.into.Limits.Objects {
				return nil
			}
			style, err := readWordStyle(s)
			styles[e.id("styleId")] = style
			return err
		})
	})
	return styles, err
}

func readWordStyle(s *scanner) (wordStyle, error) {
	style := wordStyle{outline: unset, level: unset}
	err := s.children(func(e element) error {
		switch e.name {
		case "name":
			style.name = strings.ToLower(e.attr("val"))
		case "basedOn":
			style.basedOn = e.id("val")
		case "pPr":
			return s.children(func(e element) error {
				return style.property(s, e)
			})
		}
		return nil
	})
	return style, err
}

// property reads a property that styles and paragraphs share.
func (w *wordStyle) property(s *scanner, e element) error {
	switch e.name {
	case "outlineLvl":
		w.outline = e.number("val", unset)
	case "numPr":
		return s.children(func(e element) error {
			switch e.name {
			case "numId":
				w.number = e.id("val")
			case "ilvl":
				w.level = e.number("val", unset)
			}
			return nil
		})
	}
	return nil
}

// resolve completes the properties of a paragraph by those of its style and the styles that it is based on. The heading level is
// 0 for body text. The second result is the style that the numbering comes from.
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

// headingByName returns the heading level of a style by its name, which Word keeps in English in every language. IDs are
// translated.
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
	list   *list
	starts map[int]int // levels that begin anew where this numbering is first used
}

type wordNumbers map[string]*wordNumber

func (a *archive) wordNumbers(part string) (wordNumbers, error) {
	lists, numbers := map[string]*list{}, wordNumbers{}
	err := a.walkOptional(part, func(s *scanner, _ element) error {
		return s.children(func(e element) error {
			if len(lists)+len(numbers) >= a.into.Limits.Objects/10 {
				return nil
			}
			switch e.name {
			case "abstractNum":
				l, err := readWordList(s)
				lists[e.id("abstractNumId")] = l
				return err
			case "num":
				n, err := readWordNumber(s, lists)
				numbers[e.id("numId")] = n
				return err
			}
			return nil
		})
	})
	return numbers, err
}

func readWordList(s *scanner) (*list, error) {
	l := &list{}
	err := s.children(func(e element) error {
		if e.name != "lvl" {
			return nil
		}
		at := e.number("ilvl", unset)
		read, err := readWordLevel(s)
		if at >= 0 && at < depth {
			l.levels[at] = read
		}
		return err
	})
	return l, err
}

func readWordLevel(s *scanner) (level, error) {
	read := level{format: "decimal"}
	err := s.children(func(e element) error {
		switch e.name {
		case "start":
			read.start = e.number("val", 0)
		case "numFmt":
			read.format = e.attr("val")
		case "lvlText":
			read.pattern = e.id("val")
		case "pStyle":
			read.style = e.id("val")
		}
		return nil
	})
	if read.format == "bullet" {
		read.format = ""
	}
	return read, err
}

func readWordNumber(s *scanner, lists map[string]*list) (*wordNumber, error) {
	n := &wordNumber{list: &list{}, starts: map[int]int{}}
	err := s.children(func(e element) error {
		switch e.name {
		case "abstractNumId":
			if l, ok := lists[e.id("val")]; ok {
				n.list = l
			}
		case "lvlOverride":
			at := e.number("ilvl", unset)
			return s.children(func(e element) error {
				if e.name == "startOverride" && at >= 0 && at < depth {
					n.starts[at] = e.number("val", 0)
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
		n.list.restart(at, start)
		delete(n.starts, at)
	}
	return at, n.list.next(at)
}

func (n *wordNumber) levelOf(style string) int {
	for i := range n.list.levels {
		if style != "" && n.list.levels[i].style == style {
			return i
		}
	}
	return 0
}
