package iam_test

import (
	"errors"
	"strings"
	"testing"

	"portside/local/iam"
)

func TestDecide(t *testing.T) {
	allow := func(actions, resources string, conditions ...iam.Condition) iam.Statement {
		return iam.Statement{Actions: strings.Split(actions, ","), Resources: strings.Split(resources, ","),
			Conditions: conditions}
	}
	deny := allow("s3:DeleteObject", "*")
	deny.IsDeny = true
	from := iam.Condition{Operator: "StringEquals", Key: "ses:FromAddress", Values: []string{"a@b.c"}}
	keys := iam.Condition{Operator: "ForAllValues:StringLike", Key: "dynamodb:LeadingKeys", Values: []string{"count#*"}}
	present := iam.Condition{Operator: "Null", Key: "dynamodb:LeadingKeys", Values: []string{"false"}}
	plain := iam.Condition{Operator: "Bool", Key: "aws:SecureTransport", Values: []string{"false"}}
	for _, test := range []struct {
		name       string
		statements []iam.Statement
		action     string
		resource   string
		context    map[string][]string
		want       iam.Decision
	}{
		{"no statement", nil, "s3:GetObject", "x", nil, iam.NoMatch},
		{"exact", []iam.Statement{allow("s3:PutObject,s3:GetObject", "y,x")}, "s3:GetObject", "x", nil, iam.Allow},
		{"actions ignore case", []iam.Statement{allow("S3:getobject", "x")}, "s3:GetObject", "x", nil, iam.Allow},
		{"resources do not", []iam.Statement{allow("s3:GetObject", "X")}, "s3:GetObject", "x", nil, iam.NoMatch},
		{"other action", []iam.Statement{allow("s3:GetObject", "*")}, "s3:GetObjectVersion", "x", nil, iam.NoMatch},
		{"stars", []iam.Statement{allow("s3:*Object", "b/*/c*")}, "s3:PutObject", "b/1/2/c", nil, iam.Allow},
		{"a star is not the prefix", []iam.Statement{allow("s3:*", "b/*")}, "s3:PutObject", "bb/1", nil, iam.NoMatch},
		{"question marks", []iam.Statement{allow("a:b", "s-??")}, "a:b", "s-1", nil, iam.NoMatch},
		{"deny wins", []iam.Statement{deny, allow("s3:*", "*")}, "s3:DeleteObject", "x", nil, iam.Deny},
		{"condition", []iam.Statement{allow("a:b", "*", from)}, "a:b", "x", map[string][]string{"ses:FromAddress": {"a@b.c"}}, iam.Allow},
		{"other value", []iam.Statement{allow("a:b", "*", from)}, "a:b", "x", map[string][]string{"ses:FromAddress": {"A@b.c"}}, iam.NoMatch},
		{"missing value", []iam.Statement{allow("a:b", "*", from)}, "a:b", "x", nil, iam.NoMatch},
		{"all values", []iam.Statement{allow("a:b", "*", keys)}, "a:b", "x", map[string][]string{"dynamodb:LeadingKeys": {"count#1", "count#2"}}, iam.Allow},
		{"not all values", []iam.Statement{allow("a:b", "*", keys)}, "a:b", "x", map[string][]string{"dynamodb:LeadingKeys": {"count#1", "x"}}, iam.NoMatch},
		{"no values are all values", []iam.Statement{allow("a:b", "*", keys)}, "a:b", "x", nil, iam.Allow},
		{"both conditions", []iam.Statement{allow("a:b", "*", keys, present)}, "a:b", "x", nil, iam.NoMatch},
		{"bool", []iam.Statement{allow("a:b", "*", plain)}, "a:b", "x", map[string][]string{"aws:SecureTransport": {"false"}}, iam.Allow},
	} {
		t.Run(test.name, func(t *testing.T) {
			request := iam.Request{Action: test.action, Resource: test.resource, Context: test.context}
			if got := (iam.Role{Statements: test.statements}).Decide(request); got != test.want {
				t.Errorf("decision %d, want %d", got, test.want)
			}
		})
	}
}

// A pattern with many stars must not take exponential time.
func TestMatchingIsFast(t *testing.T) {
	role := iam.Role{Statements: []iam.Statement{{Actions: []string{"*"},
		Resources: []string{strings.Repeat("a*", 1_000) + "b"}}}}
	if got := role.Decide(iam.Request{Action: "a:b", Resource: strings.Repeat("a", 10_000)}); got != iam.NoMatch {
		t.Errorf("decision %d, want none", got)
	}
}

func TestAuthorize(t *testing.T) {
	var lines []string
	a := iam.NewAuthorizer("000000000000", func(line string) { lines = append(lines, line) })
	session := iam.NewSession("WorkRole")
	read := iam.Request{Action: "s3:GetObject", Resource: "x"}
	if err := a.Authorize(session, read); !errors.Is(err, iam.ErrInvalidToken) {
		t.Errorf("unknown role: %v", err)
	}
	a.SetRoles([]iam.Role{{ID: "WorkRole",
		Statements: []iam.Statement{{Actions: []string{"s3:GetObject"}, Resources: []string{"x"}}}}})
	if err := a.Authorize(session, read); err != nil || len(lines) != 0 {
		t.Errorf("allowed: %v, logged %q", err, lines)
	}
	for name, forged := range map[string]iam.Session{
		"no token":      {AccessKeyID: session.AccessKeyID},
		"another token": {AccessKeyID: session.AccessKeyID, SessionToken: iam.NewSession("OtherRole").SessionToken},
		"permanent key": {AccessKeyID: "local", SessionToken: session.SessionToken},
	} {
		t.Run(name, func(t *testing.T) {
			if err := a.Authorize(forged, read); !errors.Is(err, iam.ErrInvalidToken) {
				t.Error(err)
			}
		})
	}
	err := a.Authorize(session, read, iam.Request{Action: "s3:PutObject", Resource: "x"})
	const message = "User: arn:aws:sts::000000000000:assumed-role/WorkRole/Work is not authorized to perform: s3:PutObject on resource: x " +
		"because no identity-based policy allows the s3:PutObject action"
	if err == nil || err.Error() != message {
		t.Errorf("denied: %v", err)
	}
	const line = "access denied: WorkRole in template.yaml does not allow s3:PutObject on x"
	if len(lines) != 1 || lines[0] != line {
		t.Errorf("logged %q, want %q", lines, line)
	}
}
