package principal

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Scope is what a token or password may fetch: an action, optionally limited to names.
// "read:docker-images" allows every image, "read:docker-images:acme/*" every image below acme/, and
// "read:docker-images:acme/api" that one.
type Scope string

// The actions.
const (
	ReadCharts Scope = "read:helm-charts"
	ReadImages Scope = "read:docker-images"
)

// The parts of names between slashes are those of repositories in the OCI distribution specification. The name of a
// chart may also have upper-case letters, as in entitlements: the chart repository is no OCI registry, and Helm's chart
// repositories serve such charts.
const (
	chartPart = `[A-Za-z0-9]+(?:(?:\.|_|__|-+)[A-Za-z0-9]+)*`
	imagePart = `[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`
)

// narrowings match what the actions can be limited to: a name, or a path of names followed by /*. They are compiled on
// their first use, because all functions have this package.
var narrowings = map[Scope]func() *regexp.Regexp{
	ReadCharts: sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^` + chartPart + `(?:/` + chartPart + `)*(?:/\*)?$`)
	}),
	ReadImages: sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^` + imagePart + `(?:/` + imagePart + `)*(?:/\*)?$`)
	}),
}

const maxScope = 300 // characters: an action and a repository name of up to 255

// split returns the action and the names to which it is limited, which are empty if there is no
// limit.
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
	return action != "" && len(s) <= maxScope && (s == action || narrowings[action]().MatchString(names))
}

// Covers reports whether s allows everything that other allows.
func (s Scope) Covers(other Scope) bool {
	action, names := s.split()
	wanted, wantedNames := other.split()
	if action == "" || action != wanted {
		return false
	}
	return names == "" || names == wantedNames || isBelow(names, strings.TrimSuffix(wantedNames, "/*"))
}

// Permits reports whether s allows its holder to fetch the named chart or image.
func (s Scope) Permits(action Scope, name string) bool {
	return s.Covers(action + ":" + Scope(name))
}

// MayFetch reports whether the caller's scopes allow it to fetch the named chart or image. Roles
// do not allow it: machines fetch with credentials that are created for them and expire. The customer's Entitlements
// may forbid it.
func (p Principal) MayFetch(action Scope, name string) bool {
	return slices.ContainsFunc(p.Scopes, func(s Scope) bool { return s.Permits(action, name) })
}

// FetchesSome reports whether any of the caller's scopes has the action, limited to names or not.
func (p Principal) FetchesSome(action Scope) bool {
	return slices.ContainsFunc(p.Scopes, func(s Scope) bool {
		known, _ := s.split()
		return known == action
	})
}

// FetchesAll reports whether one of the caller's scopes is the action without a limit. The customer's Entitlements may
// limit it.
func (p Principal) FetchesAll(action Scope) bool { return slices.Contains(p.Scopes, action) }

// isBelow reports whether a name lies below names such as acme/*.
func isBelow(names, name string) bool {
	parent, wild := strings.CutSuffix(names, "/*")
	return wild && strings.HasPrefix(name, parent+"/")
}

// Within reports whether the held scopes cover every wanted one.
func Within(held, wanted []Scope) bool {
	for _, w := range wanted {
		if !slices.ContainsFunc(held, func(h Scope) bool { return h.Covers(w) }) {
			return false
		}
	}
	return true
}
