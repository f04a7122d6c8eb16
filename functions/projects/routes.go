package main

import (
	"time"

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
	web.Handle(api, web.Needs(principal.ProjectsRead).ForCustomers(), web.At("GET "+path, listProjects), s.list)
	web.Handle(api, web.Needs(principal.ProjectsRead).ForCustomers(), web.At("GET "+path+"/search", searchProjects), s.search)
	web.Handle(api, web.Needs(principal.ProjectsWrite), web.At("POST "+path, createProject), s.create)
	web.HandleEarly(api, web.Needs(principal.ProjectsRead).ForCustomers(), web.At("GET "+onePath, getProject), web.Early(s.read, s.get))
	web.Handle(api, web.Needs(principal.ProjectsWrite), web.At("PUT "+onePath, updateProject), s.update)
	web.Handle(api, web.Needs(principal.ProjectsWrite), web.At("PATCH "+onePath, patchProject), s.patch)
	web.Handle(api, web.Needs(principal.ProjectsDelete), web.At("DELETE "+onePath, deleteProject), s.delete)
	return api
}

const path, onePath = "/v1/projects", "/v1/projects/{projectId}"

var tags = []string{"Projects"}
