package main

import (
	"context"

	"portside/shared/web"
)

type healthOutput struct {
	Body serviceHealth
}

type serviceHealth struct {
	Status  string `json:"status" enum:"ok" doc:"Always ok. A service that is down does not respond."`
	Version string `json:"version" doc:"Release, by semantic versioning." example:"0.1.0"`
	Commit  string `json:"commit" doc:"Git commit that the release was built from. Include it when you report a defect." example:"1f3a9c07be24"`
}

// health returns the handler of the health check. It reads no table: if the check failed with a dependency, it would
// take down the operations that do not need that dependency.
func health(commit string) func(context.Context, *struct{}) (*healthOutput, error) {
	return func(context.Context, *struct{}) (*healthOutput, error) {
		out := &healthOutput{}
		out.Body.Status, out.Body.Version, out.Body.Commit = "ok", web.ReleaseVersion, commit
		return out, nil
	}
}
