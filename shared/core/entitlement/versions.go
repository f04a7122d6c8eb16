package entitlement

import (
	"cmp"
	"errors"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Limits of a constraint. A list of tags is compared with every alternative of up to 200 entitlements.
const (
	MaxVersions     = 100 // characters
	maxAlternatives = 5
)

// ErrVersions means that a text is not a constraint of versions.
var ErrVersions = errors.New("entitlement: not a constraint of versions")

// Versions is a constraint of semantic versions. Its zero value allows none.
//
// "*" allows every version and every tag. Any other constraint allows only complete semantic versions, such as 1.2.3 or v1.2.3: a tag such
// as 1.2 or latest can lead to another version tomorrow. Prereleases need a constraint that names one, as for Helm: "^1.2.0" does not
// allow 1.3.0-rc.1, but "^1.2.0-0" does.
type Versions struct {
	text       string
	constraint *semver.Constraints // nil if the text is "*"
}

// AllVersions returns the constraint "*".
func AllVersions() Versions { return Versions{text: all} }

// ParseVersions parses a constraint in the syntax of Helm's dependencies, such as "^1.2.0", ">=1.2.0 <3.0.0 || 4.0.x" or "*". Errors:
// ErrVersions.
func ParseVersions(text string) (Versions, error) {
	text = strings.Join(strings.Fields(text), " ")
	if text == all {
		return AllVersions(), nil
	}
	if text == "" || len(text) > MaxVersions || strings.Count(text, "||") >= maxAlternatives {
		return Versions{}, ErrVersions
	}
	constraint, err := semver.NewConstraint(text)
	if err != nil {
		return Versions{}, ErrVersions
	}
	return Versions{text: text, constraint: constraint}, nil
}

// String returns the constraint with normalized spaces.
func (v Versions) String() string { return v.text }

func (v Versions) isAll() bool { return v.text == all }

func (v Versions) allow(version *semver.Version) bool {
	return v.constraint != nil && v.constraint.Check(version)
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
