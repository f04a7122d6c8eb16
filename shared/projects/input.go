package projects

import (
	"encoding/json"
	"strings"

	"github.com/google/uuid"

	"portside/shared/core/checks"
	"portside/shared/core/fault"
)

// Limits of a project's fields, from the API contract. Lengths are in characters. Package checks
// has those of settings and metadata.
const (
	MaxName        = 200
	MaxDescription = 2000
	MaxMembers     = 100
)

// NewProject is the input for a new project.
type NewProject struct {
	Name        string
	Description string
	Status      Status  // empty means draft
	CustomerID  string  // empty means none
	OwnerID     *string // nil means the caller
	Members     []Member
	Settings    json.RawMessage // nil means an empty object
	Metadata    json.RawMessage // nil means an empty object
}

// Change is the input for changing a project. Nil fields stay unchanged.
type Change struct {
	// IsPatch: Settings and Metadata are JSON Merge Patches (RFC 7396) to the stored objects. Otherwise they replace
	// the stored objects.
	IsPatch     bool
	Name        *string
	Description *string
	Status      *Status
	CustomerID  *string // empty: none
	OwnerID     *string
	Members     []Member // replaces all members; an empty slice removes them
	Settings    json.RawMessage
	Metadata    json.RawMessage
}

// change returns the creation as a change of an empty project, so that both follow the same rules.
func (n NewProject) change() Change {
	c := Change{Name: &n.Name, Description: &n.Description, OwnerID: n.OwnerID, Members: n.Members, Settings: n.Settings,
		Metadata: n.Metadata}
	if n.Status != "" {
		c.Status = &n.Status
	}
	if n.CustomerID != "" {
		c.CustomerID = &n.CustomerID
	}
	return c
}

// Check returns all validation failures. It does not check whether the named users and customer exist.
func (n NewProject) Check() []fault.Field { return n.change().Check() }

// Apply returns p, a project with default values, with the input applied.
func (n NewProject) Apply(p Project) Project { return n.change().Apply(p) }

// Check returns all validation failures. It does not check whether the named users and customer exist.
func (c Change) Check() []fault.Field {
	var failures checks.Failures
	if c.Name != nil {
		failures.Text("/name", strings.TrimSpace(*c.Name), 1, MaxName)
	}
	if c.Description != nil {
		failures.Prose("/description", *c.Description, 0, MaxDescription)
	}
	if c.Status != nil && !c.Status.Known() {
		failures.Add("/status", "must be draft, active, on_hold, completed or archived")
	}
	if c.CustomerID != nil && *c.CustomerID != "" && uuid.Validate(*c.CustomerID) != nil {
		failures.Add("/customerId", notCustomer)
	}
	if c.OwnerID != nil && uuid.Validate(*c.OwnerID) != nil {
		failures.Add("/ownerId", notUser)
	}
	checkMembers(&failures, c.Members)
	if c.Settings != nil {
		failures.Object("/settings", checks.Compact(c.Settings))
	}
	if c.Metadata != nil {
		failures.Object("/metadata", checks.Compact(c.Metadata))
	}
	return failures.Fields()
}

const (
	notUser     = "must be the id of a user who exists"
	notCustomer = "must be the id of a customer who exists"
)

func checkMembers(failures *checks.Failures, members []Member) {
	if len(members) > MaxMembers {
		failures.Add("/members", "must have at most %d members", MaxMembers)
		return
	}
	seen := map[string]bool{}
	for i, m := range members {
		id := canonical(m.UserID)
		switch {
		case uuid.Validate(m.UserID) != nil:
			failures.Add(memberPointer(i), notUser)
		case seen[id]:
			failures.Add(memberPointer(i), "must not be a user who is named before; a member has one role")
		}
		seen[id] = true
		if m.Role != Owner && m.Role != Editor && m.Role != Viewer {
			failures.Add(rolePointer(i), "must be owner, editor or viewer")
		}
	}
}

// Apply returns p with the change applied.
func (c Change) Apply(p Project) Project {
	if c.Name != nil {
		p.Name = strings.TrimSpace(*c.Name)
	}
	if c.Description != nil {
		p.Description = strings.TrimSpace(*c.Description)
	}
	if c.Status != nil {
		p.Status = *c.Status
	}
	if c.CustomerID != nil {
		p.CustomerID = canonical(*c.CustomerID)
	}
	if c.OwnerID != nil {
		p.OwnerID = canonical(*c.OwnerID)
	}
	if c.Members != nil {
		p.Members = canonicalMembers(c.Members)
	}
	if c.Settings != nil {
		p.Settings = checks.ReplaceOrPatch(p.Settings, c.Settings, c.IsPatch)
	}
	if c.Metadata != nil {
		p.Metadata = checks.ReplaceOrPatch(p.Metadata, c.Metadata, c.IsPatch)
	}
	return p
}

// checkResult returns the failures that a valid patch can cause: an object that is too large after the merge.
func checkResult(p Project) []fault.Field {
	var failures checks.Failures
	failures.Object("/settings", p.Settings)
	failures.Object("/metadata", p.Metadata)
	return failures.Fields()
}

func canonicalMembers(members []Member) []Member {
	all := make([]Member, len(members))
	for i, m := range members {
		all[i] = Member{canonical(m.UserID), m.Role}
	}
	return all
}

// canonical returns an id in the spelling that is stored.
func canonical(id string) string {
	if parsed, err := uuid.Parse(id); err == nil {
		return parsed.String()
	}
	return id
}
