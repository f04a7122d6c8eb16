package users

import (
	"context"
	"fmt"
	"slices"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/mail"
)

// ErrRepeatedRow is the error of a row whose address is in an earlier row of the same call.
var ErrRepeatedRow = fault.NewFinal(fault.Conflict, "An earlier row has the same email address.")

// MaxCheckedDaily is how many rows the dry runs of a customer, or of one of the vendor's staff, may check on one day
// (UTC), and the imports as many: two files of the greatest size. Both say which addresses already have a user, also
// one of another customer. They count apart, so that the dry runs of one person do not stop the imports of colleagues.
const MaxCheckedDaily = 20_000

// CheckedRows are the rows of an import or a dry run whose addresses are looked up.
type CheckedRows struct {
	Rows   int
	DryRun bool
}

// ErrCheckQuota comes with the time until the next day.
var ErrCheckQuota = fault.New(fault.QuotaExceeded, fmt.Sprintf("Dry runs of imports can check %d rows per day for a customer, "+
	"or for one of the vendor's staff, and imports as many, and this one has more than are left today. Send fewer rows, create users one "+
	"by one, or wait until tomorrow (UTC).", MaxCheckedDaily))

// BulkStore adds many users at once.
type BulkStore interface {
	// Taken returns the addresses that already belong to a user. The addresses must be normal; see
	// NewUser.Normal. Reads are strongly consistent.
	Taken(ctx context.Context, addresses []string) (map[string]bool, error)
	// Rooms returns how many more users each of the distinct customers can have. Customers who do not exist are
	// missing.
	Rooms(ctx context.Context, customerIDs []string) (map[string]int64, error)
	// MailsLeft returns how many mails are left of distinct quotas that have a limit.
	MailsLeft(ctx context.Context, quotas []mail.Quota, at time.Time) (map[mail.Quota]int, error)
	// CountChecked counts the rows of an import or a dry run for the caller's customer, or for a caller without one,
	// and writes an audit event. Errors: ErrCheckQuota, and nothing is counted.
	CountChecked(ctx context.Context, caller principal.Principal, checked CheckedRows, at time.Time) error
	// CreateAll adds users in few transactions, each of which writes complete users only. It
	// returns one error per creation, in the same order: nil for an added user, ErrEmailTaken for
	// one that existed, ErrNoCustomer, ErrTooManyUsers and mail.ErrQuota. If the store fails,
	// CreateAll returns an error with the results so far. Some of the remaining users may have been added; calling
	// CreateAll again adds the rest. An invitation needs no link: its mail is stored as unsent, and Inviter.SendDue
	// creates the link.
	CreateAll(ctx context.Context, creations []Creation) ([]error, error)
}

// Importer adds many users.
type Importer struct {
	store BulkStore
	newID func() string
	now   func() time.Time
}

// NewImporter returns an Importer. newID creates user ids (UUIDv7).
func NewImporter(store BulkStore, newID func() string, now func() time.Time) *Importer {
	return &Importer{store: store, newID: newID, now: now}
}

// ImportOptions are the caller and the settings of an import.
type ImportOptions struct {
	Caller  principal.Principal
	BaseURL string // of the portal, for activation mails; without a trailing slash
}

// Outcome is the result of one row.
type Outcome struct {
	UserID string // of the new user
	Err    error  // nil if the user was added; ErrEmailTaken if another user has the address
}

// Import adds the users and returns one outcome for each row. An invalid row, or one whose role
// permits more than the caller's, does not stop later rows. Addresses are unique, so repeating an
// import adds no user twice. It counts the rows whose addresses it looks up; see MaxCheckedDaily. Errors:
// ErrCheckQuota.
func (i *Importer) Import(ctx context.Context, options ImportOptions, rows []NewUser) ([]Outcome, error) {
	outcomes, rows, valid := check(options.Caller, rows)
	makers, err := credentials.MadeBy(options.Caller)
	if err != nil {
		return nil, err
	}
	if err := i.countChecked(ctx, options.Caller, CheckedRows{Rows: len(valid)}); err != nil {
		return nil, err
	}
	creations := make([]Creation, len(valid))
	for at, n := range valid {
		quotas := mail.InvitationsTo(options.Caller, rows[n].Email)
		creations[at] = i.creation(rows[n], Invitation{BaseURL: options.BaseURL, Makers: makers, Quotas: quotas})
	}
	created, err := i.store.CreateAll(ctx, creations)
	for at, n := range valid[:len(created)] {
		if outcomes[n].Err = created[at]; created[at] == nil {
			outcomes[n].UserID = creations[at].User.ID
		}
	}
	return outcomes, err
}

