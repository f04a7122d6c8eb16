package schema

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// pattern is a regular expression that a text must match, in parts: JavaScript has lookaheads, which Go's expressions
// lack. Lookaheads at the beginning are conditions on the whole text.
type pattern struct {
	must    []*regexp.Regexp
	mustNot []*regexp.Regexp
	steps   int // instructions of all of them
}

func (p pattern) matches(text string) bool {
	return !slices.ContainsFunc(p.must, func(e *regexp.Regexp) bool { return !e.MatchString(text) }) &&
		!slices.ContainsFunc(p.mustNot, func(e *regexp.Regexp) bool { return e.MatchString(text) })
}

// Limits of patterns. "a{1000}" has a thousand instructions.
const (
	maxSteps        = 50_000 // of all patterns of a schema
	maxPatternBytes = 4_000
)

// applyPattern applies a pattern. A pattern that Go's expressions cannot have, or that is too large, has no effect.
func (r *reader) applyPattern(s *Schema, m *node) {
	text, isText := m.text()
	if !isText {
		r.refuse(m, "must be text")
		return
	}
	p, ok := compilePattern(text, maxSteps-r.steps)
	if !ok {
		r.notes.ignore(m, quoted(m.name)+" "+quoted(text))
		return
	}
	r.steps += p.steps
	s.patterns = append(s.patterns, p)
}

// compilePattern returns the pattern of a regular expression of JavaScript.
func compilePattern(text string, steps int) (p pattern, ok bool) {
	if len(text) > maxPatternBytes {
		return p, false
	}
	ahead, rest := cutLookaheads(text)
	for _, part := range append(ahead, lookahead{rest, true}) {
		parsed, err := syntax.Parse(inGo(part.text), syntax.Perl)
		if err != nil {
			return p, false
		}
		if p.steps += size(parsed); p.steps > steps {
			return p, false
		}
		compiled, err := regexp.Compile(inGo(part.text))
		switch {
		case err != nil:
			return p, false
		case part.must:
			p.must = append(p.must, compiled)
		default:
			p.mustNot = append(p.mustNot, compiled)
		}
	}
	return p, true
}

// lookahead is a condition on a text: it must or must not match.
type lookahead struct {
	text string
	must bool
}

// cutLookaheads cuts the lookaheads at the beginning from a regular expression of JavaScript that is anchored there,
// such as "^(?!\.)[a-z.]+$".
func cutLookaheads(text string) (ahead []lookahead, rest string) {
	rest, isAnchored := strings.CutPrefix(text, "^")
	for isAnchored && (strings.HasPrefix(rest, "(?=") || strings.HasPrefix(rest, "(?!")) {
		end, _ := groupEnd(rest)
		if end < 0 {
			return nil, text
		}
		ahead = append(ahead, lookahead{"^(?:" + rest[len("(?="):end-1] + ")", rest[2] == '='})
		rest = rest[end:]
	}
	if _, hasAlternatives := groupEnd("(" + rest + ")"); len(ahead) == 0 || hasAlternatives {
		return nil, text
	}
	return ahead, "^" + rest
}

// groupEnd returns where the group at the beginning of a regular expression ends, or -1, and whether it has
// alternatives.
func groupEnd(text string) (end int, hasAlternatives bool) {
	depth, inClass := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '(':
			depth++
		case c == '|' && depth == 1:
			hasAlternatives = true
		case c == ')':
			if depth--; depth == 0 {
				return i + 1, hasAlternatives
			}
		}
	}
	return -1, hasAlternatives
}

// inGo rewrites what Go's expressions spell otherwise: "\u00e9" is "\x{00e9}".
func inGo(text string) string {
	var out strings.Builder
	const digits = 4
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '\\' || i+1 == len(text):
			out.WriteByte(text[i])
		case text[i+1] == 'u' && i+2+digits <= len(text) && text[i+2] != '{':
			out.WriteString(`\x{` + text[i+2:i+2+digits] + `}`)
			i += 1 + digits
		default:
			out.WriteString(text[i : i+2])
			i++
		}
	}
	return out.String()
}

// size returns about how many instructions an expression has when it is compiled.
func size(e *syntax.Regexp) int {
	n := 1 + len(e.Rune)
	for _, sub := range e.Sub {
		n = min(n+size(sub), maxSteps+1)
	}
	if e.Op == syntax.OpRepeat {
		n *= max(1, e.Min, e.Max)
	}
	return min(n, maxSteps+1)
}

// isNumeric reports whether the formats and patterns of a text allow numbers with decimals and no words, so that the
// text is a number.
func (s *Schema) isNumeric() bool {
	if slices.Contains(s.formats, decimal) {
		return true
	}
	matchesAll := func(text string) bool {
		return !slices.ContainsFunc(s.patterns, func(p pattern) bool { return !p.matches(text) })
	}
	return len(s.patterns) > 0 && matchesAll("12") && matchesAll("0.5") && matchesAll("1234.56") &&
		!matchesAll("a") && !matchesAll("1,5 x") && !matchesAll("12 EUR")
}
