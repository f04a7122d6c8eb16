package docx

import (
	"strings"

	"portside/documents/office/internal/parts"
)

// control calls back for the content of a content control. If the control is not filled in, its content is only a
// prompt, which is left out. For a check box, it returns the sign, in case no text shows the state.
func control(s *parts.Scanner, content func(parts.Element) error) (box string, err error) {
	prompt := false
	err = s.Children(func(e parts.Element) error {
		switch {
		case e.Name == "sdtPr":
			return s.Children(func(e parts.Element) error {
				switch e.Name {
				case "showingPlcHdr":
					prompt = e.On()
				case "checkbox":
					ticked, err := isTicked(s)
					box = tick(ticked)
					return err
				}
				return nil
			})
		case e.Name == "sdtContent" && !prompt:
			return s.Children(content)
		}
		return nil
	})
	return box, err
}

// control reads a content control within a paragraph.
func (d *reader) control(s *parts.Scanner, p *wordParagraph) error {
	before := p.text.Len()
	box, err := control(s, func(e parts.Element) error { return d.inline(s, e, p) })
	if p.text.Len() == before {
		p.write(box)
	}
	return err
}

// checkBox reads a check box in a form field.
func checkBox(s *parts.Scanner, p *wordParagraph) error {
	ticked, err := isTicked(s)
	p.write(tick(ticked) + " ")
	return err
}

// isTicked returns the state of a check box. The state that the user set takes precedence over the default.
func isTicked(s *parts.Scanner) (bool, error) {
	ticked := false
	err := s.Children(func(e parts.Element) error {
		if e.Name == "default" || e.Name == "checked" {
			ticked = e.On()
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

// dropDown reads a form field with choices. Word stores only the index of the choice, and nothing for the first.
func dropDown(s *parts.Scanner, p *wordParagraph) error {
	const maxChoices = 1000
	var choices []string
	chosen := 0
	err := s.Children(func(e parts.Element) error {
		switch e.Name {
		case "default", "result":
			chosen = e.Number("val", 0)
		case "listEntry":
			if len(choices) < maxChoices {
				choices = append(choices, e.Attr("val"))
			}
		}
		return nil
	})
	if chosen >= 0 && chosen < len(choices) {
		p.choice, p.chosen = choices[chosen], p.text.Len()
	}
	return err
}

// endField writes the choice unless the field also contains its text, as files of other programs do.
func (p *wordParagraph) endField(e parts.Element) {
	if e.Attr("fldCharType") != "end" || p.choice == "" {
		return
	}
	if strings.TrimSpace(p.text.String()[min(p.chosen, p.text.Len()):]) == "" {
		p.write(p.choice)
	}
	p.choice = ""
}
