package users

import (
	"context"
	"time"

	"portside/shared/core/fault"
)

// ErrRepeated is what a row of an import gets whose address stands in an earlier row of the same call.
var ErrRepeated = fault.NewFinal(fault.Conflict, "The same e-mail address stands in an earlier row.")

// BulkStore adds many users at once.
type BulkStore interface {
	// CreateAll adds users in few transactions, each of which writes whole users only. The errors are in the order of
	// the creations: nil for an added user, ErrEmailTaken for one that was there. The error beside them is an outage;
	// users before the first that it left undecided may have been added, and the same call again adds the rest.
	// An invitation among them needs no link: its mail is noted as unsent, and Inviter.SendDue makes the link.
	CreateAll(ctx context.Context, creations []Creation) ([]error, error)
}

// Importer adds users on behalf of the operator, without asking for permissions.
type Importer struct {
	store   BulkStore
	newID   func() string
	now     func() time.Time
	baseURL string
}

// NewImporter returns an Importer. baseURL is the portal's address for activation mails; see NewUser.ActivationEmail.
func NewImporter(store BulkStore, newID func() string, now func() time.Time, baseURL string) *Importer {
	return &Importer{store: store, newID: newID, now: now, baseURL: baseURL}
}

// Import adds the users and returns one error for each, nil where it was added. A row that breaks a rule does not keep
// the others out. Running the same import again adds nothing twice, since addresses are unique.
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
			outcomes[n] = ErrRepeated
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
