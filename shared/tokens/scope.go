package tokens

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"portside/shared/fault"
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

// Everything is what a vendor's own people may hand out.
func Everything() []Scope { return []Scope{ReadCharts, ReadImages} }

// checkScopes returns every way in which a list of scopes breaks a rule.
func checkScopes(scopes []Scope) []fault.Field {
	switch {
	case len(scopes) == 0:
		return []fault.Field{{Pointer: "/scopes", Detail: "must name at least one scope"}}
	case len(scopes) > MaxScopes:
		return []fault.Field{{Pointer: "/scopes", Detail: "must name at most 20 scopes"}}
	}
	var failures []fault.Field
	for i, s := range scopes {
		if !s.Known() {
			failures = append(failures, fault.Field{
				Pointer: "/scopes/" + strconv.Itoa(i),
				Detail:  "must be read:helm-charts or read:docker-images, optionally narrowed as in read:docker-images:acme/*",
			})
		}
	}
	return failures
}
