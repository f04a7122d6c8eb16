package principal

import (
	"regexp"
	"slices"
	"strings"
)

// Scope is what a token or password may fetch: an action, optionally narrowed to names. "read:docker-images" is every image,
// "read:docker-images:acme/*" every image below acme/, "read:docker-images:acme/api" that one.
type Scope string

// The actions that exist.
const (
	ReadCharts Scope = "read:helm-charts"
	ReadImages Scope = "read:docker-images"
)

// narrowing is a repository or chart name of the OCI distribution specification, or a path of such names with /* behind it.
var narrowing = regexp.MustCompile(`^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*(?:/\*)?$`)

const maxScope = 300 // characters: an action and a repository name of up to 255

// split returns the action and what it is narrowed to; empty: nothing.
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

// Known reports whether s is a scope at all.
func (s Scope) Known() bool {
	action, names := s.split()
	return action != "" && len(s) <= maxScope && (s == action || narrowing.MatchString(names))
}

// Covers reports whether whoever holds s may do all that other permits.
func (s Scope) Covers(other Scope) bool {
	action, names := s.split()
	wanted, wantedNames := other.split()
	if action == "" || action != wanted {
		return false
	}
	return names == "" || names == wantedNames || below(names, strings.TrimSuffix(wantedNames, "/*"))
}

// Permits reports whether s lets its holder fetch the named chart or image.
func (s Scope) Permits(action Scope, name string) bool {
	return s.Covers(action + ":" + Scope(name))
}

// MayFetch reports whether the caller's scopes let it fetch the named chart or image. A role gives none: machines fetch with
// credentials made for them, which end on their own.
func (p Principal) MayFetch(action Scope, name string) bool {
	return slices.ContainsFunc(p.Scopes, func(s Scope) bool { return s.Permits(action, name) })
}

// FetchesSome reports whether any of the caller's scopes is of the action, narrowed or not.
func (p Principal) FetchesSome(action Scope) bool {
	return slices.ContainsFunc(p.Scopes, func(s Scope) bool {
		known, _ := s.split()
		return known == action
	})
}

// FetchesAll reports whether one of the caller's scopes is the action, not narrowed.
func (p Principal) FetchesAll(action Scope) bool { return slices.Contains(p.Scopes, action) }

// below reports whether a name lies under a narrowing such as acme/*.
func below(names, name string) bool {
	parent, wild := strings.CutSuffix(names, "/*")
	return wild && strings.HasPrefix(name, parent+"/")
}

// Within reports whether every wanted scope is covered by one that is held.
func Within(held, wanted []Scope) bool {
	for _, w := range wanted {
		if !slices.ContainsFunc(held, func(h Scope) bool { return h.Covers(w) }) {
			return false
		}
	}
	return true
}
