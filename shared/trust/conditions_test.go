package trust_test

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"portside/shared/trust"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, value string
		want           bool
	}{
		{"repo:acme/app:ref:refs/heads/main", "repo:acme/app:ref:refs/heads/main", true},
		{"repo:acme/app:ref:refs/heads/main", "repo:acme/app:ref:refs/heads/main2", false},
		{"repo:acme/app:ref:refs/heads/main", "Repo:acme/app:ref:refs/heads/main", false},
		{"repo:acme/app:ref:refs/heads/*", "repo:acme/app:ref:refs/heads/feature/x", true},
		{"repo:acme/app:ref:refs/heads/*", "repo:acme/app:ref:refs/heads/", false},
		{"repo:acme/app:ref:refs/heads/*", "repo:acme/app:ref:refs/tags/v1", false},
		{"repo:acme/app:ref:refs/heads/*", "repo:acme/app:environment:x:ref:refs/heads/main", false},
		{"repo:acme/*:ref:refs/heads/main", "repo:acme/app:ref:refs/heads/main", true},
		{"repo:acme/*:ref:refs/heads/main", "repo:acme-evil/app:ref:refs/heads/main", false},
		{"repo:acme/*:ref:refs/heads/main", "repo:acme/app:environment:ref:refs/heads/main", false},
		{"repo:acme/app:*", "repo:acme/app:pull_request", true},
		{"repo:acme/app:*", "repo:acme/app:ref:refs/heads/main", false},
		{"repo:acme/app:*", "repo:acme/app:", false},
		{"repo:acme*", "repo:acme/app:ref:refs/heads/main", false},
		{"system:serviceaccount:*:puller", "system:serviceaccount:acme:puller", true},
		{"a*b*c", "aXbXc", true}, {"a*b*c", "abXc", false}, {"a*b*c", "aXbc", false}, {"a*b*c", "aXbXbXc", true}, {"a*a", "a", false},
		{"a*a", "aa", false}, {"a*a", "aaa", true}, {"**", "x", false}, {"**", "xy", true}, {"*", "é", true}, {"", "", true}, {"", "x", false},
		{"a.c", "abc", false}, {"[a]", "a", false}, {"a?", "ab", false}, {"*", "a\nb", true},
	} {
		if got := trust.Match(c.pattern, c.value); got != c.want {
			t.Errorf("%q matches %q: %v, want %v", c.pattern, c.value, got, c.want)
		}
	}
}

// matchesRegexp is Match by the rule that is documented.
func matchesRegexp(pattern, value string) bool {
	texts := strings.Split(pattern, "*")
	for i := range texts {
		texts[i] = regexp.QuoteMeta(texts[i])
	}
	return regexp.MustCompile(`^(?s:` + strings.Join(texts, `[^:]+`) + `)$`).MatchString(value)
}

func TestMatchMeansTheDocumentedExpression(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(letters string) string {
		var b strings.Builder
		for range random.IntN(9) {
			b.WriteByte(letters[random.IntN(len(letters))])
		}
		return b.String()
	}
	matched := 0
	for range 40_000 {
		pattern, value := text("ab:**"), text("ab:")
		got := trust.Match(pattern, value)
		if got != matchesRegexp(pattern, value) {
			t.Fatalf("%q matches %q: %v", pattern, value, got)
		}
		if got {
			matched++
		}
	}
	if matched < 500 {
		t.Errorf("only %d matched", matched)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("repo:acme/*:ref:refs/heads/*", "repo:acme/app:ref:refs/heads/main")
	f.Add("a**b*:", "a\xffb:")
	f.Fuzz(func(t *testing.T, pattern, value string) {
		if len(pattern) > 100 || strings.ToValidUTF8(pattern+value, "?") != pattern+value {
			return
		}
		if got := trust.Match(pattern, value); got != matchesRegexp(pattern, value) {
			t.Errorf("%q matches %q: %v", pattern, value, got)
		}
	})
}

func TestConditionsReadClaims(t *testing.T) {
	claims := trust.Claims{
		"sub": "x", "flag": true, "number": json.Number("72"), "list": []any{"x"}, "empty": "", "nothing": nil, "a/b": "slash",
		"kubernetes.io": map[string]any{"namespace": "acme", "pod": map[string]any{"name": "p-1"}, "a/b": "c", "~": "tilde"},
	}
	for condition, want := range map[trust.Condition]bool{
		{Claim: "sub", Value: "x"}: true, {Claim: "sub", Value: "y"}: false, {Claim: "flag", Value: "true"}: true,
		{Claim: "flag", Value: "false"}: false, {Claim: "number", Value: "72"}: true, {Claim: "number", Value: "7*"}: true,
		{Claim: "list", Value: "x"}: false, {Claim: "absent", Value: "x"}: false, {Claim: "nothing", Value: "null"}: false,
		{Claim: "/kubernetes.io/namespace", Value: "acme"}: true, {Claim: "/kubernetes.io/pod/name", Value: "p-*"}: true,
		{Claim: "/kubernetes.io/a~1b", Value: "c"}: true, {Claim: "/kubernetes.io/~0", Value: "tilde"}: true,
		{Claim: "/kubernetes.io", Value: "acme"}: false, {Claim: "kubernetes.io.namespace", Value: "acme"}: false,
		{Claim: "/sub/x", Value: "x"}: false, {Claim: "/sub", Value: "x"}: true, {Claim: "a/b", Value: "slash"}: true,
		{Claim: "/list/0", Value: "x"}: false,
	} {
		if got := condition.Holds(claims); got != want {
			t.Errorf("%+v: %v, want %v", condition, got, want)
		}
	}
}
