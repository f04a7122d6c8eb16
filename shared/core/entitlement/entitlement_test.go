package entitlement

import (
	"strings"
	"testing"
	"time"
)

func TestPatterns(t *testing.T) {
	for text, want := range map[string]bool{
		"*": true, "acme": true, "acme/api": true, "acme/*": true, "a/b/c/*": true, "my_chart.v2": true, "Product": true,
		"": false, "/*": false, "acme/": false, "acme*": false, "*/api": false, "acme/**": false, "acme//api": false, "-a": false,
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
		if got := (Entitlement{Repository: c.pattern}).Covers(c.repository); got != c.want {
			t.Errorf("%q covers %q: %v", c.pattern, c.repository, got)
		}
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
		if got := c.e.InEffect(c.at); got != c.want {
			t.Errorf("%+v at %v: %v", c.e, c.at, got)
		}
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		constraint, version string
		want                bool
	}{
		{"*", "1.2.3", true}, {"*", "latest", true}, {"*", "1.3.0-rc.1", true}, {"*", "", true},
		{"^1.2.0", "1.2.0", true}, {"^1.2.0", "v1.9.9", true}, {"^1.2.0", "2.0.0", false}, {"^1.2.0", "1.1.9", false},
		{"^1.2.0", "1.2", false}, {"^1.2.0", "1", false}, {"^1.2.0", "latest", false}, {"^1.2.0", "", false},
		{"^1.2.0", "1.3.0-rc.1", false}, {"^1.2.0-0", "1.3.0-rc.1", true}, {"^1.2.0", "1.3.0_build", true}, {"^1.2.0", "1.3.0+build", true},
		{">=1.0.0 <2.0.0 || 4.x", "4.5.6", true}, {">=1.0.0 <2.0.0 || 4.x", "3.0.0", false}, {" 1.2.3 ", "1.2.3", true},
	} {
		versions, err := ParseVersions(c.constraint)
		if err != nil {
			t.Errorf("%q: %v", c.constraint, err)
		}
		if got := (Set{{Versions: versions}}).Allow(c.version); got != c.want {
			t.Errorf("%q allows %q: %v", c.constraint, c.version, got)
		}
	}
	for _, text := range []string{
		"", " ", "latest", "^", "1.2.3.4", "**", "^1.2.0 ||", strings.Repeat("1.x||", 5) + "2.x", strings.Repeat("1.0.0,", MaxVersions/6+1),
	} {
		if _, err := ParseVersions(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestZeroValuesAllowNothing(t *testing.T) {
	if (Set{}).Allow("1.0.0") || (Set{{}}).Allow("1.0.0") || (Set{{}}).AllowAll() || (Set{}).Covers("acme") {
		t.Error("an empty set or entitlement allows something")
	}
}

// FuzzVersions parses constraints that a client could send, and checks versions against them.
func FuzzVersions(f *testing.F) {
	f.Add("^1.2.0", "1.2.3")
	f.Add(">=1.0.0 <2.0.0 || 4.x", "v4.0.0-rc.1")
	f.Add("*", "latest")
	f.Add("1.2 - 1.4", "1.3.0_build")
	f.Fuzz(func(t *testing.T, constraint, version string) {
		versions, err := ParseVersions(constraint)
		if err != nil {
			return
		}
		again, err := ParseVersions(versions.String())
		if err != nil {
			t.Fatalf("the text %q of %q is not a constraint", versions, constraint)
		}
		allowed := Set{{Versions: versions}}.Allow(version)
		if allowed != (Set{{Versions: again}}).Allow(version) {
			t.Errorf("%q and its text differ about %q", constraint, version)
		}
		if _, isVersion := parse(version); allowed && !isVersion && !versions.isAll() {
			t.Errorf("%q allows %q", constraint, version)
		}
	})
}

// Lists and keys of caches show a constraint on one line.
func TestConstraintsAreOneLine(t *testing.T) {
	versions, err := ParseVersions(" >=1.2.0\n\t<3.0.0 ")
	if err != nil || versions.String() != ">=1.2.0 <3.0.0" {
		t.Errorf("%q, %v", versions, err)
	}
}
