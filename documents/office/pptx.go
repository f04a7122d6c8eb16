package office

import (
	"portside/documents"
)

// pptx reads the parts of a presentation.
type pptx struct {
	a       *archive
	into    *documents.Builder
	layouts map[string]places
	added   map[string]bool // footers, which every slide repeats
}

func readPPTX(a *archive) error {
	part, err := a.mainPart("ppt/presentation.xml")
	if err != nil {
		return err
	}
	related, err := a.relations(part)
	if err != nil {
		return err
	}
	order, err := a.slideOrder(part)
	if err != nil {
		return err
	}
	p := &pptx{a: a, into: a.into, layouts: map[string]places{}, added: map[string]bool{}}
	for _, id := range order {
		r, ok := related.byID(id)
		if !ok {
			continue
		}
		if err := a.tolerate(p.slide(r.target)); err != nil {
			return err
		}
	}
	return nil
}

// slideOrder returns the relationships of the slides in the order of the presentation.
func (a *archive) slideOrder(part string) ([]string, error) {
	var ids []string
	err := must(a.walk(part, func(s *scanner, _ element) error {
		return s.children(func(e element) error {
			if e.name != "sldIdLst" {
				return nil
			}
			return s.children(func(e element) error {
				if len(ids) <= a.into.Limits.Objects/10 {
					ids = append(ids, e.reference("id"))
				}
				return nil
			})
		})
	}))
	return ids, err
}

func (p *pptx) slide(part string) error {
	related, err := p.a.relations(part)
	if err != nil {
		return err
	}
	above, err := p.layout(related.target("slideLayout"))
	if err != nil {
		return err
	}
	hidden := false
	tree := &shape{}
	failed := p.a.walk(part, func(s *scanner, root element) error {
		if hidden = root.attr("show") == "0" || root.attr("show") == "false"; hidden {
			return nil
		}
		return (&slideReader{p: p, s: s, related: related, above: above}).tree(tree)
	})
	if hidden {
		p.into.Warn("Hidden slides were left out.")
		return nil
	}
	if !p.into.Page() {
		return errLastPage
	}
	if err := tree.pour(&plain{p.a}); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return p.notes(related.target("notesSlide"))
}

// notes reads the speaker's notes, without the picture of the slide and the fields around it.
func (p *pptx) notes(part string) error {
	if part == "" {
		return nil
	}
	related, err := p.a.relations(part)
	if err != nil {
		return err
	}
	tree := &shape{}
	err = p.a.walkOptional(part, func(s *scanner, _ element) error {
		return (&slideReader{p: p, s: s, related: related, notes: true}).tree(tree)
	})
	if err != nil {
		return err
	}
	return tree.pour(&plain{p.a})
}

// plain is the sink for content without page breaks.
type plain struct{ a *archive }

func (p *plain) add(block documents.Block) error { return p.a.into.Add(block) }

func (p *plain) picture(part string) { p.a.picture(part) }

func (*plain) turn(bool) error { return nil }

// place is the position of a placeholder in a layout. Slides inherit it.
type place struct{ left, top int }

// places are the placeholders of a layout and of its master, by index and by type.
type places map[string]place

func (p *pptx) layout(part string) (places, error) {
	if part == "" {
		return places{}, nil
	}
	if known, ok := p.layouts[part]; ok {
		return known, nil
	}
	found := places{}
	p.layouts[part] = found
	related, err := p.a.relations(part)
	if err != nil {
		return nil, err
	}
	for _, each := range []string{related.target("slideMaster"), part} {
		if each == "" {
			continue
		}
		err := p.a.walkOptional(each, func(s *scanner, _ element) error {
			return (&slideReader{p: p, s: s, places: found}).tree(&shape{})
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// of returns the position that a placeholder inherits.
func (p places) of(h placeholder) (place, bool) {
	if at, ok := p["#"+h.index]; ok && h.index != "" {
		return at, true
	}
	at, ok := p[h.role()]
	return at, ok
}

func (p places) note(h placeholder, at place) {
	if h.index != "" {
		p["#"+h.index] = at
	}
	p[h.role()] = at
}
