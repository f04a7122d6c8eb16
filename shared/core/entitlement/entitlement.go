// Package entitlement decides what a customer may fetch.
//
// An entitlement names a kind of artifact, repositories, versions and a period. A credential of a customer may fetch an
// artifact only if both its scopes and an entitlement of the customer allow it: a scope says what one machine may
// fetch, an entitlement what the company has bought. Several entitlements add up; none takes away what another one
// gives.
package entitlement

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Artifact is a kind of artifact.
type Artifact string

// The kinds. A chart is reached in the chart repository and in the container registry. Image covers everything in a
// repository of the container registry, including charts. The scope read:docker-images does the same.
const (
	Chart Artifact = "chart"
	Image Artifact = "image"
)

// Artifacts returns every kind in the order in which documents show them.
func Artifacts() []Artifact { return []Artifact{Chart, Image} }

// Known reports whether a is one of Artifacts.
func (a Artifact) Known() bool { return slices.Contains(Artifacts(), a) }

// Entitlement is the right to fetch some versions of some artifacts in a period.
type Entitlement struct {
	ID         string // UUIDv7
	Artifact   Artifact
	Repository string // a pattern, see IsPattern
	Versions   Versions
	From       time.Time // zero if it holds from the beginning
	Until      time.Time // exclusive; zero if it has no end
	CreatedAt  time.Time
	UpdatedAt  time.Time
	Version    int64 // of the entitlement itself: 1 at creation, and one more with every change
}

// all is the pattern of every repository.
const all = "*"

// component is a part of a repository's name between slashes, as in the OCI distribution specification; names of charts
// may also have upper case letters.
const component = `[A-Za-z0-9]+(?:(?:\.|_|__|-+)[A-Za-z0-9]+)*`

// pattern is compiled on its first use, because all functions have this package.
var pattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^` + component + `(?:/` + component + `)*(?:/\*)?$`)
})

// MaxPattern is the limit of a pattern, in characters.
const MaxPattern = 255

// IsPattern reports whether a text stands for repositories: "*" for all, "acme/*" for those below acme, or the name of
// one.
func IsPattern(text string) bool {
	return text == all || len(text) <= MaxPattern && pattern().MatchString(text)
}

// Covers reports whether the pattern of e matches a repository.
func (e Entitlement) Covers(repository string) bool {
	folder, isFolder := strings.CutSuffix(e.Repository, all)
	if isFolder { // "acme/" or, for all, ""
		return strings.HasPrefix(repository, folder) && len(repository) > len(folder)
	}
	return e.Repository == repository
}

// IsLimited reports whether e is limited to some repositories.
func (e Entitlement) IsLimited() bool { return e.Repository != all }

// InEffect reports whether e holds at the given time.
func (e Entitlement) InEffect(at time.Time) bool {
	return !at.Before(e.From) && (e.Until.IsZero() || at.Before(e.Until))
}

// Set is a list of entitlements. It allows everything that any of them allows; an empty set allows nothing.
type Set []Entitlement

// Everything is the set of the vendor's staff, who are not limited.
func Everything() Set {
	return Set{{Artifact: Chart, Repository: all, Versions: AllVersions()},
		{Artifact: Image, Repository: all, Versions: AllVersions()}}
}

// At returns the entitlements that are in effect.
func (s Set) At(at time.Time) Set {
	return s.filter(func(e Entitlement) bool { return e.InEffect(at) })
}

// Of returns the entitlements of one kind.
func (s Set) Of(kind Artifact) Set {
	return s.filter(func(e Entitlement) bool { return e.Artifact == kind })
}

// In returns the entitlements that cover a repository.
func (s Set) In(repository string) Set {
	return s.filter(func(e Entitlement) bool { return e.Covers(repository) })
}

func (s Set) filter(keep func(Entitlement) bool) Set {
	var kept Set
	for _, e := range s {
		if keep(e) {
			kept = append(kept, e)
		}
	}
	return kept
}

// Covers reports whether any entitlement covers the repository.
func (s Set) Covers(repository string) bool {
	return slices.ContainsFunc(s, func(e Entitlement) bool { return e.Covers(repository) })
}

// AllowAll reports whether any entitlement allows all versions, whatever the repository.
func (s Set) AllowAll() bool {
	return slices.ContainsFunc(s, func(e Entitlement) bool { return e.Versions.IsAll() })
}

// AllowAllEverywhere reports whether any entitlement allows all versions in all repositories.
func (s Set) AllowAllEverywhere() bool {
	return slices.ContainsFunc(s, func(e Entitlement) bool { return e.Repository == all && e.Versions.IsAll() })
}

// CoverAll reports whether any entitlement covers all repositories.
func (s Set) CoverAll() bool {
	return slices.ContainsFunc(s, func(e Entitlement) bool { return e.Repository == all })
}

// Key returns a text that two sets share only if they allow the same. The periods do not count.
func (s Set) Key() string {
	keys := make([]string, len(s))
	for i, e := range s {
		keys[i] = fmt.Sprintf("%q %q %q", e.Artifact, e.Repository, e.Versions.String())
	}
	slices.Sort(keys)
	return strings.Join(slices.Compact(keys), "\n")
}
