package main

import (
	"context"

	"portside/shared/web"
)

type healthOutput struct {
	Body struct {
		Status  string `json:"status" enum:"ok" doc:"Always ok: a service that is not does not answer."`
		Version string `json:"version" doc:"Release, by semantic versioning." example:"0.1.0"`
		Commit  string `json:"commit" doc:"Revision that the release was built from; quote it when reporting a defect." example:"1f3a9c07be24"`
	}
}

// health reads no table: a dependency that is down shows in the operations that need it, and a check that failed with it
// would take the healthy ones down too.
func health(commit string) func(context.Context, *struct{}) (*healthOutput, error) {
	return func(context.Context, *struct{}) (*healthOutput, error) {
		out := &healthOutput{}
		out.Body.Status, out.Body.Version, out.Body.Commit = "ok", web.ReleaseVersion, commit
		return out, nil
	}
}
