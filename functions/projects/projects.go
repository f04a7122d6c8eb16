package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/projects"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// ListedProject is a project in a list. Structs that are embedded in inputs and outputs are exported, because huma
// ignores the fields of unexported ones.
type ListedProject struct {
	ID          string          `json:"id" format:"uuid" doc:"UUIDv7; never changes." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Name        string          `json:"name" doc:"Name of the project; not necessarily unique." example:"Difference Engine"`
	Description string          `json:"description" doc:"Empty if not set." example:"Tables of logarithms, without errors."`
	Status      projects.Status `json:"status" enum:"draft,active,on_hold,completed,archived" doc:"Progress of the project." example:"active"`
	CustomerID  *string         `json:"customerId" format:"uuid" doc:"ID of the project's customer, whose users can read the project; null if the project belongs to the vendor." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
	OwnerID     string          `json:"ownerId" format:"uuid" doc:"ID of the owner, who may have been deleted." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	CreatedAt   time.Time       `json:"createdAt" doc:"UTC." example:"2026-03-02T09:15:30.250Z"`
}

// Project is a project with all fields.
type Project struct {
	ListedProject
	Members   []Member   `json:"members" doc:"Members of the project, in the order in which you listed them."`
	Settings  web.Object `json:"settings" doc:"JSON object with the settings that you stored, unchanged. Empty for users of customers." example:"{\"visibility\":\"internal\"}"`
	Metadata  web.Object `json:"metadata" doc:"JSON object that you stored with the project, unchanged. Empty for users of customers." example:"{\"customerNumber\":\"C-1815\"}"`
	UpdatedAt time.Time  `json:"updatedAt" doc:"UTC; time of the last change." example:"2026-03-02T09:15:30.250Z"`
}

// Member is a user who is a member of a project.
type Member struct {
	UserID string              `json:"userId" format:"uuid" doc:"ID of a user. A user can be listed only once." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Role   projects.MemberRole `json:"role" enum:"owner,editor,viewer" doc:"Role of the member in the project. It grants no permissions." example:"editor"`
}

func encodeListedProject(p projects.Project) ListedProject {
	return ListedProject{
		ID: p.ID, Name: p.Name, Description: p.Description, Status: p.Status, CustomerID: web.NullIfZero(p.CustomerID), OwnerID: p.OwnerID,
		CreatedAt: p.CreatedAt,
	}
}

func encodeProject(p projects.Project) Project {
	members := make([]Member, len(p.Members))
	for i, m := range p.Members {
		members[i] = Member(m)
	}
	return Project{
		ListedProject: encodeListedProject(p), Members: members, Settings: web.Object(p.Settings), Metadata: web.Object(p.Metadata),
		UpdatedAt: p.UpdatedAt,
	}
}

// projectBody is the body of a response with one project.
type projectBody struct {
	Data Project `json:"data"`
}

type projectOutput struct {
	resource.Version
	Body projectBody
}

func newProjectOutput(p projects.Project) *projectOutput {
	return &projectOutput{Version: resource.VersionOf(p.Version), Body: projectBody{encodeProject(p)}}
}

type listProjectsInput struct {
	web.Paging
	CustomerID string          `query:"customerId" format:"uuid" doc:"Only projects of this customer." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
	Status     projects.Status `query:"status" enum:"draft,active,on_hold,completed,archived" doc:"Only projects with this status."`
}

type listProjectsOutput struct {
	Body struct {
		Data       []ListedProject `json:"data"`
		Pagination web.Pagination  `json:"pagination"`
	}
}

var listProjects = huma.Operation{
	OperationID: "listProjects", Tags: tags, Summary: "List projects",
	Description: "Returns one page of projects in the order of their creation, with the exact total. `customerId` and `status` " +
		"can be combined. Users of a customer get the projects of their customer.",
}

func (s *service) list(ctx context.Context, in *listProjectsInput) (*listProjectsOutput, error) {
	after, err := in.After()
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	page, err := s.projects.List(ctx, caller, projects.Query{
		CustomerID: in.CustomerID, Status: in.Status, Limit: in.Limit, Offset: in.Offset, After: after,
	})
	if err != nil {
		return nil, err
	}
	out := &listProjectsOutput{}
	out.Body.Data = make([]ListedProject, len(page.Projects))
	for i, p := range page.Projects {
		out.Body.Data[i] = encodeListedProject(p)
	}
	out.Body.Pagination = in.Pagination(page.Total, page.Next)
	return out, nil
}

type searchProjectsInput struct {
	web.SearchPaging
	CustomerID string `query:"customerId" format:"uuid" doc:"Only projects of this customer." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
}

type searchProjectsOutput struct {
	Body struct {
		Data       []ListedProject      `json:"data"`
		Pagination web.CursorPagination `json:"pagination"`
	}
}

