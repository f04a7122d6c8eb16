package main

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/projects"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// service has the handlers and their dependencies.
type service struct{ projects *projects.Service }

func newService(store projects.Store, people projects.Directory, now func() time.Time) *service {
	return &service{projects.NewService(store, people, resource.NewID, now)}
}

// routes returns the API of this function.
func routes(s *service, auth web.Authenticator) *web.API {
	api := web.NewAPI(auth)
	web.Handle(api, web.Needs(principal.ProjectsRead).ForCustomers(), listProjects, s.list)
	web.Handle(api, web.Needs(principal.ProjectsRead).ForCustomers(), searchProjects, s.search)
	web.Handle(api, web.Needs(principal.ProjectsWrite), createProject, s.create)
	web.HandleEarly(api, web.Needs(principal.ProjectsRead).ForCustomers(), getProject, web.Early(s.read, s.get))
	web.Handle(api, web.Needs(principal.ProjectsWrite), updateProject, s.update)
	web.Handle(api, web.Needs(principal.ProjectsWrite), patchProject, s.patch)
	web.Handle(api, web.Needs(principal.ProjectsDelete), deleteProject, s.delete)
	return api
}

const path, onePath = "/v1/projects", "/v1/projects/{projectId}"

var tags = []string{"Projects"}

var (
	listProjects = huma.Operation{
		OperationID: "listProjects", Method: http.MethodGet, Path: path, Tags: tags, Summary: "List projects",
		Description: "Returns one page of projects in the order of their creation, with the exact total. `customerId` and `status` " +
			"can be combined. Users of a customer get the projects of their customer.",
	}
	searchProjects = huma.Operation{
		OperationID: "searchProjects", Method: http.MethodGet, Path: path + "/search", Tags: tags, Summary: "Search projects",
		Description: "Returns the projects whose name has the text at the beginning of its first, second or third word: `diff` and `eng` find " +
			"Difference Engine. The results are sorted by the text that matched, each project once. A search finds a change with the next " +
			"request and takes the same time for any number of projects. A page can have fewer results than `limit` although " +
			"`pagination.hasMore` is true.",
	}
	createProject = huma.Operation{
		OperationID: "createProject", Method: http.MethodPost, Path: path, Tags: tags, Summary: "Create a project",
		DefaultStatus: http.StatusCreated,
		Description: "Creates a project. The caller owns it unless `ownerId` names another user. Roles of members describe their part " +
			"in the project; they grant no permissions in this API.\n\nWith an `Idempotency-Key` " +
			"you can safely repeat the request for 24 hours: the same body gets the first response again with " +
			"`Idempotency-Replayed: true`, and a different body gets a 422.",
		Errors: web.BodyErrors(http.StatusUnprocessableEntity),
	}
	getProject = huma.Operation{
		OperationID: "getProject", Method: http.MethodGet, Path: onePath, Tags: tags, Summary: "Get a project",
		Description: "Returns one project with all fields. The `ETag` identifies the version; send it in `If-Match` to change only this version.",
		Errors:      []int{http.StatusNotFound},
	}
	updateProject = huma.Operation{
		OperationID: "updateProject", Method: http.MethodPut, Path: onePath, Tags: tags, Summary: "Change a project",
		Description: "Changes the fields in the body and leaves other fields unchanged. `members`, `settings` and `metadata` are each " +
			"replaced completely. Any status can follow any other. A new customer, a new owner and new members must exist.",
		Errors: web.BodyErrors(http.StatusNotFound, http.StatusPreconditionFailed),
	}
	patchProject = huma.Operation{
		OperationID: "patchProject", Method: http.MethodPatch, Path: onePath, Tags: tags, Summary: "Patch a project",
		Description: "Changes a project as `PUT` does, with a JSON Merge Patch (RFC 7396): `settings` and `metadata` are merged into the " +
			"current ones, and a member of them that is null is removed. `members` is replaced completely.",
		Errors: web.BodyErrors(http.StatusNotFound, http.StatusPreconditionFailed),
	}
	deleteProject = huma.Operation{
		OperationID: "deleteProject", Method: http.MethodDelete, Path: onePath, Tags: tags, Summary: "Delete a project",
		DefaultStatus: http.StatusNoContent,
		Description:   "Deletes a project permanently. To keep a project that is no longer needed, set its status to `archived`.",
		Errors:        []int{http.StatusNotFound, http.StatusPreconditionFailed},
	}
)
