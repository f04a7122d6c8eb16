package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/projects"
	"portside/shared/web"
)

// ListedProject is a project in the list form. It is exported, like every struct that is embedded here, because huma passes
// over the fields of an embedded struct that is not.
type ListedProject struct {
	ID          string          `json:"id" format:"uuid" doc:"UUIDv7; never changes." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Name        string          `json:"name" doc:"For people; several projects may have the same." example:"Difference Engine"`
	Description string          `json:"description" doc:"Empty where there is none." example:"Tables of logarithms, without errors."`
	Status      projects.Status `json:"status" enum:"draft,active,on_hold,completed,archived" doc:"How far it is." example:"active"`
	OwnerID     string          `json:"ownerId" format:"uuid" doc:"Id of the user whose project it is, who may have been deleted since." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	CreatedAt   time.Time       `json:"createdAt" doc:"UTC." example:"2026-03-02T09:15:30.250Z"`
}

// Project is a project in the full form.
type Project struct {
	ListedProject
	Members   []Member   `json:"members" doc:"Users who take part, in the order in which you named them."`
	Settings  web.Object `json:"settings" doc:"How the project is set up, as you wrote it." example:"{\"visibility\":\"internal\"}"`
	Metadata  web.Object `json:"metadata" doc:"Whatever you keep with the project, as you wrote it." example:"{\"customerNumber\":\"C-1815\"}"`
	UpdatedAt time.Time  `json:"updatedAt" doc:"UTC; of the last change." example:"2026-03-02T09:15:30.250Z"`
}

// Member is a user who takes part in a project.
type Member struct {
	UserID string              `json:"userId" format:"uuid" doc:"Id of a user; each at most once." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Role   projects.MemberRole `json:"role" enum:"owner,editor,viewer" doc:"What the member does in the project; permits nothing." example:"editor"`
}

func listForm(p projects.Project) ListedProject {
	return ListedProject{
		ID: p.ID, Name: p.Name, Description: p.Description, Status: p.Status, OwnerID: p.OwnerID, CreatedAt: p.CreatedAt,
	}
}

func fullForm(p projects.Project) Project {
	members := make([]Member, len(p.Members))
	for i, m := range p.Members {
		members[i] = Member(m)
	}
	return Project{
		ListedProject: listForm(p), Members: members, Settings: web.Object(p.Settings), Metadata: web.Object(p.Metadata),
		UpdatedAt: p.UpdatedAt,
	}
}

// projectBody is the envelope of one project.
type projectBody struct {
	Data Project `json:"data"`
}

type projectOutput struct {
	web.Version
	Body projectBody
}

func newProjectOutput(p projects.Project) *projectOutput {
	return &projectOutput{Version: web.VersionOf(p.Version), Body: projectBody{fullForm(p)}}
}

type listProjectsInput struct {
	web.Paging
	Status projects.Status `query:"status" enum:"draft,active,on_hold,completed,archived" doc:"Only projects of this status."`
}

type listProjectsOutput struct {
	Body struct {
		Data       []ListedProject `json:"data"`
		Pagination web.Pagination  `json:"pagination"`
	}
}

func (s *service) list(ctx context.Context, in *listProjectsInput) (*listProjectsOutput, error) {
	page, err := s.projects.List(ctx, projects.Query{Status: in.Status, Limit: in.Limit, Offset: in.Offset})
	if err != nil {
		return nil, err
	}
	out := &listProjectsOutput{}
	out.Body.Data = make([]ListedProject, len(page.Projects))
	for i, p := range page.Projects {
		out.Body.Data[i] = listForm(p)
	}
	out.Body.Pagination = in.Pagination(page.Total)
	return out, nil
}

type createProjectInput struct {
	web.Idempotency
	Body struct {
		Name        string          `json:"name" doc:"1 to 200 characters." example:"Difference Engine"`
		Description string          `json:"description,omitempty" doc:"At most 2,000 characters; may have line breaks." example:"Tables of logarithms, without errors."`
		Status      projects.Status `json:"status,omitempty" enum:"draft,active,on_hold,completed,archived" default:"draft" doc:"How far it is."`
		OwnerID     *string         `json:"ownerId,omitempty" format:"uuid" doc:"Id of a user who exists; left out: the caller." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
		Members     []Member        `json:"members,omitempty" doc:"At most 100 users who exist, each once."`
		Settings    web.Object      `json:"settings,omitempty" doc:"Any JSON object, at most 16 KB and 8 levels; stored as you write it." example:"{\"visibility\":\"internal\"}"`
		Metadata    web.Object      `json:"metadata,omitempty" doc:"Any JSON object, at most 16 KB and 8 levels; stored as you write it." example:"{\"customerNumber\":\"C-1815\"}"`
	}
}

