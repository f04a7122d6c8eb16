package entitlement

import (
	"strings"
	"testing"
	"time"
)

func TestPatterns(t *testing.T) {
	for text, want := range map[string]bool{
		"*": true, "acme": true, "acme/api": true, "acme/*": true, "a/b/c/*": true, "my_chart.v2": true, "Product": true,
		"": false, "/*": false, "acme/": false, "acme*": false, "*/api": false, "acme/**": false, "acme//api": false,
		"-a":                            false,
		strings.Repeat("a", MaxPattern): true, strings.Repeat("a", MaxPattern+1): false, "a b": false, "a\n": false,
	} {
		if got := IsPattern(text); got != want {
			t.Errorf("IsPattern(%q) = %v", text, got)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		pattern, repository string
		want                bool
	}{
		{"*", "acme", true}, {"*", "acme/api", true}, {"*", "", false},
		{"acme/*", "acme/api", true}, {"acme/*", "acme/a/b", true}, {"acme/*", "acme", false}, {"acme/*", "acme/", false},
		{"acme/*", "acmeother/api", false}, {"acme", "acme", true}, {"acme", "acme/api", false}, {"acme", "acm", false},
	} {
		t.Run(c.pattern+" "+c.repository, func(t *testing.T) {
			if got := (Entitlement{Repository: c.pattern}).Covers(c.repository); got != c.want {
				t.Errorf("%q covers %q: %v", c.pattern, c.repository, got)
			}
		})
	}
}

func TestInEffect(t *testing.T) {
	from := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	until := from.AddDate(1, 0, 0)
	for _, c := range []struct {
		e    Entitlement
		at   time.Time
		want bool
	}{
		{Entitlement{}, from, true},
		{Entitlement{From: from}, from, true},
		{Entitlement{From: from}, from.Add(-1), false},
		{Entitlement{Until: until}, until.Add(-1), true},
		{Entitlement{Until: until}, until, false},
	} {
		t.Run(c.at.String(), func(t *testing.T) {
			if got := c.e.InEffect(c.at); got != c.want {
				t.Errorf("%+v at %v: %v", c.e, c.at, got)
			}
		})
	}
}
