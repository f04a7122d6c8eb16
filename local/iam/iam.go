// Package iam decides what the role of a function permits, as AWS Identity and Access Management does.
//
// The local engines accept every signed request. On AWS, a function has temporary credentials of its role, and a
// request that the role's policies do not allow is denied. This package gives each role such credentials, evaluates the
// policies of template.yaml, and words denials as AWS does. Requests with the engines' own keys are those of the
// developer, who may do everything. The package implements only what policies in template.yaml use; the template's
// reader refuses the rest.
package iam

import (
	"slices"
	"strings"
)

// Role is the role of a function with all statements of its policies.
type Role struct {
	ID         string // logical ID in the template
	Statements []Statement
}

// Statement is one statement of a policy. Actions, Resources and the values of some conditions may have the wildcards *
// and ?.
type Statement struct {
	IsDeny     bool
	Actions    []string
	Resources  []string
	Conditions []Condition
}

// Condition compares a key of the request's context with values.
type Condition struct {
	Operator string // one of Operators
	Key      string
	Values   []string
}

// Operators are the operators of conditions that Decide evaluates.
var Operators = []string{
	"Bool", "Null", "StringEquals", "StringLike", "ForAllValues:StringEquals", "ForAllValues:StringLike",
}

// Keys are the keys of conditions that requests have. With another key, or another spelling of one, some operators
// would be true for each request. The last key belongs to a service without a local engine, whose calls go to AWS.
var Keys = []string{"dynamodb:LeadingKeys", "ses:FromAddress", "transcribe:OutputBucketName"}

// Request is one action on one resource.
type Request struct {
	Action   string              // such as s3:GetObject
	Resource string              // an ARN
	Context  map[string][]string // values of condition keys, in the spelling of the template
}

// Decision is the result of all policies of a role.
type Decision int

// The decisions. A request that no statement matches is denied, too.
const (
	NoMatch Decision = iota
	Allow
	Deny
)

// Decide evaluates the role's statements. One that denies wins over all that allow.
func (r Role) Decide(request Request) Decision {
	result := NoMatch
	for _, s := range r.Statements {
		switch {
		case !s.matches(request):
		case s.IsDeny:
			return Deny
		default:
			result = Allow
		}
	}
	return result
}

func (s Statement) matches(r Request) bool {
	isAction := func(pattern string) bool { return matchFold(pattern, r.Action) }
	isResource := func(pattern string) bool { return match(pattern, r.Resource) }
	if !slices.ContainsFunc(s.Actions, isAction) || !slices.ContainsFunc(s.Resources, isResource) {
		return false
	}
	return !slices.ContainsFunc(s.Conditions, func(c Condition) bool { return !c.holds(r.Context) })
}

// holds reports whether the condition is true. A key that the request does not have makes most operators false.
func (c Condition) holds(context map[string][]string) bool {
	values := context[c.Key]
	operator, forAll := strings.CutPrefix(c.Operator, "ForAllValues:")
	if operator == "Null" {
		return slices.Contains(c.Values, "true") == (len(values) == 0)
	}
	if forAll {
		return !slices.ContainsFunc(values, func(value string) bool { return !c.hasValue(operator, value) })
	}
	return len(values) == 1 && c.hasValue(operator, values[0])
}

func (c Condition) hasValue(operator, value string) bool {
	return slices.ContainsFunc(c.Values, func(want string) bool {
		switch operator {
		case "StringLike":
			return match(want, value)
		case "Bool":
			return strings.EqualFold(want, value)
		}
		return want == value
	})
}

func matchFold(pattern, text string) bool {
	return match(strings.ToLower(pattern), strings.ToLower(text))
}

// match compares a text with a pattern in which * is any text and ? any character. It takes at most the product of both
// lengths, whatever the pattern is.
func match(pattern, text string) bool {
	p, t, star, resume := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, resume = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			resume++
			p, t = star+1, resume
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
