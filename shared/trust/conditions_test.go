package trust_test

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"

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
		// GitHub's subjects with IDs
		{"repo:acme@65/app@74:ref:refs/heads/*", "repo:acme@65/app@74:ref:refs/heads/feature/x@2", true},
		{"repo:acme@65/*:ref:refs/heads/main", "repo:acme@65/app@74:ref:refs/heads/main", true},
		{"repo:acme@*/app@*:ref:refs/heads/main", "repo:acme@65/app@74:ref:refs/heads/main", true},
		{"repo:acme@*/app@*:ref:refs/heads/main", "repo:acme-evil@9/app@1:ref:refs/heads/main", false},
		{"repo:acme*/app*:ref:refs/heads/main", "repo:acme-evil@9/app@1:ref:refs/heads/main", false},
		{"repo:acme*/app*:ref:refs/heads/main", "repo:acme@65/app@74:ref:refs/heads/main", false},
		{"repo:acme@*:ref:refs/heads/main", "repo:acme@65/app@74:ref:refs/heads/main", false},
		{"repo:acme/app:ref:refs/heads/main", "repo:acme@65/app@74:ref:refs/heads/main", false},
		// the ends of paths, and other places
		{"refs/heads/*", "refs/heads/feature/x", true}, {"refs/*/main", "refs/heads/x/main", false}, {"refs/*/main", "refs/heads/main", true},
		{"refs/tags/v*", "refs/tags/v1.2.3", true}, {"refs/tags/v*", "refs/tags/v1/x", false}, {"refs/heads/**", "refs/heads/a/b", false},
		{"environment:*", "environment:eu/prod@1", true}, {"*@acme.com", "ada@evil.com@acme.com", false}, {"*@acme.com", "ada@acme.com", true},
		{"@*", "@a/b", false}, {"*/x", "a/b/x", false}, {"a/*:b", "a/x/y:b", true}, {"a/*:b", "a/x:c:b", false}, {"*/", "a/", true},
		{"a*b*c", "aXbXc", true}, {"a*b*c", "abXc", false}, {"a*b*c", "aXbc", false}, {"a*b*c", "aXbXbXc", true}, {"a*a", "a", false},
		{"a*a", "aa", false}, {"a*a", "aaa", true}, {"**", "x", false}, {"**", "xy", true}, {"*", "é", true}, {"", "", true}, {"", "x", false},
		{"a.c", "abc", false}, {"[a]", "a", false}, {"a?", "ab", false}, {"*", "a\nb", true},
	} {
		t.Run(c.pattern+" matches "+c.value, func(t *testing.T) {
			if got := trust.Match(c.pattern, c.value); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// matchesRegexp is Match by the rule that is documented.
func matchesRegexp(pattern, value string) bool {
	var all strings.Builder
	for i, letter := range []byte(pattern) {
		beginsPart := i == 0 || strings.IndexByte(":/", pattern[i-1]) >= 0
		endsPath := i == len(pattern)-1 || pattern[i+1] == ':'
		switch {
		case letter != '*':
			all.WriteString(regexp.QuoteMeta(string(letter)))
		case beginsPart && endsPath:
			all.WriteString(`[^:]+`)
		default:
			all.WriteString(`[^:/@]+`)
		}
	}
	return regexp.MustCompile(`^(?s:` + all.String() + `)$`).MatchString(value)
}

//proves:docs/security.md
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
		pattern, value := text("ab:/@***"), text("aab:/@")
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
	f.Add("repo:acme@*/app@*:ref:refs/*/x*", "repo:acme@65/app@74:ref:refs/heads/x@1")
	f.Add("a**b*:", "a\xffb:")
	f.Fuzz(func(t *testing.T, pattern, value string) {
		isASCII := func(text string) bool {
			return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
		}
		if len(pattern) > 100 || !isASCII(pattern) || strings.ToValidUTF8(value, "?") != value { // the expression is built of bytes
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
	for condition, want := range map[[2]string]bool{
		{"sub", "x"}: true, {"sub", "y"}: false, {"flag", "true"}: true,
		{"flag", "false"}: false, {"number", "72"}: true, {"number", "7*"}: true,
		{"list", "x"}: false, {"absent", "x"}: false, {"nothing", "null"}: false,
		{"/kubernetes.io/namespace", "acme"}: true, {"/kubernetes.io/pod/name", "p-*"}: true,
		{"/kubernetes.io/a~1b", "c"}: true, {"/kubernetes.io/~0", "tilde"}: true,
		{"/kubernetes.io", "acme"}: false, {"kubernetes.io.namespace", "acme"}: false,
		{"/sub/x", "x"}: false, {"/sub", "x"}: true, {"a/b", "slash"}: true,
		{"/list/0", "x"}: false,
	} {
		if got := (trust.Condition{Claim: condition[0], Values: condition[1:]}).Holds(claims); got != want {
			t.Errorf("%+v: %v, want %v", condition, got, want)
		}
	}
}

func TestOneOfSeveralValuesHolds(t *testing.T) {
	c := trust.Condition{Claim: "ref", Values: []string{"refs/heads/main", "refs/tags/v*"}}
	for ref, want := range map[string]bool{"refs/heads/main": true, "refs/tags/v2": true, "refs/heads/v2": false,
		"": false} {
		if got := c.Holds(trust.Claims{"ref": ref}); got != want {
			t.Errorf("%q: %v", ref, got)
		}
	}
	if (trust.Condition{Claim: "ref"}).Holds(trust.Claims{"ref": ""}) {
		t.Error("a condition without values holds")
	}
}
