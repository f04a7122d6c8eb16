package simulator

import (
	"context"
	"errors"
	"fmt"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/projects"
)

// maxProjects bounds the number of projects, so that operations often have the same project.
const maxProjects = 10

// project is what must be true of a project.
type project struct {
	mark

	id      string
	status  projects.Status
	ownerID string
	version int64
	gone    bool
}

func (w *world) planProject(p *plan) {
	if len(w.projects) > maxProjects {
		w.planProjectDeletion(p)
		return
	}
	p.name, p.isStrict = "create project", true
	owner, born := w.anyPerson(), &project{status: w.anyProjectStatus(), version: 1}
	born.ownerID = owner.id
	w.as(p, principal.ProjectsWrite, func(ctx context.Context, caller principal.Principal) error {
		created, err := w.office.Projects.Create(ctx, projects.CreateOptions{Caller: caller},
			projects.NewProject{Name: "P", Status: born.status, OwnerID: &owner.id})
		born.id = created.Project.ID
		return invalid(err)
	})
	p.wantsOwner(owner)
	p.effect = func() { w.projects = append(w.projects, born) }
}

// wantsOwner makes the answer depend on whether the new owner exists.
func (p *plan) wantsOwner(owner *person) {
	p.needs = append(p.needs, &owner.mark)
	if p.wanted == nil && owner.gone {
		p.wanted = errInvalid
	}
}

// errInvalid stands for every validation error.
var errInvalid = fault.New(fault.Validation, "The input is not valid.")

// planProjectChange changes the status and perhaps the owner, and sometimes names an old version.
func (w *world) planProjectChange(p *plan) {
	if len(w.projects) == 0 {
		w.planProject(p)
		return
	}
	changed := w.projects[w.random.IntN(len(w.projects))]
	p.name, p.changes, p.isStrict = "change project", []*mark{&changed.mark}, true
	status, ownerID, seen := w.anyProjectStatus(), changed.ownerID, changed.version-int64(w.random.IntN(4)/3)
	target := versions.Target{ID: changed.id, IfMatch: func(stored int64) bool { return stored == seen }}
	isNewOwner, owner := w.random.IntN(2) == 0, w.anyPerson()
	if isNewOwner {
		ownerID = owner.id
	}
	var after projects.Project
	w.as(p, principal.ProjectsWrite, func(ctx context.Context, _ principal.Principal) (err error) {
		after, err = w.office.Projects.Update(ctx, target, projects.Change{Status: &status, OwnerID: &ownerID})
		return invalid(err)
	})
	switch {
	case p.wanted != nil:
	case changed.gone:
		p.wanted = projects.ErrNotFound
	case seen != changed.version:
		p.wanted = versions.ErrMismatch
	case isNewOwner && ownerID != changed.ownerID:
		p.wantsOwner(owner)
	}
	p.effect = func() { changed.status, changed.ownerID, changed.version = status, ownerID, after.Version }
}

// invalid returns errInvalid for every validation error.
func invalid(err error) error {
	if fault.KindOf(err) == fault.Validation {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	return err
}

func (w *world) planProjectDeletion(p *plan) {
	if len(w.projects) == 0 {
		w.planProject(p)
		return
	}
	deleted := w.projects[w.random.IntN(len(w.projects))]
	p.name, p.changes, p.isStrict = "delete project", []*mark{&deleted.mark}, true
	w.as(p, principal.ProjectsDelete, func(ctx context.Context, _ principal.Principal) error {
		return w.office.Projects.Delete(ctx, versions.Target{ID: deleted.id})
	})
	if p.wanted == nil && deleted.gone {
		p.wanted = projects.ErrNotFound
	}
	p.isFinal, p.effect = true, func() { deleted.gone = true }
}

func (w *world) anyProjectStatus() projects.Status {
	return projects.Statuses()[w.random.IntN(len(projects.Statuses()))]
}

// learnProjects compares the stored projects with the model. It reads those of which the model is unsure, and forgets some that are gone.
func (w *world) learnProjects(ctx context.Context) {
	var kept []*project
	for i, p := range w.projects {
		stored, err := w.office.Projects.Get(ctx, p.id)
		isGone := errors.Is(err, projects.ErrNotFound)
		switch {
		case err != nil && !isGone:
			w.fail("reading a project: %v", err)
		case p.unsure && isGone:
			p.gone, p.unsure = true, false
		case p.unsure:
			p.status, p.ownerID, p.version, p.unsure = stored.Status, stored.OwnerID, stored.Version, false
		case p.gone != isGone:
			w.fail("project %d has gone=%v, want %v", i, isGone, p.gone)
		case !isGone && (stored.Status != p.status || stored.OwnerID != p.ownerID || stored.Version != p.version):
			w.fail("project %d is %s with version %d, want %s with version %d", i, stored.Status, stored.Version, p.status, p.version)
		}
		if !p.gone || len(w.projects)-i < maxProjects/2 {
			kept = append(kept, p)
		}
	}
	w.projects = kept
}
