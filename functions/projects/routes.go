package main

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/projects"
	"portside/shared/web"
)

// service is what the handlers call.
type service struct{ projects *projects.Service }

func newService(store projects.Store, people projects.Directory, now func() time.Time) *service {
	return &service{projects.NewService(store, people, newID, now)}
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// routes is the whole API of this function.
func routes(s *service, auth web.Authenticator) *web.API {
	api := web.NewAPI(auth)
	web.Handle(api, web.Needs(principal.ProjectsRead), listProjects, s.list)
	web.Handle(api, web.Needs(principal.ProjectsWrite), createProject, s.create)
	web.Handle(api, web.Needs(principal.ProjectsRead), getProject, s.get)
	web.Handle(api, web.Needs(principal.ProjectsWrite), updateProject, s.update)
	web.Handle(api, web.Needs(principal.ProjectsDelete), deleteProject, s.delete)
	return api
}

const path, onePath = "/v1/projects", "/v1/projects/{projectId}"

var tags = []string{"Projects"}

var (
	listProjects = huma.Operation{
		OperationID: "listProjects", Method: http.MethodGet, Path: path, Tags: tags, Summary: "List projects",
		Description: "One page of projects in the order of their creation, with the exact total.",
	}
	createProject = huma.Operation{
		OperationID: "createProject", Method: http.MethodPost, Path: path, Tags: tags, Summary: "Create a project",
		DefaultStatus: http.StatusCreated,
		Description: "Adds a project, which is the caller's own unless `ownerId` names another user. Roles of members tell who " +
			"does what in the project; what somebody may do here follows from the role of the user alone.\n\nAn `Idempotency-Key` " +
			"makes it safe to repeat the request for 24 hours: the same body gets the first answer again with " +
			"`Idempotency-Replayed: true`, another body a 422.",
		Errors: web.BodyErrors(http.StatusUnprocessableEntity),
	}
	getProject = huma.Operation{
		OperationID: "getProject", Method: http.MethodGet, Path: onePath, Tags: tags, Summary: "Get a project",
		Description: "One project in full. The `ETag` names the version; send it in `If-Match` to change exactly this version.",
		Errors:      []int{http.StatusNotFound},
	}
	updateProject = huma.Operation{
		OperationID: "updateProject", Method: http.MethodPut, Path: onePath, Tags: tags, Summary: "Change a project",
		Description: "Changes the fields that the body has and leaves the others. `members`, `settings` and `metadata` are each " +
			"replaced as a whole. Any status may follow any other. Users who are named anew must exist.",
		Errors: web.BodyErrors(http.StatusNotFound, http.StatusPreconditionFailed),
	}
	deleteProject = huma.Operation{
		OperationID: "deleteProject", Method: http.MethodDelete, Path: onePath, Tags: tags, Summary: "Delete a project",
		DefaultStatus: http.StatusNoContent,
		Description:   "Removes a project for good. To keep it and have it out of the way, make it `archived`.",
		Errors:        []int{http.StatusNotFound, http.StatusPreconditionFailed},
	}
)
