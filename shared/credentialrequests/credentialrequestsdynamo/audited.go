package credentialrequestsdynamo

import (
	"context"
	"reflect"

	"portside/shared/core/audit"
	"portside/shared/credentialrequests"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
)

// auditChange returns the change of a request of a user of the customer. The zero request as before means a creation.
func auditChange(action audit.Action, customerID string, before, after credentialrequests.Request) audit.Change {
	return audit.Change{
		Action: action, Target: audit.Target{Kind: audit.CredentialRequest, ID: after.ID, Name: string(after.Level)},
		CustomerID: customerID,
		Before:     auditForm(before), After: auditForm(after),
	}
}

// audit adds the events of a change: one for the request, if people can see the change, and one for a password that it
// creates or ends. The mailed link, with which the user collects the password, has no event.
func (p *plan) audit(ctx context.Context, change credentialrequests.Change) {
	change.After.Version = change.Before.Version
	if reflect.DeepEqual(auditForm(change.Before), auditForm(change.After)) {
		return
	}
	change.After.Version++
	action, isCollected := actionOf(change), change.After.Status == credentialrequests.Collected
	customerID := customerOf(change)
	if isCollected {
		ctx = audit.WithActor(ctx, audit.Actor{Kind: audit.Person, ID: change.Before.UserID, CustomerID: customerID})
	}
	table := p.store.credentials
	p.Add(nil, table.Audit(ctx, auditChange(action, customerID, change.Before, change.After))...)
	if isCollected && change.Issue != nil {
		p.Add(nil, table.Audit(ctx, credentialsdynamo.Created(*change.Issue))...)
	}
	if end := change.End; end != nil && end.Kind == credentials.Password {
		p.Add(nil, table.Audit(ctx, credentialsdynamo.Revoked(*end))...)
	}
}

// actionOf returns the action of a change. If a password was never shown, the service makes its request approved again.
// That is not an approval by a person.
func actionOf(change credentialrequests.Change) audit.Action {
	switch change.After.Status {
	case credentialrequests.Approved:
		if change.Before.Status == credentialrequests.Pending {
			return audit.RequestApproved
		}
		return audit.RequestChanged
	case credentialrequests.Denied:
		return audit.RequestDenied
	case credentialrequests.Collected:
		return audit.RequestCollected
	default:
		return audit.RequestChanged
	}
}

// customerOf returns the customer of the user of a request.
func customerOf(change credentialrequests.Change) string {
	if change.Person != nil {
		return change.Person.CustomerID
	}
	for _, c := range []*credentials.Credential{change.Issue, change.End} {
		if c != nil {
			return c.Owner.CustomerID
		}
	}
	return change.CustomerID
}
