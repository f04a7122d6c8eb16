package faults

import (
	"context"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/projects"
)

// manageProject creates, lists, changes and deletes a project.
func manageProject(r *run) {
	admin := r.join(principal.Admin)
	options := projects.CreateOptions{Caller: admin.caller, IdempotencyKey: r.key("project")}
	var created projects.Created
	r.do("create a project", func(ctx context.Context) (err error) {
		created, err = r.projects.Create(ctx, options, projects.NewProject{Name: "one", OwnerID: &admin.user.ID})
		return err
	})
	name := "two"
	r.do("change the project", func(ctx context.Context) error {
		_, err := r.projects.Update(ctx, versions.Target{ID: created.Project.ID}, projects.Change{Name: &name})
		return err
	})
	var page projects.Page
	r.do("list the projects", func(ctx context.Context) (err error) {
		page, err = r.projects.List(ctx, principal.Operator(), projects.Query{Limit: 100})
		return err
	})
	r.check(page.Total == int64(len(page.Projects)), "the list has %d projects of %d", len(page.Projects), page.Total)
	r.check(page.Total == 1 || r.noKeys && page.Total > 1, "there are %d projects", page.Total)
	found, err := r.projects.Get(r.tb.Context(), principal.Operator(), created.Project.ID)
	r.must(err)
	r.check(found.Name == name && found.Version == 2, "the project is %+v", found)
	r.do("delete the project", func(ctx context.Context) error {
		return r.projects.Delete(ctx, versions.Target{ID: created.Project.ID})
	}, projects.ErrNotFound)
	left, err := r.projects.List(r.tb.Context(), principal.Operator(), projects.Query{Limit: 100})
	r.must(err)
	isRight := left.Total == page.Total-1 && int64(len(left.Projects)) == left.Total
	r.check(isRight, "%d projects of %d are left", len(left.Projects), left.Total)
}
