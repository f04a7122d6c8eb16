package projects

import (
	"encoding/json"
	"strings"

	"github.com/google/uuid"

	"portside/shared/core/checks"
	"portside/shared/core/fault"
)

// Bounds of a project's fields, from the contract. Lengths are in characters; those of settings and metadata are package
// checks'.
const (
	MaxName        = 200
	MaxDescription = 2000
	MaxMembers     = 100
)

// NewProject is what a caller says of a project to be created.
type NewProject struct {
	Name        string
	Description string
	Status      Status  // empty: draft
	OwnerID     *string // nil: the caller
	Members     []Member
	Settings    json.RawMessage // nil: an empty object
	Metadata    json.RawMessage // nil: an empty object
}

// Change is what a caller says of a project to be changed; nil leaves a field as it is.
type Change struct {
	Name        *string
	Description *string
	Status      *Status
	OwnerID     *string
	Members     []Member // replaces all members; empty but not nil: none are left
	Settings    json.RawMessage
	Metadata    json.RawMessage
}

// change is the creation as a change of nothing, so that either has the same rules.
func (n NewProject) change() Change {
	c := Change{Name: &n.Name, Description: &n.Description, OwnerID: n.OwnerID, Members: n.Members, Settings: n.Settings, Metadata: n.Metadata}
	if n.Status != "" {
		c.Status = &n.Status
	}
	return c
}

// Check returns every way in which the input breaks a rule, none if it is fit to use. Whether users exist is not checked here.
func (n NewProject) Check() []fault.Field { return n.change().Check() }

// Apply returns p, a project with its defaults, as the caller wants it.
func (n NewProject) Apply(p Project) Project { return n.change().Apply(p) }

// Check returns every way in which the change breaks a rule. Whether users exist is not checked here.
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

const notUser = "must be the id of a user who exists"

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

// Apply returns p with the change made.
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
	if c.OwnerID != nil {
		p.OwnerID = canonical(*c.OwnerID)
	}
	if c.Members != nil {
		p.Members = canonicalMembers(c.Members)
	}
	if c.Settings != nil {
		p.Settings = checks.Compact(c.Settings)
	}
	if c.Metadata != nil {
		p.Metadata = checks.Compact(c.Metadata)
	}
	return p
}

func canonicalMembers(members []Member) []Member {
	all := make([]Member, len(members))
	for i, m := range members {
		all[i] = Member{canonical(m.UserID), m.Role}
	}
	return all
}

// canonical returns a user id in the one spelling that is stored.
func canonical(id string) string {
	if parsed, err := uuid.Parse(id); err == nil {
		return parsed.String()
	}
	return id
}
