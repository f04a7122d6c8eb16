package template

// readConditions evaluates all conditions, so that mistakes in unused ones are found too.
func (s *scope) readConditions(section *node) error {
	for _, f := range section.fields {
		s.conditions[f.key] = &condition{id: f.key, source: f.value, line: f.line}
	}
	for _, f := range section.fields {
		if _, err := s.conditionNamed(f.key, f.line); err != nil {
			return err
		}
	}
	return nil
}

func (s *scope) conditionNamed(id string, line int) (bool, error) {
	c, ok := s.conditions[id]
	switch {
	case !ok:
		return false, problem(line, "there is no condition %q; declare it under Conditions", id)
	case c.state == running:
		return false, problem(c.line, "the condition %q refers to itself", id)
	case c.state == untouched:
		c.state = running
		value, err := s.test(c.source)
		if err != nil {
			return false, err
		}
		c.value, c.state = value, done
	}
	return c.value, nil
}

// test evaluates a Boolean expression.
func (s *scope) test(n *node) (bool, error) {
	if n.fn == "Condition" {
		return s.conditionNamed(n.arg.text, n.line)
	}
	if n.kind == object && len(n.fields) == 1 && n.fields[0].key == "Condition" {
		return s.conditionNamed(n.fields[0].value.text, n.line)
	}
	truth, known, err := s.logic(n, s.test)
	if err == nil && !known {
		return false, problem(n.line, "a condition may use only !Equals, !And, !Or, !Not and !Condition")
	}
	return truth, err
}

// logic evaluates the functions that conditions and rules have in common; known is false for other
// functions. It calls part for the operands.
func (s *scope) logic(n *node, part func(*node) (bool, error)) (truth, known bool, err error) {
	switch n.fn {
	case "Equals":
		truth, err = s.equals(n)
	case "Not":
		truth, err = not(n, part)
	case "And", "Or":
		truth, err = andOr(n, part)
	default:
		return false, false, nil
	}
	return truth, true, err
}

func not(n *node, part func(*node) (bool, error)) (bool, error) {
	args, err := n.arguments(1, "a list of one condition: !Not [!Equals [a, b]]")
	if err != nil {
		return false, err
	}
	truth, err := part(args[0])
	return !truth, err
}

func (s *scope) equals(n *node) (bool, error) {
	args, err := n.arguments(2, "two values: !Equals [!Ref Stage, production]")
	if err != nil {
		return false, err
	}
	left, err := s.single(args[0], "an argument of !Equals")
	if err != nil {
		return false, err
	}
	right, err := s.single(args[1], "an argument of !Equals")
	return left == right, err
}

// andOr evaluates !And and !Or. It evaluates every operand, so that mistakes in any are found.
func andOr(n *node, part func(*node) (bool, error)) (bool, error) {
	if n.arg.kind != list || len(n.arg.items) < 2 || len(n.arg.items) > 10 {
		return false, problem(n.line, "!%s takes a list of 2 to 10 conditions", n.fn)
	}
	truths := 0
	for _, item := range n.arg.items {
		truth, err := part(item)
		if err != nil {
			return false, err
		}
		if truth {
			truths++
		}
	}
	if n.fn == "Or" {
		return truths > 0, nil
	}
	return truths == len(n.arg.items), nil
}
