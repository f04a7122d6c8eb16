package template

import (
	"strconv"
	"strings"
)

// sub replaces ${Name} and ${Name.Attribute}. ${!Name} becomes the literal ${Name}.
func (s *scope) sub(n *node) (*node, error) {
	pattern, local := n.arg, &node{kind: object}
	if n.arg.kind == list {
		args, err := n.arguments(2, "a text, or a list of a text and a map of names")
		if err != nil {
			return nil, err
		}
		pattern, local = args[0], args[1]
	}
	if pattern.kind != scalar || local.kind != object {
		return nil, problem(n.line, "!Sub takes a text, or a list of a text and a map of names")
	}
	return s.fill(pattern, local)
}

func (s *scope) fill(pattern, local *node) (*node, error) {
	var out strings.Builder
	rest := pattern.text
	for {
		before, after, found := strings.Cut(rest, "${")
		out.WriteString(before)
		if !found {
			return text(pattern.line, out.String()), nil
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed {
			return nil, problem(pattern.line, "!Sub has ${ without a closing }")
		}
		value, err := s.variable(name, local, pattern.line)
		if err != nil {
			return nil, err
		}
		if s.work += len(value); s.work > maxWork {
			return nil, problem(pattern.line, "this !Sub produces more than %d MB; simplify it", maxWork>>20)
		}
		out.WriteString(value)
		rest = tail
	}
}

func (s *scope) variable(name string, local *node, line int) (string, error) {
	if literal, ok := strings.CutPrefix(name, "!"); ok {
		return "${" + literal + "}", nil
	}
	name = strings.TrimSpace(name)
	if declares(local, name) {
		return s.single(local.get(name), "the value of ${"+name+"}")
	}
	value, err := s.lookup(name, line)
	if err != nil {
		return "", err
	}
	if value.kind != scalar {
		return "", problem(line, "${%s} is a list or AWS::NoValue, and !Sub needs a single value; use !Join first", name)
	}
	return value.text, nil
}

func (s *scope) lookup(name string, line int) (*node, error) {
	if id, attribute, ok := strings.Cut(name, "."); ok {
		return s.attribute(id, attribute, line)
	}
	return s.resolveRef(name, line)
}

// choose evaluates only the chosen branch, because the other may refer to a resource whose
// Condition is false.
func (s *scope) choose(n *node) (*node, error) {
	args, err := n.arguments(3, "a condition and two values: !If [IsProduction, 30, 7]")
	if err != nil {
		return nil, err
	}
	truth, err := s.conditionNamed(args[0].text, args[0].line)
	if err != nil {
		return nil, err
	}
	if truth {
		return s.eval(args[1])
	}
	return s.eval(args[2])
}

func (s *scope) join(n *node) (*node, error) {
	args, err := n.arguments(2, `a separator and a list: !Join [",", [a, b]]`)
	if err != nil {
		return nil, err
	}
	separator, err := s.single(args[0], "the separator of !Join")
	if err != nil {
		return nil, err
	}
	parts, err := s.texts(args[1], "the second argument of !Join")
	if err != nil {
		return nil, err
	}
	joined := strings.Join(parts, separator)
	s.work += len(joined)
	return text(n.line, joined), nil
}

func (s *scope) texts(n *node, what string) ([]string, error) {
	value, err := s.eval(n)
	if err != nil {
		return nil, err
	}
	if value.kind != list {
		return nil, problem(n.line, "%s must be a list", what)
	}
	return value.strings(what)
}

func (s *scope) pick(n *node) (*node, error) {
	args, err := n.arguments(2, "an index from 0 and a list: !Select [0, !Ref Names]")
	if err != nil {
		return nil, err
	}
	at, err := s.single(args[0], "the index of !Select")
	if err != nil {
		return nil, err
	}
	from, err := s.eval(args[1])
	if err != nil {
		return nil, err
	}
	i, err := strconv.Atoi(at)
	if err != nil || from.kind != list || i < 0 || i >= len(from.items) {
		return nil, problem(n.line, "!Select has no entry %q in its list; indexes count from 0", at)
	}
	return from.items[i], nil
}

func (s *scope) split(n *node) (*node, error) {
	args, err := n.arguments(2, `a separator and a text: !Split [",", !Ref Names]`)
	if err != nil {
		return nil, err
	}
	separator, err := s.single(args[0], "the separator of !Split")
	if err != nil {
		return nil, err
	}
	whole, err := s.single(args[1], "the second argument of !Split")
	if err != nil {
		return nil, err
	}
	if separator == "" {
		return nil, problem(n.line, "!Split needs a separator that is not empty")
	}
	result := &node{kind: list, line: n.line}
	for part := range strings.SplitSeq(whole, separator) {
		s.work += 1 + len(part)
		result.items = append(result.items, text(n.line, part))
	}
	return result, nil
}

func (s *scope) findInMap(n *node) (*node, error) {
	args, err := n.arguments(3, "a map and two keys: !FindInMap [Regions, us-east-1, Name]")
	if err != nil {
		return nil, err
	}
	at := s.mappings
	for i, arg := range args {
		key, err := s.single(arg, "a name in !FindInMap")
		if err != nil {
			return nil, err
		}
		if !declares(at, key) {
			return nil, problem(n.line, "!FindInMap finds no %q (its argument %d); add it under Mappings", key, i+1)
		}
		at = at.get(key)
	}
	if at.fn != "" || at.kind == object {
		return nil, problem(n.line, "the entries of a mapping must be plain values or lists")
	}
	return s.eval(at)
}
