package schema

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode"
)

// bound is the least or the greatest number that fits.
type bound struct {
	value     *big.Rat
	isOutside bool // only numbers beyond the bound fit
}

// lengths are the limits of a text, in characters.
type lengths struct {
	least int
	most  int // valid if hasMost
	has   bool
}

// enumeration has the values that fit.
type enumeration struct {
	values map[single]bool
	texts  map[string]string // of values that are texts, by their letters and digits; empty if several are the same
	first  string            // kind of the first value that is not null
}

// kind returns the type of the first value, or an empty text.
func (e *enumeration) kind() string {
	if e == nil {
		return ""
	}
	return e.first
}

// applyCheck applies a keyword that limits single values or the length of an array. It returns false for other keywords.
func (r *reader) applyCheck(s *Schema, m *node) bool {
	switch m.name {
	case "format":
		r.applyFormat(s, m)
	case "pattern":
		r.applyPattern(s, m)
	case "enum":
		if !m.isArray() || len(m.members) == 0 {
			r.refuse(m, "must be an array with one or more values")
			return true
		}
		r.allow(s, m, m.members)
	case "const":
		r.allow(s, m, []*node{m})
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		r.applyBound(s, m)
	case "multipleOf":
		if n, ok := r.number(m); ok && n.Sign() > 0 {
			s.factors = append(s.factors, n)
		} else if ok {
			r.refuse(m, "must be greater than 0")
		}
	case "minItems":
		s.MinItems = max(s.MinItems, r.count(m))
	case "maxItems":
		s.MaxItems = min(s.MaxItems, r.count(m))
	case "minLength":
		s.length.least = max(s.length.least, r.count(m))
	case "maxLength":
		if n := r.count(m); !s.length.has || n < s.length.most {
			s.length.most, s.length.has = n, true
		}
	case "uniqueItems":
		s.UniqueItems = s.UniqueItems || m.isTrue()
	default:
		return false
	}
	return true
}

// allow restricts the values to those of an enum or const. It refuses arrays and objects, because a single value can
// never equal them, and numbers that are too large or too small.
func (r *reader) allow(s *Schema, m *node, values []*node) {
	e := &enumeration{values: map[single]bool{}, texts: map[string]string{}}
	for _, n := range values {
		value, ok := singleOf(n.value)
		switch {
		case n.isArray() || n.isObject():
			r.refuse(m, "must have strings, numbers, booleans and null only")
			return
		case !ok:
			r.refuseNumber(m)
			return
		case s.allowed != nil && !s.allowed.values[value]:
			continue
		}
		e.add(value)
	}
	s.allowed = e
}

func (e *enumeration) add(value single) {
	if e.values[value] {
		return
	}
	e.values[value] = true
	if e.first == "" {
		e.first = value.kind
	}
	if value.kind != String {
		return
	}
	key := withoutMarks(value.text)
	if _, isTaken := e.texts[key]; isTaken {
		e.texts[key] = ""
		return
	}
	e.texts[key] = value.text
}

// match returns the value that a text of a document stands for: the same letters and digits, as in "Bank transfer" and
// "bank_transfer". It returns the text if there is none, or if there are several.
func (e *enumeration) match(text string) string {
	if e == nil || e.values[single{String, text}] {
		return text
	}
	if value := e.texts[withoutMarks(text)]; value != "" {
		return value
	}
	return text
}

// withoutMarks returns the letters and digits of a text, in lower case.
func withoutMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// applyBound applies a minimum or maximum. In draft 4 and in OpenAPI 3.0, exclusiveMinimum is a boolean beside minimum.
func (r *reader) applyBound(s *Schema, m *node) {
	if _, isBoolean := m.value.(bool); isBoolean && strings.HasPrefix(m.name, "exclusive") {
		return
	}
	n, ok := r.number(m)
	if !ok {
		return
	}
	switch m.name {
	case "minimum":
		s.lower = narrower(s.lower, &bound{n, m.parent.member("exclusiveMinimum").isTrue()}, 1)
	case "exclusiveMinimum":
		s.lower = narrower(s.lower, &bound{n, true}, 1)
	case "maximum":
		s.upper = narrower(s.upper, &bound{n, m.parent.member("exclusiveMaximum").isTrue()}, -1)
	default:
		s.upper = narrower(s.upper, &bound{n, true}, -1)
	}
}

