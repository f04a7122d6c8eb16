// Package release says which release this is. The commit comes from the build; the version has to be decided, and this is
// the one place where it stands: /v1/health and the API document both take it from here.
package release

// Version is the release by semantic versioning, without a leading v.
const Version = "0.1.0"
