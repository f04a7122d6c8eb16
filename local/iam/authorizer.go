package iam

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
)

// ErrInvalidToken means that a session's token is missing, or belongs to another session.
var ErrInvalidToken = errors.New("the security token included in the request is invalid")

// Authorizer decides about requests of all roles. Its methods may be called concurrently.
type Authorizer struct {
	accountID string
	log       func(string)
	observe   func(role, action string)
	roles     atomic.Pointer[map[string]Role]
}

// NewAuthorizer returns an Authorizer without roles. It calls log with a line for each denied request.
func NewAuthorizer(accountID string, log func(string)) *Authorizer {
	a := &Authorizer{accountID: accountID, log: log, observe: func(string, string) {}}
	a.SetRoles(nil)
	return a
}

// Observe makes the authorizer call a function with the role and the first action of each permitted call. It must be
// called before the first call.
func (a *Authorizer) Observe(observe func(role, action string)) { a.observe = observe }

// SetRoles replaces all roles.
func (a *Authorizer) SetRoles(roles []Role) {
	byID := make(map[string]Role, len(roles))
	for _, r := range roles {
		byID[r.ID] = r
	}
	a.roles.Store(&byID)
}

// Authorize returns nil if the session's role allows all requests. Other results are a *Denial and ErrInvalidToken.
func (a *Authorizer) Authorize(s Session, requests ...Request) error {
	if err := a.decide(s, requests...); err != nil {
		return err
	}
	if len(requests) > 0 {
		a.count(s, requests[0])
	}
	return nil
}

func (a *Authorizer) count(s Session, request Request) {
	role, _ := s.RoleID()
	a.observe(role, request.Action)
}

func (a *Authorizer) decide(s Session, requests ...Request) error {
	id, ok := s.RoleID()
	role, known := (*a.roles.Load())[id]
	if !ok || !known {
		return ErrInvalidToken
	}
	for _, request := range requests {
		if decision := role.Decide(request); decision != Allow {
			denial := &Denial{Principal: a.principal(id), Request: request, IsExplicit: decision == Deny}
			a.log(denial.line(id))
			return denial
		}
	}
	return nil
}

// principal returns the ARN of a session. AWS names sessions after the function.
func (a *Authorizer) principal(role string) string {
	return "arn:aws:sts::" + a.accountID + ":assumed-role/" + role + "/" + strings.TrimSuffix(role, "Role")
}

// Denial is the error of a request that a role does not allow.
type Denial struct {
	Principal  string // ARN
	Request    Request
	IsExplicit bool // a statement denies the request
}

// Error returns the message of AWS.
func (d *Denial) Error() string {
	r := d.Request
	reason := "because no identity-based policy allows the " + r.Action + " action"
	if d.IsExplicit {
		reason = "with an explicit deny in an identity-based policy"
	}
	return fmt.Sprintf("User: %s is not authorized to perform: %s on resource: %s %s", d.Principal, r.Action, r.Resource,
		reason)
}

// line returns the line for the developer.
func (d *Denial) line(role string) string {
	if d.IsExplicit {
		return fmt.Sprintf("access denied: a statement of %s in template.yaml denies %s on %s", role, d.Request.Action,
			d.Request.Resource)
	}
	return fmt.Sprintf("access denied: %s in template.yaml does not allow %s on %s%s", role, d.Request.Action,
		d.Request.Resource, d.context())
}

func (d *Denial) context() string {
	var text strings.Builder
	for _, key := range []string{"dynamodb:LeadingKeys", "ses:FromAddress"} {
		if values := d.Request.Context[key]; len(values) > 0 {
			fmt.Fprintf(&text, " with %s = %s", key, strings.Join(values, ", "))
		}
	}
	return text.String()
}
