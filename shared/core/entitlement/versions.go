package entitlement

// Versions is a constraint of semantic versions, in the syntax of Helm's dependencies, such as "^1.2.0", ">=1.2.0
// <3.0.0 || 4.0.x" or "*". Its zero value allows none. Package constraints parses it and checks versions; this package
// only keeps it, because most functions need no more, and the library for versions takes a tenth of their start.
type Versions string

// AllVersions returns the constraint "*".
func AllVersions() Versions { return all }

// String returns the constraint.
func (v Versions) String() string { return string(v) }

// IsAll reports whether the constraint allows every version and every tag.
func (v Versions) IsAll() bool { return v == all }