// narrower returns the bound that fewer numbers fit. The sign is 1 for lower bounds and -1 for upper bounds.
func narrower(a, b *bound, sign int) *bound {
	if a == nil {
		return b
	}
	if order := a.value.Cmp(b.value) * sign; order > 0 || order == 0 && a.isOutside {
		return a
	}
	return b
}

func (r *reader) refuseNumber(m *node) {
	r.refuse(m, "has a number that is too large or too small: use numbers with exponents of at most 308")
}

func (r *reader) number(m *node) (*big.Rat, bool) {
	text, isNumber := m.value.(json.Number)
	if !isNumber {
		r.refuse(m, "must be a number")
		return nil, false
	}
	n, ok := readExact(string(text))
	if !ok {
		r.refuseNumber(m)
	}
	return n, ok
}

// count returns a number of items or characters.
func (r *reader) count(m *node) int {
	n, ok := r.number(m)
	switch {
	case !ok:
		return 0
	case !n.IsInt() || n.Sign() < 0:
		r.refuse(m, "must be a whole number of at least 0")
		return 0
	case n.Num().Cmp(big.NewInt(math.MaxInt32)) > 0:
		return math.MaxInt32
	}
	return int(n.Num().Int64())
}

// budget is the work that the checks of one answer may still take, in up to 100 nanoseconds each. Thousands of texts could
// each be matched with thousands of patterns or alternatives.
type budget int

const maxChecks = 30_000_000

// spend takes work from the budget and reports whether there was enough.
func (b *budget) spend(work int) bool {
	*b -= budget(work)
	return *b >= 0
}

// fits reports whether a value satisfies the keywords of the schema, as draft 2020-12 of JSON Schema defines them. Once
// the budget is spent, no value fits.
func (s *Schema) fits(value single) bool {
	const each, eachFactor = 10, 1000
	work := each + len(value.text) + eachFactor*len(s.factors)
	for _, p := range s.patterns {
		work += p.steps * len(value.text)
	}
	return s.budget.spend(work) && s.hasType(value) && s.hasFormat(value) && s.hasLength(value) && s.isWithinBounds(value) &&
		(s.allowed == nil || s.allowed.values[value]) &&
		!slices.ContainsFunc(s.choices, func(c choice) bool { return !c.fits(value) })
}

func (c choice) fits(value single) bool {
	n := 0
	for _, s := range c.schemas {
		if s.fits(value) {
			n++
		}
	}
	return n == 1 || n > 1 && !c.onlyOne
}

func (s *Schema) hasType(value single) bool {
	return s.types == nil || slices.Contains(s.types, value.kind) ||
		value.kind == Number && slices.Contains(s.types, Integer) && value.number().IsInt() // 3.0 is an integer
}

func (s *Schema) hasFormat(value single) bool {
	if value.kind != String {
		return true
	}
	return !slices.ContainsFunc(s.formats, func(format string) bool { return !formats[format](value.text) }) &&
		!slices.ContainsFunc(s.patterns, func(p pattern) bool { return !p.matches(value.text) })
}

func (s *Schema) hasLength(value single) bool {
	if value.kind != String {
		return true
	}
	n := len([]rune(value.text))
	return n >= s.length.least && (!s.length.has || n <= s.length.most)
}

func (s *Schema) isWithinBounds(value single) bool {
	if value.kind != Number {
		return true
	}
	n := value.number()
	if b := s.lower; b != nil && (n.Cmp(b.value) < 0 || b.isOutside && n.Cmp(b.value) == 0) {
		return false
	}
	if b := s.upper; b != nil && (n.Cmp(b.value) > 0 || b.isOutside && n.Cmp(b.value) == 0) {
		return false
	}
	return !slices.ContainsFunc(s.factors, func(f *big.Rat) bool { return !new(big.Rat).Quo(n, f).IsInt() })
}
