package constraints_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/shared/core/constraints"
	"portside/shared/core/entitlement"
	"portside/testclient/scale"
)

// version is a complete semantic version: major, minor and patch, and whether it is a prerelease.
type version struct {
	numbers [3]int
	isPre   bool
}

func (v version) String() string {
	text := fmt.Sprintf("%d.%d.%d", v.numbers[0], v.numbers[1], v.numbers[2])
	if v.isPre {
		text += "-rc.1"
	}
	return text
}

func (v version) compare(other version) int {
	if order := slices.Compare(v.numbers[:], other.numbers[:]); order != 0 {
		return order
	}
	rank := map[bool]int{true: -1, false: 0} // a prerelease comes before its version
	return cmp.Compare(rank[v.isPre], rank[other.isPre])
}

func drawnVersion(r *rapid.T) version {
	number := rapid.IntRange(0, 2)
	return version{[3]int{number.Draw(r, "major"), number.Draw(r, "minor"), number.Draw(r, "patch")},
		rapid.Bool().Draw(r, "prerelease")}
}

// rule is a constraint with the versions that it allows.
type rule struct {
	text   string
	isAll  bool
	allows func(version) bool
}

// drawnRule returns a constraint of one of the kinds that people write, and sometimes two of them.
func drawnRule(r *rapid.T) rule {
	first := drawnTerm(r)
	if first.isAll || !rapid.Bool().Draw(r, "or another") {
		return first
	}
	second := drawnTerm(r)
	if second.isAll {
		return second
	}
	allows := func(v version) bool { return first.allows(v) || second.allows(v) }
	return rule{first.text + " || " + second.text, false, allows}
}

func drawnTerm(r *rapid.T) rule {
	low, high := drawnVersion(r), drawnVersion(r)
	// Unless the term names a prerelease, it allows none.
	unlessPre := func(named bool, allows func(version) bool) func(version) bool {
		return func(v version) bool { return (named || !v.isPre) && allows(v) }
	}
	same := func(v version, numbers int) bool { return slices.Equal(v.numbers[:numbers], low.numbers[:numbers]) }
	switch rapid.SampledFrom([]string{"*", "=", "^", "~", "x", "range"}).Draw(r, "constraint") {
	case "=":
		return rule{low.String(), false, unlessPre(low.isPre, func(v version) bool { return v == low })}
	case "^": // the first number that is not 0 stays
		fixed := 1 + slices.IndexFunc(low.numbers[:], func(n int) bool { return n > 0 })
		if fixed == 0 {
			fixed = len(low.numbers)
		}
		return rule{"^" + low.String(), false, unlessPre(low.isPre, func(v version) bool { return v.compare(low) >= 0 && same(v, fixed) })}
	case "~": // to the library, as to Helm, ~0.0.0 is >=0.0.0
		fixed := 2
		if low.numbers == [3]int{} {
			fixed = 0
		}
		return rule{"~" + low.String(), false, unlessPre(low.isPre, func(v version) bool { return v.compare(low) >= 0 && same(v, fixed) })}
	case "x":
		return rule{fmt.Sprintf("%d.x", low.numbers[0]), false, unlessPre(false, func(v version) bool { return same(v, 1) })}
	case "range":
		within := func(v version) bool { return v.compare(low) >= 0 && v.compare(high) < 0 }
		return rule{fmt.Sprintf(">=%s <%s", low, high), false, unlessPre(low.isPre || high.isPre, within)}
	default:
		return rule{"*", true, func(version) bool { return true }}
	}
}

// drawnTag returns a tag, and the version that it is, or nil.
func drawnTag(r *rapid.T) (string, *version) {
	if rapid.IntRange(0, 3).Draw(r, "is no version") == 0 {
		return rapid.SampledFrom([]string{"latest", "1", "1.2", "v1.2", "", "1.2.3.4", "x1.2.3", "01.2.3"}).
			Draw(r, "tag"), nil
	}
	v := drawnVersion(r)
	before := rapid.SampledFrom([]string{"", "v"}).Draw(r, "before")
	return before + v.String() + rapid.SampledFrom([]string{"", "_build.5", "+build.5"}).Draw(r, "after"), &v
}

// drawnName returns the components of a repository's name.
func drawnName(r *rapid.T) []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"a", "ab", "A"}), 1, 3).Draw(r, "name")
}

// right is an entitlement with what the test knows that it allows.
type right struct {
	entitlement.Entitlement
	versions rule
	path     []string // components of the name or folder
	isFolder bool     // whether it stands for all below the path
}

func drawnRight(t *rapid.T, i int) right {
	e := right{versions: drawnRule(t), isFolder: rapid.Bool().Draw(t, "folder")}
	if !e.isFolder || rapid.Bool().Draw(t, "has a path") {
		e.path = drawnName(t)
	}
	pattern := slices.Clone(e.path)
	if e.isFolder {
		pattern = append(pattern, "*")
	}
	allowed, err := constraints.Parse(e.versions.text)
	if err != nil {
		t.Fatalf("%q: %v", e.versions.text, err)
	}
	e.Entitlement = entitlement.Entitlement{
		ID: fmt.Sprint(i), Artifact: rapid.SampledFrom(entitlement.Artifacts()).Draw(t, "artifact"),
		Repository: strings.Join(pattern, "/"), Versions: allowed, From: drawnTime(t, "from"), Until: drawnTime(t, "until"),
	}
	if !entitlement.IsPattern(e.Repository) {
		t.Fatalf("%q is no pattern", e.Repository)
	}
	return e
}

