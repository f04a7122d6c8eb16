package webpage

import (
	"cmp"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"portside/documents/numerals"
)

// htmlList is an open list.
type htmlList struct {
	format    string // of package numerals; empty without numbers
	delimiter string // after a number
	next      int    // the number of the next item
}

func newList(tag startTag) htmlList {
	if tag.name != atom.Ol {
		return htmlList{}
	}
	start, err := strconv.Atoi(tag.attributes["start"])
	if err != nil {
		start = 1
	}
	return htmlList{numberFormat(tag), cmp.Or(tag.attributes["data-delimiter"], "."), start}
}

// numberFormat returns the format that the type attribute or the style of a list declares.
func numberFormat(tag startTag) string {
	style := tag.attributes["style"]
	switch kind := tag.attributes["type"]; {
	case kind == "a" || strings.Contains(style, "lower-alpha") || strings.Contains(style, "lower-latin"):
		return "lowerLetter"
	case kind == "A" || strings.Contains(style, "upper-alpha") || strings.Contains(style, "upper-latin"):
		return "upperLetter"
	case kind == "i" || strings.Contains(style, "lower-roman"):
		return "lowerRoman"
	case kind == "I" || strings.Contains(style, "upper-roman"):
		return "upperRoman"
	}
	return "decimal"
}

// nextLabel returns the number of the next item and a space, or nothing if the list has no numbers.
func (l *htmlList) nextLabel() string {
	if l.format == "" {
		return ""
	}
	label := numerals.Format(l.format, l.next) + l.delimiter + " "
	l.next++
	return label
}