// Preview returns the errors that Import would return for the rows at this moment. It adds no users. It counts the
// rows whose addresses it looks up; see MaxCheckedDaily. Errors: ErrCheckQuota.
func (i *Importer) Preview(ctx context.Context, caller principal.Principal, rows []NewUser) ([]error, error) {
	outcomes, rows, valid := check(caller, rows)
	if err := i.countChecked(ctx, caller, CheckedRows{len(valid), true}); err != nil {
		return nil, err
	}
	addresses := make([]string, len(valid))
	for at, n := range valid {
		addresses[at] = rows[n].Email
	}
	taken, err := i.store.Taken(ctx, addresses)
	if err != nil {
		return nil, err
	}
	rooms, err := i.rooms(ctx, rows, valid)
	if err != nil {
		return nil, err
	}
	failures := make([]error, len(rows))
	for n, outcome := range outcomes {
		failures[n] = outcome.Err
	}
	var added []int
	for at, n := range valid {
		if taken[addresses[at]] {
			failures[n] = ErrEmailTaken
			continue
		}
		if failures[n] = takeRoom(rooms, rows[n].CustomerID); failures[n] == nil && rows[n].ActivationEmail {
			added = append(added, n)
		}
	}
	return failures, i.refuseMails(ctx, caller, invitees{rows, added}, failures)
}

// countChecked counts the valid rows. The operator can read the tables anyway.
func (i *Importer) countChecked(ctx context.Context, caller principal.Principal, checked CheckedRows) error {
	if checked.Rows == 0 || caller.IsOperator() {
		return nil
	}
	return i.store.CountChecked(ctx, caller, checked, i.now())
}

// invitees are the rows at the given positions, which an import would invite.
type invitees struct {
	rows []NewUser
	at   []int
}

// refuseMails sets the failures of the rows whose invitations exceed a quota.
func (i *Importer) refuseMails(ctx context.Context, caller principal.Principal, invited invitees,
	failures []error) error {
	quotas := make(map[int][]mail.Quota, len(invited.at))
	var all []mail.Quota
	for _, n := range invited.at {
		quotas[n] = mail.InvitationsTo(caller, invited.rows[n].Email)
		all = append(all, quotas[n]...)
	}
	if len(all) == 0 {
		return nil
	}
	now := i.now()
	left, err := i.store.MailsLeft(ctx, distinct(all), now)
	if err != nil {
		return err
	}
	for _, n := range invited.at {
		if used := slices.IndexFunc(quotas[n], func(q mail.Quota) bool { return left[q] <= 0 }); used >= 0 {
			failures[n] = quotas[n][used].Exceeded(now)
			continue
		}
		for _, q := range quotas[n] {
			left[q]--
		}
	}
	return nil
}

func distinct(quotas []mail.Quota) []mail.Quota {
	seen := make(map[mail.Quota]bool, len(quotas))
	return slices.DeleteFunc(quotas, func(q mail.Quota) bool {
		isSeen := seen[q]
		seen[q] = true
		return isSeen
	})
}

// rooms returns how many more users the customers of the valid rows can have.
func (i *Importer) rooms(ctx context.Context, rows []NewUser, valid []int) (map[string]int64, error) {
	var named []string
	for _, n := range valid {
		if id := rows[n].CustomerID; id != "" && !slices.Contains(named, id) {
			named = append(named, id)
		}
	}
	if named == nil {
		return map[string]int64{}, nil
	}
	return i.store.Rooms(ctx, named)
}

// takeRoom uses one place of a customer up. Errors: ErrNoCustomer, ErrTooManyUsers.
func takeRoom(rooms map[string]int64, customerID string) error {
	if customerID == "" {
		return nil
	}
	room, exists := rooms[customerID]
	switch {
	case !exists:
		return ErrNoCustomer
	case room <= 0:
		return ErrTooManyUsers
	}
	rooms[customerID] = room - 1
	return nil
}

// check returns one outcome per row, with an error for each row that cannot be added, the rows in their normal form,
// and the indexes of the valid ones.
func check(caller principal.Principal, rows []NewUser) (outcomes []Outcome, normal []NewUser, valid []int) {
	outcomes, normal = make([]Outcome, len(rows)), make([]NewUser, len(rows))
	seen := make(map[string]bool, len(rows))
	for n, row := range rows {
		address := row.Normal().Email
		var err error
		normal[n], err = row.Normal().inCustomerOf(caller)
		switch failures := row.Check(); {
		case len(failures) > 0:
			outcomes[n].Err = fault.Invalid(failures...)
		case err != nil:
			outcomes[n].Err = err
		case !caller.Role.Covers(row.Role):
			outcomes[n].Err = ErrRoleTooHigh
		case seen[address]:
			outcomes[n].Err = ErrRepeatedRow
		default:
			seen[address] = true
			valid = append(valid, n)
		}
	}
	return outcomes, normal, valid
}

func (i *Importer) creation(input NewUser, invitation Invitation) Creation {
	creation := Creation{User: input.user(i.newID(), i.now())}
	if input.ActivationEmail {
		creation.Invitation = &invitation
	}
	return creation
}
