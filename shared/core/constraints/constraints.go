// Package constraints checks versions against the constraints of entitlements.
//
// "*" allows every version and every tag. Any other constraint allows only complete semantic versions, such as 1.2.3 or
// v1.2.3: a tag such as 1.2 or latest can lead to another version tomorrow. Prereleases need a constraint that names
// one, as for Helm: "^1.2.0" does not allow 1.3.0-rc.1, but "^1.2.0-0" does.
package constraints

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/Masterminds/semver/v3"

	"portside/shared/core/entitlement"
)

// Limits of a constraint. A list of tags is compared with every alternative of up to 200 entitlements.
const (
	MaxChars        = 100
	maxAlternatives = 5
)

// ErrInvalid means that a text is not a constraint of versions.
var ErrInvalid = errors.New("constraints: not a constraint of versions")

// Parse returns a text as a constraint with normalized spaces. Errors: ErrInvalid.
func Parse(text string) (entitlement.Versions, error) {
	versions := entitlement.Versions(strings.Join(strings.Fields(text), " "))
	if versions.IsAll() {
		return versions, nil
	}
	if _, err := compile(versions); err != nil {
		return "", ErrInvalid
	}
	return versions, nil
}

// maxCompiled bounds the compiled constraints that a process keeps, some kilobytes each.
const maxCompiled = 500

// cache has compiled constraints by their text, because each request asks again, and a constraint can take a
// millisecond.
var cache = struct {
	sync.Mutex

	compiled map[entitlement.Versions]*semver.Constraints
}{compiled: map[entitlement.Versions]*semver.Constraints{}}

// compiledOf is compile, once for each text.
func compiledOf(versions entitlement.Versions) (*semver.Constraints, error) {
	cache.Lock()
	found := cache.compiled[versions]
	cache.Unlock()
	if found != nil {
		return found, nil
	}
	made, err := compile(versions)
	if err != nil {
		return nil, err
	}
	cache.Lock()
	defer cache.Unlock()
	if len(cache.compiled) >= maxCompiled {
		clear(cache.compiled)
	}
	cache.compiled[versions] = made
	return made, nil
}

// compile returns a constraint other than "*" in the form that checks versions.
func compile(versions entitlement.Versions) (*semver.Constraints, error) {
	text := versions.String()
	if text == "" || len(text) > MaxChars || strings.Count(text, "||") >= maxAlternatives {
		return nil, ErrInvalid
	}
	return semver.NewConstraint(text) //nolint:wrapcheck // no caller returns it
}

// Checker decides which versions a set of entitlements allows. Its zero value allows none. Concurrent use is safe.
type Checker struct {
	set      entitlement.Set
	compiled func() []*semver.Constraints
}

// Of returns the checker of a set. It compiles the constraints at the first question.
func Of(set entitlement.Set) Checker {
	return Checker{set, sync.OnceValue(func() (all []*semver.Constraints) {
		for _, e := range set {
			if one, err := compiledOf(e.Versions); err == nil { // a text that is not a constraint allows nothing
				all = append(all, one)
			}
		}
		return all
	})}
}

// Allow reports whether any entitlement allows the version, whatever the repository.
func (c Checker) Allow(version string) bool {
	if len(c.set) == 0 || c.set.AllowAll() {
		return len(c.set) > 0
	}
	parsed, isVersion := parse(version)
	return isVersion && slices.ContainsFunc(c.compiled(), func(one *semver.Constraints) bool { return one.Check(parsed) })
}

// NewestFirst orders complete semantic versions from the newest to the oldest, and all other tags after them.
func NewestFirst(a, b string) int {
	versionA, isA := parse(a)
	versionB, isB := parse(b)
	switch {
	case isA && isB:
		return cmp.Or(versionB.Compare(versionA), strings.Compare(a, b))
	case isA != isB:
		if isA {
			return -1
		}
		return 1
	default:
		return strings.Compare(a, b)
	}
}

// parse parses a complete semantic version. Tags cannot contain a plus sign, so Helm writes 1.2.3+build as 1.2.3_build.
func parse(version string) (*semver.Version, bool) {
	parsed, err := semver.StrictNewVersion(strings.Replace(strings.TrimPrefix(version, "v"), "_", "+", 1))
	return parsed, err == nil
}
