package constraints

import (
	"strings"
	"testing"

	"portside/shared/core/entitlement"
)

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
		t.Run(c.constraint+" "+c.version, func(t *testing.T) {
			versions, err := Parse(c.constraint)
			if err != nil {
				t.Error(err)
			}
			if got := Of(entitlement.Set{{Versions: versions}}).Allow(c.version); got != c.want {
				t.Errorf("%q allows %q: %v", c.constraint, c.version, got)
			}
		})
	}
	for _, text := range []string{
		"", " ", "latest", "^", "1.2.3.4", "**", "^1.2.0 ||", strings.Repeat("1.x||", 5) + "2.x",
		strings.Repeat("1.0.0,", MaxChars/6+1),
	} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// TestWhatIsNoConstraintAllowsNothing checks a text that Parse does not accept, beside a constraint that still holds.
func TestWhatIsNoConstraintAllowsNothing(t *testing.T) {
	checker := Of(entitlement.Set{{Versions: "latest"}, {Versions: "^1.0.0"}, {Versions: "**"}})
	if !checker.Allow("1.2.3") || checker.Allow("2.0.0") || checker.Allow("latest") || checker.Allow("**") {
		t.Error("the checker allows another version, or not what the constraint allows")
	}
}

func TestZeroValuesAllowNothing(t *testing.T) {
	if (Checker{}).Allow("1.0.0") || Of(entitlement.Set{}).Allow("1.0.0") || Of(entitlement.Set{{}}).Allow("1.0.0") {
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
		versions, err := Parse(constraint)
		if err != nil {
			return
		}
		again, err := Parse(versions.String())
		if err != nil {
			t.Fatalf("the text %q of %q is not a constraint", versions, constraint)
		}
		allowed := Of(entitlement.Set{{Versions: versions}}).Allow(version)
		if allowed != Of(entitlement.Set{{Versions: again}}).Allow(version) {
			t.Errorf("%q and its text differ about %q", constraint, version)
		}
		if _, isVersion := parse(version); allowed && !isVersion && !versions.IsAll() {
			t.Errorf("%q allows %q", constraint, version)
		}
	})
}

// Lists and keys of caches show a constraint on one line.
func TestConstraintsAreOneLine(t *testing.T) {
	versions, err := Parse(" >=1.2.0\n\t<3.0.0 ")
	if err != nil || versions.String() != ">=1.2.0 <3.0.0" {
		t.Errorf("%q, %v", versions, err)
	}
}
