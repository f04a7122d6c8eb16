package schema

import (
	"fmt"
	"slices"
	"strings"
)

// notes has what the warnings about a schema name.
type notes struct {
	keywords []string            // without effect, in the order of the text
	places   map[string][]string // of the keywords, as JSON Pointers to their schemas
	several  []string            // JSON Pointers to the schemas that allow several types
}

// ignore records a keyword without effect. The label is its name, or the name with its value.
func (n *notes) ignore(keyword *node, label string) {
	if n.places == nil {
		n.places = map[string][]string{}
	}
	place := keyword.parent.pointer()
	if !slices.Contains(n.keywords, label) {
		n.keywords = append(n.keywords, label)
	}
	if !slices.Contains(n.places[label], place) {
		n.places[label] = append(n.places[label], place)
	}
}

// choose records a schema that allows several types.
func (n *notes) choose(s *node) {
	if place := s.pointer(); !slices.Contains(n.several, place) {
		n.several = append(n.several, place)
	}
}

// maxNamed is how many keywords or places a warning names.
const maxNamed = 20

func (n *notes) warnings() []string {
	var all, named []string
	for _, label := range n.keywords {
		places := n.places[label]
		text := fmt.Sprintf("%s at %s", label, shown(places[0]))
		switch others := len(places) - 1; {
		case others == 1:
			text += " and one other place"
		case others > 1:
			text += fmt.Sprintf(" and %d other places", others)
		}
		named = append(named, text)
	}
	if len(named) > 0 {
		all = append(all, "Keywords of the schema that have no effect: "+listed(named)+".")
	}
	var several []string
	for _, place := range n.several {
		several = append(several, shown(place))
	}
	if len(several) > 0 {
		all = append(all, "The schema allows several types of values, and only the first was looked for: at "+listed(several)+".")
	}
	return all
}

// shown returns a JSON Pointer for people.
func shown(pointer string) string {
	if pointer == "" {
		return "the root"
	}
	return shortened(pointer)
}

// shortened returns a text of the client as one short line.
func shortened(text string) string {
	const maxChars = 200
	if runes := []rune(text); len(runes) > maxChars {
		text = string(runes[:maxChars]) + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
}

// listed joins the first names with commas.
func listed(names []string) string {
	text := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if others := len(names) - maxNamed; others > 0 {
		text += fmt.Sprintf(", and %d more", others)
	}
	return text
}
