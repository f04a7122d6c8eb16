package principal

import (
	"regexp"
	"slices"
	"strings"
)

// Scope defines what a token or password may download: an action, optionally limited to names. "read:docker-images"
// covers every image, "read:docker-images:acme/*" every image below acme/, and "read:docker-images:acme/api" one image.
type Scope string

// The actions.
const (
	ReadCharts Scope = "read:helm-charts"
	ReadImages Scope = "read:docker-images"
)

// nameOrPrefix matches a repository or chart name of the OCI distribution specification, or such a name followed by /*.
var nameOrPrefix = regexp.MustCompile(`^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*(?:/\*)?$`)

const maxScopeChars = 300 // an action and a repository name of up to 255 characters

// split returns the action and the name or prefix that limits it; empty if nothing does.
func (s Scope) split() (action Scope, names string) {
	for _, known := range []Scope{ReadCharts, ReadImages} {
		if s == known {
			return known, ""
		}
		if rest, found := strings.CutPrefix(string(s), string(known)+":"); found {
			return known, rest
		}
	}
	return "", ""
}

// Known reports whether s is a valid scope.
func (s Scope) Known() bool {
	action, names := s.split()
	return action != "" && len(s) <= maxScopeChars && (s == action || nameOrPrefix.MatchString(names))
}

// Covers reports whether s permits everything that other permits.
func (s Scope) Covers(other Scope) bool {
	action, names := s.split()
	wanted, wantedNames := other.split()
	if action == "" || action != wanted {
		return false
	}
	return names == "" || names == wantedNames || below(names, strings.TrimSuffix(wantedNames, "/*"))
}

// Permits reports whether s permits the download of the named chart or image.
func (s Scope) Permits(action Scope, name string) bool {
	return s.Covers(action + ":" + Scope(name))
}

// MayFetch reports whether the caller's scopes permit the download of the named chart or image. Roles permit no
// downloads: machines download with tokens and passwords, which expire.
func (p Principal) MayFetch(action Scope, name string) bool {
	return slices.ContainsFunc(p.Scopes, func(s Scope) bool { return s.Permits(action, name) })
}

// FetchesSome reports whether the caller has a scope with the action, limited to names or not.
func (p Principal) FetchesSome(action Scope) bool {
	return slices.ContainsFunc(p.Scopes, func(s Scope) bool {
		known, _ := s.split()
		return known == action
	})
}

// FetchesAll reports whether the caller has the scope with the action and without limits.
func (p Principal) FetchesAll(action Scope) bool { return slices.Contains(p.Scopes, action) }

// below reports whether a name is below a prefix such as acme/*.
func below(names, name string) bool {
	parent, wild := strings.CutSuffix(names, "/*")
	return wild && strings.HasPrefix(name, parent+"/")
}

// Within reports whether each wanted scope is covered by one of the held scopes.
func Within(held, wanted []Scope) bool {
	for _, w := range wanted {
		if !slices.ContainsFunc(held, func(h Scope) bool { return h.Covers(w) }) {
			return false
		}
	}
	return true
}