var searchProjects = huma.Operation{
	OperationID: "searchProjects", Tags: tags, Summary: "Search projects",
	Description: "Returns the projects whose name has the text at the beginning of its first, second or third word: `diff` and `eng` find " +
		"Difference Engine. The results are sorted by the text that matched, each project once. A search finds a change with the next " +
		"request and takes the same time for any number of projects. A page can have fewer results than `limit` although " +
		"`pagination.hasMore` is true.",
}

func (s *service) search(ctx context.Context, in *searchProjectsInput) (*searchProjectsOutput, error) {
	query, err := in.Query()
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	page, err := s.projects.Search(ctx, caller, in.CustomerID, query)
	if err != nil {
		return nil, err
	}
	out := &searchProjectsOutput{}
	out.Body.Data = make([]ListedProject, len(page.Projects))
	for i, p := range page.Projects {
		out.Body.Data[i] = encodeListedProject(p)
	}
	out.Body.Pagination = in.Pagination(page.Next)
	return out, nil
}

type createProjectInput struct {
	resource.Idempotency
	Body struct {
		Name        string          `json:"name" doc:"1 to 200 characters." example:"Difference Engine"`
		Description string          `json:"description,omitempty" doc:"At most 2,000 characters; can have line breaks." example:"Tables of logarithms, without errors."`
		Status      projects.Status `json:"status,omitempty" enum:"draft,active,on_hold,completed,archived" default:"draft" doc:"Progress of the project."`
		CustomerID  string          `json:"customerId,omitempty" format:"uuid" doc:"ID of an existing customer, whose users can read the project. Default: none." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
		OwnerID     *string         `json:"ownerId,omitempty" format:"uuid" doc:"ID of an existing user. Default: the caller." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
		Members     []Member        `json:"members,omitempty" doc:"At most 100 existing users, each once."`
		Settings    web.Object      `json:"settings,omitempty" doc:"Any JSON object, at most 16 KB and 8 levels; stored unchanged." example:"{\"visibility\":\"internal\"}"`
		Metadata    web.Object      `json:"metadata,omitempty" doc:"Any JSON object, at most 16 KB and 8 levels; stored unchanged." example:"{\"customerNumber\":\"C-1815\"}"`
	}
}

// Resolve implements huma.Resolver. It adds the failures of the domain to the failures of the schema.
func (in *createProjectInput) Resolve(huma.Context) []error {
	return web.Failures(in.project().Check())
}

func (in *createProjectInput) project() projects.NewProject {
	b := in.Body
	return projects.NewProject{
		Name: b.Name, Description: b.Description, Status: b.Status, CustomerID: b.CustomerID, OwnerID: b.OwnerID,
		Members: membersOf(b.Members), Settings: json.RawMessage(b.Settings), Metadata: json.RawMessage(b.Metadata),
	}
}

// membersOf returns nil if the request has no members.
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
	resource.Version
	resource.Creation
	Body projectBody
}

var createProject = huma.Operation{
	OperationID: "createProject", Tags: tags, Summary: "Create a project",
	DefaultStatus: http.StatusCreated,
	Description: "Creates a project. The caller owns it unless `ownerId` names another user. Roles of members describe their part " +
		"in the project; they grant no permissions in this API.\n\nWith an `Idempotency-Key` " +
		"you can safely repeat the request for 24 hours: the same body gets the first response again with " +
		"`Idempotency-Replayed: true`, and a different body gets a 422.",
	Errors: web.BodyErrors(http.StatusUnprocessableEntity),
}

func (s *service) create(ctx context.Context, in *createProjectInput) (*createProjectOutput, error) {
	caller, _ := principal.From(ctx)
	created, err := s.projects.Create(ctx, projects.CreateOptions{Caller: caller, IdempotencyKey: in.IdempotencyKey},
		in.project())
	if err != nil {
		return nil, err
	}
	return &createProjectOutput{
		Version:  resource.VersionOf(created.Project.Version),
		Creation: resource.CreatedAt(path+"/"+created.Project.ID, created.Replayed),
		Body:     projectBody{encodeProject(created.Project)},
	}, nil
}

