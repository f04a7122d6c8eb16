package template

import (
	"slices"
	"strings"

	"portside/local/iam"
)

const policyType = "AWS::IAM::Policy"

// addRole adds a role with its inline policies.
func (b *builder) addRole(r *resource) error {
	role := iam.Role{ID: r.id}
	if managed := r.properties.get("ManagedPolicyArns"); managed.kind != absent {
		return problem(managed.line, "the local stack does not know managed policies; write the statements into Policies of %q", r.id)
	}
	policies, err := r.properties.get("Policies").elements("Policies")
	if err != nil {
		return err
	}
	for _, policy := range policies {
		if err := addStatements(&role, policy.get("PolicyDocument").get("Statement")); err != nil {
			return err
		}
	}
	b.stack.Roles = append(b.stack.Roles, role)
	return nil
}

// addPolicy adds the statements of a policy to its roles, which must have been added before.
func (b *builder) addPolicy(r *resource) error {
	if r.typ != policyType || !r.exists {
		return nil
	}
	names, err := r.properties.get("Roles").strings("Roles")
	if err != nil {
		return err
	}
	for _, name := range names {
		role, err := b.roleNamed(name, r.properties.get("Roles").line)
		if err != nil {
			return err
		}
		if err := addStatements(role, r.properties.get("PolicyDocument").get("Statement")); err != nil {
			return err
		}
	}
	return nil
}

// roleOf returns the ID of the function's role.
func (b *builder) roleOf(function *resource) (string, error) {
	arn := function.properties.get("Role")
	if arn.kind == absent {
		return b.addImpliedRole(function)
	}
	role, err := b.roleNamed(arn.text[strings.LastIndexByte(arn.text, '/')+1:], arn.line)
	if err != nil {
		return "", err
	}
	return role.ID, nil
}

// addImpliedRole adds the role that SAM creates for a function without one. It has the statements of the function's
// Policies.
func (b *builder) addImpliedRole(function *resource) (string, error) {
	role := iam.Role{ID: function.id + "Role"}
	policies, err := function.properties.get("Policies").elements("Policies")
	if err != nil {
		return "", err
	}
	for _, policy := range policies {
		if !policy.has("Statement") {
			return "", problem(policy.line, "the local stack knows no managed policies and policy templates; write a policy with a Statement")
		}
		if err := addStatements(&role, policy.get("Statement")); err != nil {
			return "", err
		}
	}
	b.stack.Roles = append(b.stack.Roles, role)
	return role.ID, nil
}

// roleNamed returns the role with a physical name.
func (b *builder) roleNamed(name string, line int) (*iam.Role, error) {
	for i := range b.stack.Roles {
		id, err := b.physicalID(b.resources[b.stack.Roles[i].ID])
		if err != nil {
			return nil, err
		}
		if id == name {
			return &b.stack.Roles[i], nil
		}
	}
	return nil, problem(line, "%q is not a role of this template; use !Ref or !GetAtt of an AWS::IAM::Role", name)
}

func addStatements(to *iam.Role, n *node) error {
	list := []*node{n}
	if n.kind != object {
		var err error
		if list, err = n.elements("Statement"); err != nil {
			return err
		}
	}
	for _, source := range list {
		statement, err := readStatement(source)
		if err != nil {
			return err
		}
		to.Statements = append(to.Statements, statement)
	}
	return nil
}

func readStatement(n *node) (s iam.Statement, err error) {
	effect := n.get("Effect")
	if effect.text != "Allow" && effect.text != "Deny" {
		return s, problem(effect.line, "the Effect of a statement must be Allow or Deny")
	}
	s.IsDeny = effect.text == "Deny"
	if s.Actions, err = n.get("Action").strings("Action"); err != nil {
		return s, err
	}
	if s.Resources, err = n.get("Resource").strings("Resource"); err != nil {
		return s, err
	}
	if len(s.Actions) == 0 || len(s.Resources) == 0 {
		return s, problem(n.line, "a statement of a role needs Action and Resource; the local stack does not evaluate NotAction and NotResource")
	}
	s.Conditions, err = readPolicyConditions(n.get("Condition"))
	return s, err
}

func readPolicyConditions(n *node) ([]iam.Condition, error) {
	var conditions []iam.Condition
	for _, operator := range n.present() {
		if !slices.Contains(iam.Operators, operator.key) {
			return nil, problem(operator.line, "the local stack does not evaluate the operator %q; use one of %s", operator.key,
				strings.Join(iam.Operators, ", "))
		}
		for _, f := range operator.value.present() {
			if !slices.Contains(iam.Keys, f.key) {
				return nil, problem(f.line, "the local stack does not know the key %q of a condition; use one of %s", f.key,
					strings.Join(iam.Keys, ", "))
			}
			values, err := f.value.strings("the values of " + f.key)
			if err != nil {
				return nil, err
			}
			conditions = append(conditions, iam.Condition{Operator: operator.key, Key: f.key, Values: values})
		}
	}
	return conditions, nil
}