// Resolve implements huma.Resolver: it adds the domain's failures to those of the schema.
func (in *createProjectInput) Resolve(huma.Context) []error {
	return web.Failures(in.project().Check())
}

func (in *createProjectInput) project() projects.NewProject {
	b := in.Body
	return projects.NewProject{
		Name: b.Name, Description: b.Description, Status: b.Status, OwnerID: b.OwnerID, Members: membersOf(b.Members),
		Settings: json.RawMessage(b.Settings), Metadata: json.RawMessage(b.Metadata),
	}
}

// membersOf returns nil where the request says nothing of members.
func membersOf(all []Member) []projects.Member {
	if all == nil {
		return nil
	}
	members := make([]projects.Member, len(all))
	for i, m := range all {
		members[i] = projects.Member(m)
	}
	return members
}

type createProjectOutput struct {
	web.Version
	web.Creation
	Body projectBody
}

func (s *service) create(ctx context.Context, in *createProjectInput) (*createProjectOutput, error) {
	caller, _ := principal.From(ctx)
	created, err := s.projects.Create(ctx, projects.CreateOptions{Caller: caller, IdempotencyKey: in.IdempotencyKey}, in.project())
	if err != nil {
		return nil, err
	}
	return &createProjectOutput{
		Version:  web.VersionOf(created.Project.Version),
		Creation: web.CreatedAt(path+"/"+created.Project.ID, created.Replayed),
		Body:     projectBody{fullForm(created.Project)},
	}, nil
}

// ProjectPath is the path of one project.
type ProjectPath struct {
	ProjectID string `path:"projectId" format:"uuid" doc:"Id of the project." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
}

func (s *service) get(ctx context.Context, in *ProjectPath) (*projectOutput, error) {
	project, err := s.projects.Get(ctx, web.CanonicalID(in.ProjectID))
	if err != nil {
		return nil, err
	}
	return newProjectOutput(project), nil
}

type updateProjectInput struct {
	ProjectPath
	web.Condition
	Body struct {
		Name        *string          `json:"name,omitempty" doc:"1 to 200 characters." example:"Analytical Engine"`
		Description *string          `json:"description,omitempty" doc:"At most 2,000 characters; empty removes it." example:"Any computation at all."`
		Status      *projects.Status `json:"status,omitempty" enum:"draft,active,on_hold,completed,archived" doc:"How far it is." example:"archived"`
		OwnerID     *string          `json:"ownerId,omitempty" format:"uuid" doc:"Id of a user who exists." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
		Members     []Member         `json:"members,omitempty" doc:"At most 100 users who exist, each once; replaces all who are there, and empty removes them."`
		Settings    web.Object       `json:"settings,omitempty" doc:"Any JSON object, at most 16 KB and 8 levels; replaces what is there." example:"{\"visibility\":\"internal\"}"`
		Metadata    web.Object       `json:"metadata,omitempty" doc:"Any JSON object, at most 16 KB and 8 levels; replaces what is there." example:"{\"customerNumber\":\"C-1815\"}"`
	}
}

// Resolve implements huma.Resolver.
func (in *updateProjectInput) Resolve(huma.Context) []error { return web.Failures(in.change().Check()) }

func (in *updateProjectInput) change() projects.Change {
	b := in.Body
	return projects.Change{
		Name: b.Name, Description: b.Description, Status: b.Status, OwnerID: b.OwnerID, Members: membersOf(b.Members),
		Settings: json.RawMessage(b.Settings), Metadata: json.RawMessage(b.Metadata),
	}
}

func (s *service) update(ctx context.Context, in *updateProjectInput) (*projectOutput, error) {
	project, err := s.projects.Update(ctx, in.target(in.Condition), in.change())
	if err != nil {
		return nil, err
	}
	return newProjectOutput(project), nil
}

func (p ProjectPath) target(c web.Condition) versions.Target {
	return versions.Target{ID: web.CanonicalID(p.ProjectID), IfMatch: c.Wanted()}
}

type deleteProjectInput struct {
	ProjectPath
	web.Condition
}

func (s *service) delete(ctx context.Context, in *deleteProjectInput) (*struct{}, error) {
	return nil, s.projects.Delete(ctx, in.target(in.Condition))
}
