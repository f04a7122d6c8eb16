package credentialsdynamo

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/dynamo/auditlog"
)

// Audited returns the table with a log, to which stores add their changes. Without it, changes are in no log.
func (t *Table) Audited(log auditlog.Log) *Table {
	t.log = log
	return t
}

// Audit returns the write of the event about a change, for the transaction that makes it; see auditlog.Log.Write.
func (t *Table) Audit(ctx context.Context, change audit.Change) []types.TransactWriteItem {
	return t.log.Write(ctx, change)
}

// Created returns the change that creates a credential.
func Created(c credentials.Credential) audit.Change {
	action := audit.CredentialCreated
	switch {
	case c.Kind == credentials.Session:
		action = audit.SessionCreated
	case c.Exchanged:
		action = audit.CredentialExchanged
	case c.RotatedFrom != "":
		action = audit.CredentialRenewed
	}
	return change(action, c, nil, auditForm(c))
}

// Revoked returns the change that revokes a credential, which has the time and the reason of the revocation.
func Revoked(c credentials.Credential) audit.Change {
	before, action := c, audit.CredentialRevoked
	before.RevokedAt, before.Reason = time.Time{}, ""
	if c.Kind == credentials.Session {
		action = audit.SessionEnded
	}
	return change(action, c, auditForm(before), auditForm(c))
}

// updated returns the change of a credential that still works.
func updated(before, after credentials.Credential) audit.Change {
	return change(audit.CredentialUpdated, after, auditForm(before), auditForm(after))
}

func change(action audit.Action, c credentials.Credential, before, after any) audit.Change {
	return audit.Change{Action: action, Target: target(c), CustomerID: c.Owner.CustomerID, Before: before, After: after}
}

func target(c credentials.Credential) audit.Target {
	kind := audit.Credential
	if c.Kind == credentials.Session {
		kind = audit.Session
	}
	return audit.Target{Kind: kind, ID: c.ID, Name: c.Name}
}

// credentialForm is what events show of a credential: nothing that helps to guess its secret.
type credentialForm struct {
	Kind        credentials.Kind `json:"kind"`
	OwnerID     string           `json:"ownerId"`
	Name        string           `json:"name,omitempty"`
	Username    string           `json:"username,omitempty"`
	Scopes      []string         `json:"scopes,omitempty"`
	RateLimit   int              `json:"rateLimit,omitempty"`
	RotatedFrom string           `json:"rotatedFrom,omitempty"`
	MadeWith    []string         `json:"madeWith,omitempty"` // public IDs of the credentials of the makers, the nearest first
	ExpiresAt   time.Time        `json:"expiresAt,omitzero"`
	RevokedAt   time.Time        `json:"revokedAt,omitzero"`
	Reason      string           `json:"reason,omitempty"`
}

func auditForm(c credentials.Credential) any {
	return credentialForm{
		Kind: c.Kind, OwnerID: c.Owner.ID, Name: c.Name, Username: c.Username, Scopes: c.Scopes, RateLimit: c.RateLimit,
		RotatedFrom: c.RotatedFrom, MadeWith: madeWith(c.Makers), ExpiresAt: c.ExpiresAt.UTC(), RevokedAt: c.RevokedAt.UTC(), Reason: c.Reason,
	}
}

func madeWith(makers []principal.Maker) []string {
	ids := make([]string, len(makers))
	for i, m := range makers {
		ids[i] = m.CredentialID
	}
	return ids
}
