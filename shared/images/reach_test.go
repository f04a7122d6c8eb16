package images_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"portside/shared/core/constraints"
	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
	"portside/shared/images"
	"portside/testclient/scale"
)

// The parts of a repository that a caller of the vendor's staff may fetch.
const (
	nothing    = "nothing"
	onlyCharts = "only charts"
	everything = "everything"
)

func reachOfStaff(r images.Reach) string {
	switch {
	case r.IsEverything():
		return everything
	case r.HasAllVersions(true):
		return onlyCharts
	case r.IsNothing():
		return nothing
	default:
		return "some versions"
	}
}

func TestReachOfStaff(t *testing.T) {
	for _, c := range []struct {
		scopes     []principal.Scope
		repository string
		reach      string
		listed     bool
	}{
		{nil, "acme/api", nothing, false},
		{[]principal.Scope{"read:docker-images"}, "acme/api", everything, true},
		{[]principal.Scope{"read:docker-images:acme/*"}, "acme/api", everything, true},
		{[]principal.Scope{"read:docker-images:acme/*"}, "other/api", nothing, false},
		{[]principal.Scope{"read:helm-charts"}, "acme/api", onlyCharts, false},
		{[]principal.Scope{"read:helm-charts:charts/product"}, "charts/product", onlyCharts, true},
		{[]principal.Scope{"read:helm-charts:product"}, "charts/product", nothing, false},
		{[]principal.Scope{"read:helm-charts", "read:docker-images:acme/api"}, "acme/api", everything, true},
		{[]principal.Scope{"read:helm-charts", "read:docker-images:acme/api"}, "acme/web", onlyCharts, false},
	} {
		t.Run(fmt.Sprintf("%v in %s", c.scopes, c.repository), func(t *testing.T) {
			who := principal.Principal{Scopes: c.scopes}
			if got := reachOfStaff(images.ReachOf(who, c.repository)); got != c.reach {
				t.Errorf("%v reach %s in %s, want %s", c.scopes, got, c.repository, c.reach)
			}
			if got := images.Listed(who, c.repository); got != c.listed {
				t.Errorf("%v list %s: %v", c.scopes, c.repository, got)
			}
		})
	}
	if got := reachOfStaff(images.ReachOf(principal.Principal{Role: principal.Admin}, "acme/api")); got != nothing {
		t.Errorf("an admin's API key reaches %v", got)
	}
}

// allowedBy has what the constraints of the test allow of its tags, written by hand.
var allowedBy = map[string][]string{
	"*": {"1.0.0", "v2.0.0", "1.1.0-rc.1", "latest", "1.2"}, "^1.0.0": {"1.0.0"}, "^1.0.0-0": {"1.0.0", "1.1.0-rc.1"}, ">=2": {"v2.0.0"},
}

// TestReachIsIntersection compares the reach of random callers of customers with a naive model.
func TestReachIsIntersection(t *testing.T) {
	scopes := rapid.SampledFrom([]principal.Scope{
		"read:docker-images", "read:docker-images:acme/*", "read:docker-images:acme/api", "read:helm-charts", "read:helm-charts:acme/*",
	})
	patterns := rapid.SampledFrom([]string{"*", "acme/*", "acme/api", "other/*"})
	rules := rapid.SampledFrom(slices.Sorted(maps.Keys(allowedBy)))
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		who := principal.Principal{CustomerID: "c", Scopes: rapid.SliceOfN(scopes, 0, 2).Draw(t, "scopes")}
		for range rapid.IntRange(0, 3).Draw(t, "entitlements") {
			versions, err := constraints.Parse(rules.Draw(t, "versions"))
			if err != nil {
				t.Fatal(err)
			}
			who.Entitled = append(who.Entitled, entitlement.Entitlement{
				Artifact: rapid.SampledFrom(entitlement.Artifacts()).
					Draw(t, "artifact"), Repository: patterns.Draw(t, "pattern"), Versions: versions,
			})
		}
		for _, repository := range []string{"acme/api", "acme/web", "other/api", "acme"} {
			wantIntersection(t, who, repository)
		}
	})
}

func wantIntersection(t *rapid.T, who principal.Principal, repository string) {
	t.Helper()
	reach, reachesSome := images.ReachOf(who, repository), false
	for _, tag := range allowedBy["*"] {
		for _, isChart := range []bool{false, true} {
			want := reaches(who, repository, tag, isChart)
			reachesSome = reachesSome || want
			if reach.HasTag(tag, isChart) != want || reach.Has(images.Version{Tag: tag, IsChart: isChart}) != want {
				t.Fatalf("%v with %s reach %s:%s (chart %v): %v", who.Scopes, who.Entitled.Key(), repository, tag, isChart, !want)
			}
		}
	}
	if reachesSome == reach.IsNothing() || images.Listed(who, repository) && !reachesSome {
		t.Fatalf("%v with %s: nothing %v in %s", who.Scopes, who.Entitled.Key(), reach.IsNothing(), repository)
	}
}

// reaches is the naive model: one of the scopes and one of the entitlements cover the tag, and one of them may be only
// for charts.
func reaches(who principal.Principal, repository, tag string, isChart bool) bool {
	covers := func(pattern string) bool {
		folder, isFolder := strings.CutSuffix(pattern, "/*")
		return pattern == "*" || pattern == repository || isFolder && strings.HasPrefix(repository, folder+"/")
	}
	isScoped := slices.ContainsFunc(who.Scopes, func(s principal.Scope) bool {
		kind, names, isNarrow := strings.Cut(strings.TrimPrefix(string(s), "read:"), ":")
		return (kind == "docker-images" || isChart) && (!isNarrow || covers(names))
	})
	return isScoped && slices.ContainsFunc(who.Entitled, func(e entitlement.Entitlement) bool {
		return (e.Artifact == entitlement.Image || isChart) && covers(e.Repository) &&
			slices.Contains(allowedBy[e.Versions.String()], tag)
	})
}
