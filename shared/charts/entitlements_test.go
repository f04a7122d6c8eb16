package charts_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"portside/shared/charts"
	"portside/shared/core/constraints"
	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
	"portside/testclient/scale"
)

// entitled returns an entitlement for charts.
func entitled(tb rapid.TB, kind entitlement.Artifact, pattern, versions string) entitlement.Entitlement {
	tb.Helper()
	parsed, err := constraints.Parse(versions)
	if err != nil {
		tb.Fatal(err)
	}
	return entitlement.Entitlement{Artifact: kind, Repository: pattern, Versions: parsed}
}

// The versions that the tests publish, and what the constraints of the tests allow of them, written by hand.
var (
	publishedVersions = []string{"1.0.0", "1.5.0-rc.1", "2.0.0", "2.1.0"}
	allowedBy         = map[string][]string{
		"*": publishedVersions, "^1.0.0": {"1.0.0"}, "^1.0.0-0": {"1.0.0", "1.5.0-rc.1"}, ">=2.0.0": {"2.0.0", "2.1.0"},
		"2.0.x": {"2.0.0"}, "^9.0.0": {},
	}
)

// reaches is the naive model: whether one of the scopes and one of the entitlements cover a version of a chart.
func reaches(caller principal.Principal, name, version string) bool {
	isScoped := slices.ContainsFunc(caller.Scopes, func(s principal.Scope) bool {
		return s == principal.ReadCharts || s == principal.ReadCharts+":"+principal.Scope(name)
	})
	return isScoped && slices.ContainsFunc(caller.Entitled, func(e entitlement.Entitlement) bool {
		isCovered := e.Repository == "*" || e.Repository == name
		return e.Artifact == entitlement.Chart && isCovered && slices.Contains(allowedBy[e.Versions.String()], version)
	})
}

// TestEntitlementsAndScopesLimitCharts compares everything that the library shows to random callers of customers with
// the naive model.
func TestEntitlementsAndScopesLimitCharts(t *testing.T) {
	names := []string{"a", "a-1", "b"}
	d := newMeteredBucket(t)
	var all []charts.Version
	for _, name := range names {
		for _, number := range publishedVersions {
			all = append(all, version(name, number))
		}
	}
	d.publish(all...)
	library := d.library() // one for all callers, so that a listing of another caller would be noticed
	patterns := rapid.SampledFrom(append([]string{"*", "other", "a/*"}, names...))
	rules := rapid.SampledFrom(slices.Sorted(maps.Keys(allowedBy)))
	rapid.Check(scale.Checks(t), func(rt *rapid.T) {
		caller := principal.Principal{UserID: "u", CustomerID: "c"}
		for _, name := range rapid.SliceOfN(rapid.SampledFrom(append([]string{""}, names...)), 1, 2).Draw(rt, "scopes") {
			scope := principal.ReadCharts
			if name != "" {
				scope += ":" + principal.Scope(name)
			}
			caller.Scopes = append(caller.Scopes, scope)
		}
		for range rapid.IntRange(0, 3).Draw(rt, "entitlements") {
			kind := rapid.SampledFrom(entitlement.Artifacts()).Draw(rt, "artifact")
			caller.Entitled = append(caller.Entitled,
				entitled(rt, kind, patterns.Draw(rt, "pattern"), rules.Draw(rt, "versions")))
		}
		want := map[string][]string{}
		for _, v := range all {
			if reaches(caller, v.Name, v.Version) {
				want[v.Name] = append(want[v.Name], v.Version)
			}
		}
		compareListing(rt, library, caller, want)
		compareCatalog(rt, library, caller, want)
		comparePulls(rt, library, caller, all)
	})
}

// compareListing compares the index that Helm reads.
func compareListing(t *rapid.T, library *charts.Library, caller principal.Principal, want map[string][]string) {
	t.Helper()
	listing, err := library.Index(t.Context(), caller)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Entries map[string][]charts.Version `json:"entries"`
	}
	if err := json.Unmarshal(listing.Body, &file); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for name, versions := range file.Entries {
		for _, v := range versions {
			got[name] = append(got[name], v.Version)
		}
		slices.Reverse(got[name]) // oldest first, as they were published
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Fatalf("%v with %v lists %v, want %v", caller.Scopes, caller.Entitled.Key(), got, want)
	}
}

// compareCatalog compares what people see.
func compareCatalog(t *rapid.T, library *charts.Library, caller principal.Principal, want map[string][]string) {
	t.Helper()
	page, err := library.Charts(t.Context(), caller, charts.ChartQuery{Limit: 100})
	if err != nil || page.Total != len(want) {
		t.Fatalf("%v with %v sees %d charts, want %d; %v", caller.Scopes, caller.Entitled.Key(), page.Total, len(want), err)
	}
	for _, summary := range page.Charts {
		if summary.Versions != len(want[summary.Latest.Name]) ||
			!slices.Contains(want[summary.Latest.Name], summary.Latest.Version) {
			t.Fatalf("%v sees %s %s of %d versions", caller.Entitled.Key(), summary.Latest.Name, summary.Latest.Version,
				summary.Versions)
		}
	}
	for _, name := range []string{"a", "a-1", "b", "gone"} {
		versions, err := library.Versions(t.Context(), caller, charts.VersionQuery{Chart: name, Limit: 100})
		if versions.Total != len(want[name]) || (err != nil) != (len(want[name]) == 0) || err != nil &&
			!errors.Is(err, charts.ErrNoChart) {
			t.Fatalf("%v sees %d versions of %s, want %v; %v", caller.Entitled.Key(), versions.Total, name, want[name], err)
		}
	}
}

// comparePulls fetches each file. A file that is not permitted looks like one that does not exist.
func comparePulls(t *rapid.T, library *charts.Library, caller principal.Principal, all []charts.Version) {
	t.Helper()
	for _, v := range all {
		_, err := library.Fetch(t.Context(), caller, charts.Wanted{File: v.File()})
		if isReached := reaches(caller, v.Name, v.Version); isReached != (err == nil) {
			t.Fatalf("%v with %v fetches %s: %v", caller.Scopes, caller.Entitled.Key(), v.File(), err)
		}
		if err == nil {
			continue
		}
		missing := strings.Replace(v.File(), v.Version, "77.0.0", 1)
		if _, wanted := library.Fetch(t.Context(), caller, charts.Wanted{File: missing}); !errors.Is(err, wanted) {
			t.Fatalf("%s: %v, but %v for a file that does not exist", v.File(), err, wanted)
		}
	}
}

// The staff is not limited, and a customer without entitlements reaches nothing.
func TestEntitlementsAreNeeded(t *testing.T) {
	d := newMeteredBucket(t)
	d.publish(version("a", "1.0.0"))
	library := d.library()
	ofCustomer := whole
	ofCustomer.CustomerID = "c"
	for _, c := range []struct {
		caller principal.Principal
		want   error
	}{{whole, nil}, {ofCustomer, charts.ErrNotServed}} {
		t.Run("customer "+c.caller.CustomerID, func(t *testing.T) {
			if _, err := library.Fetch(t.Context(), c.caller, charts.Wanted{File: "a-1.0.0.tgz"}); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			listing, err := library.Index(t.Context(), c.caller)
			if err != nil || listing.Complete != (c.want == nil) ||
				strings.Contains(string(listing.Body), "1.0.0") != (c.want == nil) {
				t.Errorf("%s, %v", listing.Body, err)
			}
		})
	}
}
