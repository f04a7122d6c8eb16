package office

import "strings"

// control calls back for what a content control holds. One that was not filled in holds only a prompt, which is no value. A
// box to tick returns its sign, for where nothing else shows it.
func control(s *scanner, content func(element) error) (box string, err error) {
	prompt := false
	err = s.children(func(e element) error {
		switch {
		case e.name == "sdtPr":
			return s.children(func(e element) error {
				switch e.name {
				case "showingPlcHdr":
					prompt = e.on()
				case "checkbox":
					ticked, err := isTicked(s)
					box = tick(ticked)
					return err
				}
				return nil
			})
		case e.name == "sdtContent" && !prompt:
			return s.children(content)
		}
		return nil
	})
	return box, err
}

// control reads a content control within a paragraph.
func (d *docx) control(s *scanner, p *wordParagraph) error {
	before := p.text.Len()
	box, err := control(s, func(e element) error { return d.inline(s, e, p) })
	if p.text.Len() == before {
		p.write(box)
	}
	return err
}

// checkBox reads a form field that is ticked or not.
func checkBox(s *scanner, p *wordParagraph) error {
	ticked, err := isTicked(s)
	p.write(tick(ticked) + " ")
	return err
}

// isTicked reads the state of a box. The last word on it is the user's.
func isTicked(s *scanner) (bool, error) {
	ticked := false
	err := s.children(func(e element) error {
		if e.name == "default" || e.name == "checked" {
			ticked = e.on()
		}
		return nil
	})
	return ticked, err
}

func tick(ticked bool) string {
	if ticked {
		return "☒"
	}
	return "☐"
}

// dropDown reads a form field with choices, of which Word stores only the number. Without one it is the first.
func dropDown(s *scanner, p *wordParagraph) error {
	const most = 1000
	var choices []string
	chosen := 0
	err := s.children(func(e element) error {
		switch e.name {
		case "default", "result":
			chosen = e.number("val", 0)
		case "listEntry":
			if len(choices) < most {
				choices = append(choices, e.attr("val"))
			}
		}
		return nil
	})
	if chosen >= 0 && chosen < len(choices) {
		p.choice, p.chosen = choices[chosen], p.text.Len()
	}
	return err
}

// endField writes what was chosen, unless the field shows it itself, as other programs than Word have it.
func (p *wordParagraph) endField(e element) {
	if e.attr("fldCharType") != "end" || p.choice == "" {
		return
	}
	if strings.TrimSpace(p.text.String()[min(p.chosen, p.text.Len()):]) == "" {
		p.write(p.choice)
	}
	p.choice = ""
}