// drawnTime returns one of a few times, or none.
func drawnTime(r *rapid.T, name string) time.Time {
	hour := rapid.IntRange(0, 4).Draw(r, name)
	if hour == 0 {
		return time.Time{}
	}
	return time.Date(2026, 3, 2, hour, 0, 0, 0, time.UTC)
}

func (e right) isInEffect(at time.Time) bool {
	return (e.From.IsZero() || !e.From.After(at)) && (e.Until.IsZero() || e.Until.After(at))
}

func (e right) covers(name []string) bool {
	if e.isFolder {
		return len(name) > len(e.path) && slices.Equal(name[:len(e.path)], e.path)
	}
	return slices.Equal(name, e.path)
}

func (e right) allows(v *version) bool { return e.versions.isAll || v != nil && e.versions.allows(*v) }

// TestSetsMatchNaiveModel compares the operations on sets with a walk over all entitlements that asks for everything at
// once.
func TestSetsMatchNaiveModel(t *testing.T) {
	rapid.Check(scale.Checks(t), func(r *rapid.T) {
		var rights []right
		var set entitlement.Set
		for i := range rapid.IntRange(0, 6).Draw(r, "entitlements") {
			rights = append(rights, drawnRight(r, i))
			set = append(set, rights[i].Entitlement)
		}
		at, kind := drawnTime(r, "at"), rapid.SampledFrom(entitlement.Artifacts()).Draw(r, "kind")
		name := drawnName(r)
		repository := strings.Join(name, "/")
		tag, parsed := drawnTag(r)

		found := map[string]bool{}
		for _, e := range rights {
			if !e.isInEffect(at) || e.Artifact != kind {
				continue
			}
			found["everywhere"] = found["everywhere"] || e.isFolder && len(e.path) == 0
			found["all everywhere"] = found["all everywhere"] || e.isFolder && len(e.path) == 0 && e.versions.isAll
			found["covered"] = found["covered"] || e.covers(name)
			found["all"] = found["all"] || e.covers(name) && e.versions.isAll
			found["allowed"] = found["allowed"] || e.covers(name) && e.allows(parsed)
		}
		current := set.At(at).Of(kind)
		want(r, "CoverAll", current.CoverAll(), found["everywhere"])
		want(r, "AllowAllEverywhere", current.AllowAllEverywhere(), found["all everywhere"])
		want(r, "Covers "+repository, current.Covers(repository), found["covered"])
		for order, here := range map[string]entitlement.Set{
			"At, Of, In": current.In(repository), "In, Of, At": set.In(repository).Of(kind).At(at), "Of, At, In": set.Of(kind).
					At(at).In(repository),
		} {
			want(r, order+", some", len(here) > 0, found["covered"])
			want(r, order+", AllowAll", here.AllowAll(), found["all"])
			want(r, order+", Allow "+tag, constraints.Of(here).Allow(tag), found["allowed"])
		}
	})
}

// TestEverythingAllowsEverything checks the set of the staff.
func TestEverythingAllowsEverything(t *testing.T) {
	rapid.Check(scale.Checks(t), func(r *rapid.T) {
		kind := rapid.SampledFrom(entitlement.Artifacts()).Draw(r, "kind")
		tag, _ := drawnTag(r)
		set := entitlement.Everything().At(drawnTime(r, "at")).Of(kind).In(strings.Join(drawnName(r), "/"))
		want(r, "Allow "+tag, constraints.Of(set).Allow(tag) && set.AllowAll() && set.CoverAll() &&
			set.AllowAllEverywhere(), true)
	})
}

// TestKeysDoNotDependOnOrder shuffles and repeats entitlements. Sets with the same key allow the same.
func TestKeysDoNotDependOnOrder(t *testing.T) {
	rapid.Check(scale.Checks(t), func(r *rapid.T) {
		var sets [2]entitlement.Set
		for i := range sets {
			for range rapid.IntRange(0, 2).Draw(r, "entitlements") {
				sets[i] = append(sets[i], drawnRight(r, i).Entitlement)
			}
			shuffled := rapid.Permutation(slices.Repeat(sets[i], 2)).Draw(r, "shuffled")
			want(r, "equal keys", shuffled.Key() == sets[i].Key(), true)
		}
		if sets[0].Key() != sets[1].Key() {
			return
		}
		kind, name := rapid.SampledFrom(entitlement.Artifacts()).Draw(r, "kind"), strings.Join(drawnName(r), "/")
		tag, _ := drawnTag(r)
		want(r, "allowed by both", constraints.Of(sets[0].Of(kind).In(name)).Allow(tag),
			constraints.Of(sets[1].Of(kind).In(name)).Allow(tag))
	})
}

func want(r *rapid.T, what string, got, wanted bool) {
	if got != wanted {
		r.Fatalf("%s: %v, want %v", what, got, wanted)
	}
}
