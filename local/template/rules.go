package template

import "slices"

// checkRules refuses parameters that violate the template's Rules. It also evaluates assertions of
// rules that do not apply, so that mistakes in them are found.
func (s *scope) checkRules(section *node) error {
	for _, f := range section.fields {
		if err := s.checkRule(f); err != nil {
			return err
		}
	}
	return nil
}

func (s *scope) checkRule(f field) error {
	applies := true
	if f.value.has("RuleCondition") {
		var err error
		if applies, err = s.holds(f.value.get("RuleCondition")); err != nil {
			return err
		}
	}
	assertions, err := f.value.get("Assertions").elements("the Assertions of rule " + f.key)
	if err != nil {
		return err
	}
	if len(assertions) == 0 {
		return problem(f.line, "the rule %q has no Assertions; give it one", f.key)
	}
	for _, a := range assertions {
		if err := s.checkAssertion(f.key, a, applies); err != nil {
			return err
		}
	}
	return nil
}

func (s *scope) checkAssertion(rule string, a *node, applies bool) error {
	if !a.has("Assert") {
		return problem(a.line, "an assertion of rule %q has no Assert; give it one", rule)
	}
	description, err := a.get("AssertDescription").required("the AssertDescription of rule " + rule)
	if err != nil {
		return err
	}
	if truth, err := s.holds(a.get("Assert")); err != nil || truth || !applies {
		return err
	}
	return problem(a.line, "the parameters do not fit together: %s", oneLine(description))
}

// holds evaluates an expression of a rule. It may refer to parameters only.
func (s *scope) holds(n *node) (bool, error) {
	if n.fn == "Equals" || n.fn == "Contains" {
		if err := s.onlyParameters(n.arg); err != nil {
			return false, err
		}
	}
	if n.fn == "Contains" {
		return s.contains(n)
	}
	truth, known, err := s.logic(n, s.holds)
	if err == nil && !known {
		return false, problem(n.line, "a rule may use only Fn::Equals, Fn::Contains, Fn::And, Fn::Or and Fn::Not")
	}
	return truth, err
}

func (s *scope) contains(n *node) (bool, error) {
	args, err := n.arguments(2, "a list and a value: Fn::Contains: [[a, b], !Ref Stage]")
	if err != nil {
		return false, err
	}
	values, err := s.texts(args[0], "the first argument of Fn::Contains")
	if err != nil {
		return false, err
	}
	value, err := s.single(args[1], "the second argument of Fn::Contains")
	return slices.Contains(values, value), err
}

// onlyParameters refuses references to resources, which do not exist when CloudFormation checks
// rules.
func (s *scope) onlyParameters(n *node) error {
	if n.fn == "Ref" {
		_, declared := s.parameters[n.arg.text]
		if _, pseudo := s.pseudo(n.arg.text, n.line); !declared && !pseudo {
			return problem(n.line, "a rule can refer only to parameters, and the template has no parameter %q", n.arg.text)
		}
		return nil
	}
	if n.fn != "" {
		return problem(n.line, "a rule compares values and parameters; it cannot use Fn::%s", n.fn)
	}
	for _, item := range n.items {
		if err := s.onlyParameters(item); err != nil {
			return err
		}
	}
	return nil
}
