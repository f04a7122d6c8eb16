package principal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"portside/shared/core/constraints"
	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
	"portside/testclient/scale"
)

// drawnPath returns a name with up to three components.
func drawnPath(r *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "ab", "b"}), 1, 3).Draw(r, "path"), "/")
}

// drawnScope returns a scope, its action, and the name or folder to which it is limited, or "".
func drawnScope(r *rapid.T) (scope, action principal.Scope, limit string) {
	action = rapid.SampledFrom([]principal.Scope{principal.ReadCharts, principal.ReadImages}).Draw(r, "action")
	switch rapid.IntRange(0, 2).Draw(r, "limit") {
	case 0:
		return action, action, ""
	case 1:
		limit = drawnPath(r)
	default:
		limit = drawnPath(r) + "/*"
	}
	return action + ":" + principal.Scope(limit), action, limit
}

// matches reports whether a name is the limit, or below it if it is a folder. It compares component by component.
func matches(limit, name string) bool {
	want, got := strings.Split(limit, "/"), strings.Split(name, "/")
	last := len(want) - 1
	if want[last] != "*" {
		return slices.Equal(want, got)
	}
	return len(got) > last && slices.Equal(want[:last], got[:last])
}

func drawnEntitlement(r *rapid.T, id string) entitlement.Entitlement {
	pattern := rapid.SampledFrom([]string{"*", drawnPath(r), drawnPath(r) + "/*"}).Draw(r, "pattern")
	versions, err := constraints.Parse(rapid.SampledFrom([]string{"*", "1.0.0", "2.0.0"}).Draw(r, "versions"))
	if err != nil {
		r.Fatal(err)
	}
	kind := rapid.SampledFrom(entitlement.Artifacts()).Draw(r, "artifact")
	return entitlement.Entitlement{ID: id, Artifact: kind, Repository: pattern, Versions: versions}
}

// expected is what a caller may fetch of a chart, by a walk over all scopes and all entitlements.
type expected struct {
	isInScope, fetchesAll      bool // as far as the scopes say
	isAllowed, isEntitledToAll bool // as far as the entitlements say
	entitlements               []string
	name, tag                  string
}

func (x *expected) addScope(action principal.Scope, limit string) {
	if action == principal.ReadCharts {
		x.isInScope = x.isInScope || limit == "" || matches(limit, x.name)
		x.fetchesAll = x.fetchesAll || limit == ""
	}
}

func (x *expected) addEntitlement(e entitlement.Entitlement) {
	if e.Artifact != entitlement.Chart {
		return
	}
	all := e.Versions.String() == "*"
	x.isEntitledToAll = x.isEntitledToAll || e.Repository == "*" && all
	if matches(e.Repository, x.name) {
		x.entitlements = append(x.entitlements, e.ID)
		x.isAllowed = x.isAllowed || all || e.Versions.String() == strings.TrimPrefix(x.tag, "v")
	}
}

// TestChartsAreTheIntersectionOfScopesAndEntitlements compares what a caller may fetch with the walk. The staff has no
// entitlements, and may fetch what the scopes say.
func TestChartsAreTheIntersectionOfScopesAndEntitlements(t *testing.T) {
	rapid.Check(scale.Checks(t), func(r *rapid.T) {
		who := principal.Principal{UserID: "ada",
			CustomerID: rapid.SampledFrom([]string{"", "acme", "acme"}).Draw(r, "customer")}
		isStaff := who.CustomerID == ""
		x := expected{name: drawnPath(r),
			tag: rapid.SampledFrom([]string{"1.0.0", "v2.0.0", "3.0.0", "latest"}).Draw(r, "tag")}
		for range rapid.IntRange(0, 3).Draw(r, "scopes") {
			scope, action, limit := drawnScope(r)
			who.Scopes = append(who.Scopes, scope)
			x.addScope(action, limit)
		}
		for i := range rapid.IntRange(0, 4).Draw(r, "entitlements") {
			who.Entitled = append(who.Entitled, drawnEntitlement(r, fmt.Sprint(i)))
			x.addEntitlement(who.Entitled[i])
		}
		charts := who.Charts(x.name)
		if got, want := constraints.Of(charts).Allow(x.tag), x.isInScope && (isStaff || x.isAllowed); got != want {
			r.Fatalf("%s %s is allowed: %v, want %v", x.name, x.tag, got, want)
		}
		if got, want := who.FetchesAllCharts(), x.fetchesAll && (isStaff || x.isEntitledToAll); got != want {
			r.Fatalf("fetches all charts: %v, want %v", got, want)
		}
		if !x.isInScope {
			x.entitlements = nil
		}
		if got := idsOf(charts); !isStaff && !slices.Equal(got, x.entitlements) {
			r.Fatalf("the entitlements for %s are %q, want %q", x.name, got, x.entitlements)
		}
	})
}

func idsOf(set entitlement.Set) []string {
	var ids []string
	for _, e := range set {
		ids = append(ids, e.ID)
	}
	return ids
}