// ProjectPath is the path parameter of operations on one project.
type ProjectPath struct {
	ProjectID string `path:"projectId" format:"uuid" doc:"ID of the project." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
}

// read returns the project of the path.
func (s *service) read(ctx context.Context, r *http.Request) (projects.Project, error) {
	id, ok := web.PathID(r, "projectId")
	if !ok {
		return projects.Project{}, projects.ErrNotFound
	}
	return s.projects.ReadUnchecked(ctx, id)
}

var getProject = huma.Operation{
	OperationID: "getProject", Tags: tags, Summary: "Get a project",
	Description: "Returns one project with all fields. The `ETag` identifies the version; send it in `If-Match` to change only this version.",
	Errors:      []int{http.StatusNotFound},
}

func (s *service) get(ctx context.Context, _ *ProjectPath, project projects.Project) (*projectOutput, error) {
	caller, _ := principal.From(ctx)
	project, err := s.projects.VisibleTo(caller, project)
	if err != nil {
		return nil, err
	}
	return newProjectOutput(project), nil
}

// ReadOnlyProject has the fields of a project that an update cannot change.
type ReadOnlyProject struct {
	ID        web.ReadOnly `json:"id,omitempty" hidden:"true"`
	CreatedAt web.ReadOnly `json:"createdAt,omitempty" hidden:"true"`
	UpdatedAt web.ReadOnly `json:"updatedAt,omitempty" hidden:"true"`
}

type updateProjectInput struct {
	ProjectPath
	resource.Condition
	Body struct {
		ReadOnlyProject

		Name        *string          `json:"name,omitempty" doc:"1 to 200 characters." example:"Analytical Engine"`
		Description *string          `json:"description,omitempty" nullable:"true" doc:"At most 2,000 characters; null or empty removes it." example:"Any computation at all."`
		Status      *projects.Status `json:"status,omitempty" enum:"draft,active,on_hold,completed,archived" doc:"Progress of the project." example:"archived"`
		CustomerID  *string          `json:"customerId,omitempty" format:"uuid" nullable:"true" doc:"ID of an existing customer, whose users can read the project; null for none." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
		OwnerID     *string          `json:"ownerId,omitempty" format:"uuid" doc:"ID of an existing user." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
		Members     []Member         `json:"members,omitempty" nullable:"true" doc:"At most 100 existing users, each once. Replaces all members; null or an empty list removes them."`
		Settings    web.Object       `json:"settings,omitempty" nullable:"true" doc:"Any JSON object, at most 16 KB and 8 levels. PUT replaces the current one, PATCH merges into it; null empties it." example:"{\"visibility\":\"internal\"}"`
		Metadata    web.Object       `json:"metadata,omitempty" nullable:"true" doc:"Any JSON object, at most 16 KB and 8 levels. PUT replaces the current one, PATCH merges into it; null empties it." example:"{\"customerNumber\":\"C-1815\"}"`
	}
}

// Resolve implements huma.Resolver.
func (in *updateProjectInput) Resolve(ctx huma.Context) []error {
	failures := web.ApplyNulls(ctx, &in.Body)
	return web.Failures(append(failures, in.change(false).Check()...))
}

func (in *updateProjectInput) change(isPatch bool) projects.Change {
	b := in.Body
	return projects.Change{
		IsPatch: isPatch,
		Name:    b.Name, Description: b.Description, Status: b.Status, CustomerID: b.CustomerID, OwnerID: b.OwnerID,
		Members: membersOf(b.Members), Settings: json.RawMessage(b.Settings), Metadata: json.RawMessage(b.Metadata),
	}
}

var updateProject = huma.Operation{
	OperationID: "updateProject", Tags: tags, Summary: "Change a project",
	Description: "Changes the fields in the body and leaves other fields unchanged. `members`, `settings` and `metadata` are each " +
		"replaced completely. Any status can follow any other. A new customer, a new owner and new members must exist.",
	Errors: web.BodyErrors(http.StatusNotFound, http.StatusPreconditionFailed),
}

func (s *service) update(ctx context.Context, in *updateProjectInput) (*projectOutput, error) {
	return s.change(ctx, in, in.change(false))
}

var patchProject = huma.Operation{
	OperationID: "patchProject", Tags: tags, Summary: "Patch a project",
	Description: "Changes a project as `PUT` does, with a JSON Merge Patch (RFC 7396): `settings` and `metadata` are merged into the " +
		"current ones, and a member of them that is null is removed. `members` is replaced completely.",
	Errors: web.BodyErrors(http.StatusNotFound, http.StatusPreconditionFailed),
}

func (s *service) patch(ctx context.Context, in *updateProjectInput) (*projectOutput, error) {
	return s.change(ctx, in, in.change(true))
}

func (s *service) change(ctx context.Context, in *updateProjectInput, change projects.Change) (*projectOutput, error) {
	target := in.target(in.Condition)
	err := web.CheckReadOnly(in.Body, target, func() (any, int64, error) {
		caller, _ := principal.From(ctx)
		stored, err := s.projects.Get(ctx, caller, target.ID)
		return encodeProject(stored), stored.Version, err
	})
	if err != nil {
		return nil, err
	}
	project, err := s.projects.Update(ctx, target, change)
	if err != nil {
		return nil, err
	}
	return newProjectOutput(project), nil
}

func (p ProjectPath) target(c resource.Condition) versions.Target {
	return versions.Target{ID: resource.CanonicalID(p.ProjectID), IfMatch: c.Wanted()}
}

type deleteProjectInput struct {
	ProjectPath
	resource.Condition
}

var deleteProject = huma.Operation{
	OperationID: "deleteProject", Tags: tags, Summary: "Delete a project",
	DefaultStatus: http.StatusNoContent,
	Description:   "Deletes a project permanently. To keep a project that is no longer needed, set its status to `archived`.",
	Errors:        []int{http.StatusNotFound, http.StatusPreconditionFailed},
}

func (s *service) delete(ctx context.Context, in *deleteProjectInput) (*struct{}, error) {
	return nil, s.projects.Delete(ctx, in.target(in.Condition))
}
