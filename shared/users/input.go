package users

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"portside/shared/core/checks"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

// Limits of a user's fields, from the API contract. Lengths are in characters. Package checks has
// those of addresses and metadata.
const (
	MaxName       = 200
	MaxDepartment = 200
)

// NewUser is the input for a new user.
type NewUser struct {
	Email           string
	Name            string
	CustomerID      string // empty for the vendor's staff
	Role            principal.Role
	Department      string
	Metadata        json.RawMessage // nil means an empty object
	ActivationEmail bool            // true: the user starts pending and gets an activation mail; false: the user is active at once
}

// Change is the input for changing a user. Nil fields stay unchanged.
type Change struct {
	// IsPatch: Metadata is a JSON Merge Patch (RFC 7396) to the stored object. Otherwise it replaces the stored object.
	IsPatch    bool
	Name       *string
	CustomerID *string // empty: the user becomes one of the vendor's staff
	Role       *principal.Role
	Status     *Status
	Department *string
	Metadata   json.RawMessage
}

// Check returns all validation failures. Without any, the input may be used after Normal.
func (n NewUser) Check() []fault.Field {
	n = n.Normal()
	c := checker{}
	c.Email("/email", n.Email)
	c.Text("/name", n.Name, 1, MaxName)
	c.customer(n.CustomerID)
	c.role(n.Role)
	c.Text("/department", n.Department, 0, MaxDepartment)
	c.Object("/metadata", n.Metadata)
	return c.Fields()
}

// Normal returns the input in its stored form: the address in lower case, texts trimmed, metadata
// compacted.
func (n NewUser) Normal() NewUser {
	n.Email = principal.NormalEmail(n.Email)
	n.Name = strings.TrimSpace(n.Name)
	n.CustomerID = canonical(n.CustomerID)
	n.Department = strings.TrimSpace(n.Department)
	n.Metadata = checks.Compact(n.Metadata)
	return n
}

// user returns the new user. The input must be normal.
func (n NewUser) user(id string, at time.Time) User {
	user := User{
		ID: id, CustomerID: n.CustomerID, Email: n.Email, Name: n.Name, Role: n.Role, Status: Active,
		Department: n.Department, Metadata: n.Metadata, CreatedAt: at.UTC(),
	}
	if n.ActivationEmail {
		user.Status = Pending
	}
	return user
}

// Check returns all validation failures.
func (c Change) Check() []fault.Field {
	check := checker{}
	if c.Name != nil {
		check.Text("/name", strings.TrimSpace(*c.Name), 1, MaxName)
	}
	if c.CustomerID != nil {
		check.customer(canonical(*c.CustomerID))
	}
	if c.Role != nil {
		check.role(*c.Role)
	}
	if c.Status != nil && *c.Status != Active && *c.Status != Inactive && *c.Status != Suspended && *c.Status != Pending {
		check.Add("/status", notStatus)
	}
	if c.Department != nil {
		check.Text("/department", strings.TrimSpace(*c.Department), 0, MaxDepartment)
	}
	if c.Metadata != nil {
		check.Object("/metadata", checks.Compact(c.Metadata))
	}
	return check.Fields()
}

// Apply returns u with the change applied.
func (c Change) Apply(u User) User {
	if c.Name != nil {
		u.Name = strings.TrimSpace(*c.Name)
	}
	if c.CustomerID != nil {
		u.CustomerID = canonical(*c.CustomerID)
	}
	if c.Role != nil {
		u.Role = *c.Role
	}
	if c.Status != nil {
		u.Status = *c.Status
	}
	if c.Department != nil {
		u.Department = strings.TrimSpace(*c.Department)
	}
	if c.Metadata != nil {
		u.Metadata = checks.ReplaceOrPatch(u.Metadata, c.Metadata, c.IsPatch)
	}
	return u
}

const notStatus = "must be active, inactive or suspended"

// checkResult returns the failures that depend on the user before the change. Nobody can make a user pending again, and
// a patch can make an object too large.
func checkResult(before, after User) []fault.Field {
	var failures checks.Failures
	if after.Status == Pending && before.Status != Pending {
		failures.Add("/status", notStatus)
	}
	failures.Object("/metadata", after.Metadata)
	return failures.Fields()
}

// checker adds the rules for the fields of users.
type checker struct{ checks.Failures }

func (c *checker) role(r principal.Role) {
	if !r.Known() {
		c.Add("/role", "must be admin, manager, user or viewer")
	}
}

// customer accepts the ID of a customer, who may not exist, and an empty one.
func (c *checker) customer(id string) {
	if id != "" && uuid.Validate(id) != nil {
		c.Add("/customerId", notCustomer)
	}
}

const notCustomer = "must be the ID of a customer who exists"

// canonical returns an ID in the spelling that is stored.
func canonical(id string) string {
	if parsed, err := uuid.Parse(id); err == nil {
		return parsed.String()
	}
	return id
}
