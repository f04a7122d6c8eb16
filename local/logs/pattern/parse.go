package pattern

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Parse parses a pattern. Its errors are one line for the author of the template.
func Parse(source string) (Pattern, error) {
	if len(source) > MaxBytes {
		return Pattern{}, fmt.Errorf("the filter pattern is longer than %d bytes, the limit of CloudWatch Logs; shorten it",
			MaxBytes)
	}
	p := &parser{rest: source}
	if !p.accept("{") {
		terms, err := p.terms()
		return Pattern{source: source, terms: terms}, err
	}
	c, err := p.alternatives(0)
	if err != nil {
		return Pattern{}, err
	}
	if !p.accept("}") || p.peek() != "" {
		return Pattern{}, p.problem("&&, || or the closing } of the pattern")
	}
	return Pattern{source: source, condition: c}, nil
}

// parser holds the unread rest of a pattern.
type parser struct{ rest string }

// maxDepth limits nested parentheses.
const maxDepth = 20

// peek returns the rest without leading white space.
func (p *parser) peek() string {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	return p.rest
}

func (p *parser) accept(token string) bool {
	after, ok := strings.CutPrefix(p.peek(), token)
	if ok {
		p.rest = after
	}
	return ok
}

// acceptMatch consumes and returns a match of the expression, which must begin with ^. It returns
// "" without a match.
func (p *parser) acceptMatch(expression *regexp.Regexp) string {
	token := expression.FindString(p.peek())
	p.rest = p.rest[len(token):]
	return token
}

func (p *parser) problem(wanted string) error {
	found := strconv.Quote(p.peek())
	if p.rest == "" {
		found = "its end"
	}
	return fmt.Errorf("the filter pattern has %s where %s is expected", found, wanted)
}

func (p *parser) alternatives(depth int) (condition, error) {
	c, err := p.conjunction(depth)
	for err == nil && p.accept("||") {
		var next condition
		next, err = p.conjunction(depth)
		c = or(c, next)
	}
	return c, err
}

func (p *parser) conjunction(depth int) (condition, error) {
	c, err := p.operand(depth)
	for err == nil && p.accept("&&") {
		var next condition
		next, err = p.operand(depth)
		c = and(c, next)
	}
	return c, err
}

func (p *parser) operand(depth int) (condition, error) {
	if !p.accept("(") {
		return p.comparison()
	}
	if depth >= maxDepth {
		return nil, fmt.Errorf("the filter pattern has more than %d nested parentheses; simplify it", maxDepth)
	}
	c, err := p.alternatives(depth + 1)
	if err == nil && !p.accept(")") {
		err = p.problem("&&, || or )")
	}
	return c, err
}

var (
	fieldPattern    = regexp.MustCompile(`^\$(\.[A-Za-z0-9_-]+)+`)
	operatorPattern = regexp.MustCompile(`^(!=|<=|>=|=|<|>)`)
	quotedPattern   = regexp.MustCompile(`^"[^"\\*%]*"`)
	numberPattern   = regexp.MustCompile(`^-?\d{1,15}(\.\d{1,15})?`)
	wordPattern     = regexp.MustCompile(`^[A-Za-z0-9_]+`)
	endPattern      = regexp.MustCompile(`^([\s)}&|]|$)`)
)

func (p *parser) comparison() (condition, error) {
	path := p.acceptMatch(fieldPattern)
	if path == "" {
		return nil, p.problem("a field like $.a.b")
	}
	names := strings.Split(path, ".")[1:]
	compare := p.acceptMatch(operatorPattern)
	if compare == "" {
		return nil, p.problem("one of = != < > <= >=, the only operators that the local stack supports,")
	}
	if text := p.acceptMatch(quotedPattern); text != "" {
		if compare != "=" && compare != "!=" {
			return nil, fmt.Errorf("the filter pattern compares %s with a string by %s; strings support only = and !=", path,
				compare)
		}
		return compareText(names, compare, text[1:len(text)-1]), nil
	}
	value, err := strconv.ParseFloat(p.acceptMatch(numberPattern), 64)
	if err != nil || !endPattern.MatchString(p.rest) {
		return nil, p.problem(`a number or a string in double quotes without * % and \`)
	}
	return compareNumber(names, compare, value), nil
}

// terms parses words and quoted phrases, separated by spaces.
func (p *parser) terms() ([]string, error) {
	var terms []string
	for p.peek() != "" {
		term := strings.Trim(p.acceptMatch(quotedPattern), `"`)
		if term == "" {
			term = p.acceptMatch(wordPattern)
		}
		if term == "" || p.rest != "" && !strings.ContainsAny(p.rest[:1], " \t\r\n") {
			return nil, p.problem(`a word of letters, digits and _, or a phrase in double quotes without * % and \`)
		}
		terms = append(terms, term)
	}
	return terms, nil
}
