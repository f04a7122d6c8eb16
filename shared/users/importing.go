package users

import (
	"context"
	"time"

	"portside/shared/core/fault"
)

// ErrRepeatedRow is the error of a row whose address is in an earlier row of the same call.
var ErrRepeatedRow = fault.NewFinal(fault.Conflict, "An earlier row has the same e-mail address.")

// BulkStore adds many users at once.
type BulkStore interface {
	// CreateAll adds users in few transactions, each of which writes complete users only. It
	// returns one error per creation, in the same order: nil for an added user, ErrEmailTaken for
	// one that existed. The second result is an outage. Users before the first undecided one may
	// have been added then; the same call again adds the rest. An invitation needs no link: its
	// mail is stored as unsent, and Inviter.SendDue creates the link.
	CreateAll(ctx context.Context, creations []Creation) ([]error, error)
}

// Importer adds users on behalf of the operator, without checking permissions.
type Importer struct {
	store   BulkStore
	newID   func() string
	now     func() time.Time
	baseURL string
}

// NewImporter returns an Importer. baseURL is the address of the portal, for activation mails; see
// NewUser.ActivationEmail.
func NewImporter(store BulkStore, newID func() string, now func() time.Time, baseURL string) *Importer {
	return &Importer{store: store, newID: newID, now: now, baseURL: baseURL}
}

// Import adds the users and returns one error for each row, nil if it was added. It continues after
// an invalid row. Addresses are unique, so repeating an import adds no user twice.
func (i *Importer) Import(ctx context.Context, rows []NewUser) ([]error, error) {
	outcomes := make([]error, len(rows))
	seen := make(map[string]bool, len(rows))
	var creations []Creation
	var origin []int
	for n, row := range rows {
		normal := row.Normal()
		switch failures := row.Check(); {
		case len(failures) > 0:
			outcomes[n] = fault.Invalid(failures...)
		case seen[normal.Email]:
			outcomes[n] = ErrRepeatedRow
		default:
			seen[normal.Email] = true
			creations = append(creations, i.creation(normal))
			origin = append(origin, n)
		}
	}
	created, err := i.store.CreateAll(ctx, creations)
	for at, n := range origin {
		if at < len(created) {
			outcomes[n] = created[at]
		}
	}
	return outcomes, err
}

func (i *Importer) creation(input NewUser) Creation {
	creation := Creation{User: User{
		ID: i.newID(), Email: input.Email, Name: input.Name, Role: input.Role, Status: Active,
		Department: input.Department, Metadata: input.Metadata, CreatedAt: i.now().UTC(),
	}}
	if input.ActivationEmail {
		creation.User.Status = Pending
		creation.Invitation = &Invitation{BaseURL: i.baseURL}
	}
	return creation
}
