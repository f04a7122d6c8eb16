package main

import (
	"regexp"
	"strings"
	"unicode"
)

// templateTexts returns the texts with letters between the tags of a module's html templates.
func templateTexts(module string) []string {
	s := &scanner{rest: module}
	s.code(false)
	return s.texts
}

// scanner finds the templates in JavaScript. It skips comments, strings and regular expressions, and does not parse the
// rest.
type scanner struct {
	rest  string
	last  rune // the last character of code except spaces
	texts []string
}

// skipped matches a comment or a string. pattern matches a regular expression, but may also match code that begins with
// a division.
var (
	skipped = regexp.MustCompile(`^(?://[^\n]*|/\*(?s:.*?)\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`)
	pattern = regexp.MustCompile(`^/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/`)
)

// skip skips a comment, a string or a regular expression.
func (s *scanner) skip() bool {
	found := skipped.FindString(s.rest)
	if found == "" && strings.ContainsRune("(,=:[!&|?{};>\x00", s.last) {
		found = pattern.FindString(s.rest)
	}
	s.rest = s.rest[len(found):]
	return found != ""
}

// code reads code until its end, or until the brace that ends an expression in a template.
func (s *scanner) code(isExpression bool) {
	depth := 0
	for s.rest != "" {
		switch {
		case s.skip():
		case strings.HasPrefix(s.rest, "html`"):
			s.rest = s.rest[len("html`"):]
			s.template(true)
		case s.rest[0] == '`':
			s.rest = s.rest[1:]
			s.template(false)
		case s.rest[0] == '}' && depth == 0 && isExpression:
			s.rest = s.rest[1:]
			return
		default:
			depth += strings.Count("{", s.rest[:1]) - strings.Count("}", s.rest[:1])
			s.next()
		}
	}
}

// next skips a character of code.
func (s *scanner) next() {
	if c := rune(s.rest[0]); !unicode.IsSpace(c) {
		s.last = c
	}
	s.rest = s.rest[1:]
}

// template reads a template literal. If it is HTML, it collects the text between tags.
func (s *scanner) template(isHTML bool) {
	text, isTag := strings.Builder{}, false
	for s.rest != "" && s.rest[0] != '`' {
		switch c := s.rest[0]; {
		case c == '\\':
			s.rest = s.rest[1:]
		case strings.HasPrefix(s.rest, "${"):
			s.rest = s.rest[2:]
			s.code(true)
			text.WriteByte('\n')
			continue
		case c == '<' || c == '>':
			isTag = c == '<'
			text.WriteByte('\n')
		case !isTag:
			text.WriteByte(c)
		}
		s.rest = s.rest[1:]
	}
	s.rest, s.last = strings.TrimPrefix(s.rest, "`"), '`'
	for line := range strings.SplitSeq(text.String(), "\n") {
		if line = strings.TrimSpace(line); isHTML && strings.ContainsFunc(line, unicode.IsLetter) {
			s.texts = append(s.texts, line)
		}
	}
}
