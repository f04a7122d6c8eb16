// Package pptx reads PowerPoint presentations.
package pptx

import (
	"portside/documents"
	"portside/documents/office/internal/flow"
	"portside/documents/office/internal/parts"
	"portside/documents/office/internal/slide"
)

// reader reads the parts of a presentation.
type reader struct {
	a       *parts.Archive
	into    *documents.Builder
	layouts map[string]places
	added   map[string]bool // footers, which every slide repeats
}

// Read reads a presentation.
func Read(a *parts.Archive) error {
	part, err := a.MainPart("ppt/presentation.xml")
	if err != nil {
		return err
	}
	related, err := a.Relations(part)
	if err != nil {
		return err
	}
	order, err := slideOrder(a, part)
	if err != nil {
		return err
	}
	p := &reader{a: a, into: a.Into, layouts: map[string]places{}, added: map[string]bool{}}
	for _, id := range order {
		r, ok := related.ByID(id)
		if !ok {
			continue
		}
		if err := a.Tolerate(p.slide(r.Target)); err != nil {
			return err
		}
	}
	return nil
}

// slideOrder returns the relationships of the slides in the order of the presentation.
func slideOrder(a *parts.Archive, part string) ([]string, error) {
	var ids []string
	err := parts.Must(a.Walk(part, func(s *parts.Scanner, _ parts.Element) error {
		return s.Children(func(e parts.Element) error {
			if e.Name != "sldIdLst" {
				return nil
			}
			return s.Children(func(e parts.Element) error {
				if len(ids) <= a.Into.Limits.Objects/10 {
					ids = append(ids, e.Reference("id"))
				}
				return nil
			})
		})
	}))
	return ids, err
}

func (p *reader) slide(part string) error {
	related, err := p.a.Relations(part)
	if err != nil {
		return err
	}
	above, err := p.layout(related.Target("slideLayout"))
	if err != nil {
		return err
	}
	hidden := false
	tree := &slide.Shape{}
	failed := p.a.Walk(part, func(s *parts.Scanner, root parts.Element) error {
		if hidden = root.Attr("show") == "0" || root.Attr("show") == "false"; hidden {
			return nil
		}
		return (&slideReader{p: p, s: s, related: related, above: above}).tree(tree)
	})
	if hidden {
		p.into.Warn("Hidden slides were left out.")
		return nil
	}
	if !p.into.Page() {
		return parts.ErrLastPage
	}
	if err := tree.Pour(flow.NewPlain(p.a)); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return p.notes(related.Target("notesSlide"))
}

// notes reads the speaker's notes, without the picture of the slide and the fields around it.
func (p *reader) notes(part string) error {
	if part == "" {
		return nil
	}
	related, err := p.a.Relations(part)
	if err != nil {
		return err
	}
	tree := &slide.Shape{}
	err = p.a.WalkOptional(part, func(s *parts.Scanner, _ parts.Element) error {
		return (&slideReader{p: p, s: s, related: related, notes: true}).tree(tree)
	})
	if err != nil {
		return err
	}
	return tree.Pour(flow.NewPlain(p.a))
}

// places are the placeholders of a layout and of its master, by index and by type.
type places map[string]slide.Place

func (p *reader) layout(part string) (places, error) {
	if part == "" {
		return places{}, nil
	}
	if known, ok := p.layouts[part]; ok {
		return known, nil
	}
	found := places{}
	p.layouts[part] = found
	related, err := p.a.Relations(part)
	if err != nil {
		return nil, err
	}
	for _, each := range []string{related.Target("slideMaster"), part} {
		if each == "" {
			continue
		}
		err := p.a.WalkOptional(each, func(s *parts.Scanner, _ parts.Element) error {
			return (&slideReader{p: p, s: s, places: found}).tree(&slide.Shape{})
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// of returns the position that a placeholder inherits.
func (p places) of(h slide.Placeholder) (slide.Place, bool) {
	if at, ok := p["#"+h.Index]; ok && h.Index != "" {
		return at, true
	}
	at, ok := p[h.Role()]
	return at, ok
}

func (p places) note(h slide.Placeholder, at slide.Place) {
	if h.Index != "" {
		p["#"+h.Index] = at
	}
	p[h.Role()] = at
}
