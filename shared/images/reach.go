package images

import (
	"slices"

	"portside/shared/core/constraints"
	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
)

// Reach is what a caller may fetch of a repository: the intersection of the scopes and the entitlements. Its zero value
// is nothing.
type Reach struct {
	whole  entitlement.Set // the versions of everything
	charts entitlement.Set // the versions of charts, in addition

	ofWhole, ofCharts constraints.Checker // their constraints

	isForCharts bool // the scopes are only for charts
}

// ReachOf returns what the caller may fetch in the repository.
func ReachOf(who principal.Principal, repository string) Reach {
	entitled := who.Entitlements().In(repository)
	switch {
	case who.MayFetch(principal.ReadImages, repository):
		return newReach(entitled.Of(entitlement.Image), entitled.Of(entitlement.Chart), false)
	case who.MayFetch(principal.ReadCharts, repository):
		return newReach(nil, entitled, true)
	default:
		return Reach{}
	}
}

func newReach(whole, charts entitlement.Set, isForCharts bool) Reach {
	return Reach{whole, charts, constraints.Of(whole), constraints.Of(charts), isForCharts}
}

// IsScoped reports whether the caller's scopes cover the repository, whatever the entitlements.
func IsScoped(who principal.Principal, repository string) bool {
	return who.MayFetch(principal.ReadImages, repository) || who.MayFetch(principal.ReadCharts, repository)
}

// IsNothing reports whether the caller may fetch nothing.
func (r Reach) IsNothing() bool { return len(r.whole) == 0 && len(r.charts) == 0 }

// IsEverything reports whether the caller may fetch every version of everything.
func (r Reach) IsEverything() bool { return r.whole.AllowAll() }

// IsOnlyCharts reports whether the caller may fetch nothing but charts.
func (r Reach) IsOnlyCharts() bool { return len(r.whole) == 0 }

// HasCharts reports whether the caller may fetch charts in addition to the artifacts of any kind.
func (r Reach) HasCharts() bool { return len(r.charts) > 0 }

// IsByScope reports whether the scopes, and not only the entitlements, keep the caller from everything but charts.
func (r Reach) IsByScope() bool { return r.isForCharts }

// HasAllVersions reports whether the caller may fetch all versions of charts, or of everything if isChart is false.
func (r Reach) HasAllVersions(isChart bool) bool {
	return r.IsEverything() || isChart && r.charts.AllowAll()
}

// HasTag reports whether the caller may fetch what a tag leads to, if it is a chart, or whatever it is.
func (r Reach) HasTag(tag string, isChart bool) bool {
	return r.ofWhole.Allow(tag) || isChart && r.ofCharts.Allow(tag)
}

// Has reports whether the caller may fetch a version.
func (r Reach) Has(version Version) bool { return r.HasTag(version.Tag, version.IsChart) }

// Listed reports whether the catalog shows the repository to the caller. The catalog does not know
// what a repository contains, so callers who may fetch only charts see only the repositories that
// their scopes name or, for users of a customer, the entitlements.
func Listed(who principal.Principal, repository string) bool {
	reach := ReachOf(who, repository)
	switch {
	case reach.IsNothing() || !reach.IsOnlyCharts():
		return !reach.IsNothing()
	case who.CustomerID == "":
		return !who.FetchesAll(principal.ReadCharts)
	default:
		return slices.ContainsFunc(reach.charts, entitlement.Entitlement.IsLimited)
	}
}

// SeesAll reports whether the catalog shows every repository to the caller.
func SeesAll(who principal.Principal) bool {
	return who.FetchesAll(principal.ReadImages) && who.Entitlements().Of(entitlement.Image).CoverAll()
}
