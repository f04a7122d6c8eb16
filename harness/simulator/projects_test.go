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

// maxProjects bounds the number of projects, so that several operations often concern the same project.
const maxProjects = 10

// project is the model of a project.
type project struct {
	mark

	id        string
	status    projects.Status
	ownerID   string
	version   int64
	isDeleted bool
}

func (w *world) planProject(p *plan) {
	if len(w.projects) > maxProjects {
		w.planProjectDeletion(p)
		return
	}
	p.name, p.isStrict = "create project", true
	owner, added := w.anyPerson(), &project{status: w.anyProjectStatus(), version: 1}
	added.ownerID = owner.id
	w.as(p, principal.ProjectsWrite, func(ctx context.Context, caller principal.Principal) error {
		created, err := w.office.Projects.Create(ctx, projects.CreateOptions{Caller: caller},
			projects.NewProject{Name: "P", Status: added.status, OwnerID: &owner.id})
		added.id = created.Project.ID
		return invalid(err)
	})
	p.wantsOwner(owner)
	p.effect = func() { w.projects = append(w.projects, added) }
}

// wantsOwner makes the answer depend on whether the new owner exists.
func (p *plan) wantsOwner(owner *person) {
	p.needs = append(p.needs, &owner.mark)
	if p.wanted == nil && owner.isDeleted {
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
	case changed.isDeleted:
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
	if p.wanted == nil && deleted.isDeleted {
		p.wanted = projects.ErrNotFound
	}
	p.isFinal, p.effect = true, func() { deleted.isDeleted = true }
}

func (w *world) anyProjectStatus() projects.Status {
	return projects.Statuses()[w.random.IntN(len(projects.Statuses()))]
}

// reconcileProjects compares the stored projects with the model. Where the model is unsure, it adopts the stored
// values. It forgets some projects that are deleted.
func (w *world) reconcileProjects(ctx context.Context) {
	var kept []*project
	for i, p := range w.projects {
		stored, err := w.office.Projects.Get(ctx, principal.Operator(), p.id)
		isMissing := errors.Is(err, projects.ErrNotFound)
		switch {
		case err != nil && !isMissing:
			w.fail("reading a project: %v", err)
		case p.unsure && isMissing:
			p.isDeleted, p.unsure = true, false
		case p.unsure:
			p.status, p.ownerID, p.version, p.unsure = stored.Status, stored.OwnerID, stored.Version, false
		case p.isDeleted != isMissing:
			w.fail("project %d has deleted=%v, want %v", i, isMissing, p.isDeleted)
		case !isMissing && (stored.Status != p.status || stored.OwnerID != p.ownerID || stored.Version != p.version):
			w.fail("project %d is %s with version %d, want %s with version %d", i, stored.Status, stored.Version, p.status,
				p.version)
		}
		if !p.isDeleted || len(w.projects)-i < maxProjects/2 {
			kept = append(kept, p)
		}
	}
	w.projects = kept
}
