package web

// ReleaseVersion is the release by semantic versioning, without a leading v. /v1/health and the OpenAPI document both
// report it. The commit is set by the build.
const ReleaseVersion = "0.2.0"
