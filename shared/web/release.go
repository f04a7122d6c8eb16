// Package release says which release this is. The commit comes from the build; the version has to be decided, and this is
// the one place where it stands: /v1/health and the API document both take it from here.
package web

// Version is the release by semantic versioning, without a leading v.
const ReleaseVersion = "0.1.0"
