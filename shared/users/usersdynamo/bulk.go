package usersdynamo

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/core/throttle"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/records"
	"portside/shared/dynamo/transactions"
	"portside/shared/mail"
	"portside/shared/users"
)

const (
	// bulkBatch is how many users one transaction adds. Each has up to 13 items: 4 are for lists, 4 for searches, and
	// one counts the mails to the address. So 9 of DynamoDB's 100 items are left for all users together: up to 5
	// counters of the lists, the number of admins, the quota of invitations, the counters of the day, and their sum. A
	// batch has one day, because all its users have the same creation time.
	bulkBatch = 7
)

// CreateAll implements users.BulkStore. It first looks up which addresses are taken, in batches, so
// that importing the same file again only reads.
func (s Bulk) CreateAll(ctx context.Context, creations []users.Creation) ([]error, error) {
	outcomes := make([]error, len(creations))
	addresses := make([]string, len(creations))
	for i, c := range creations {
		addresses[i] = c.User.Email
	}
	taken, err := s.Taken(ctx, addresses)
	if err != nil {
		return nil, err
	}
	var fresh []int
	for i, c := range creations {
		if taken[c.User.Email] {
			outcomes[i] = users.ErrEmailTaken
			continue
		}
		fresh = append(fresh, i)
	}
	if len(fresh) == 0 {
		return outcomes, nil
	}
	number, when, err := s.store.records.Lists.Allocate(ctx, len(fresh), creations[fresh[0]].User.CreatedAt)
	if err != nil {
		return outcomes[:fresh[0]], err
	}
	for i, at := range fresh {
		user := &creations[at].User
		user.Number, user.CreatedAt, user.UpdatedAt, user.Version = number+int64(i), when, when, 1
	}
	for len(fresh) > 0 {
		n := batchSize(creations, fresh)
		if err := s.store.createBatch(ctx, creations, fresh[:n], outcomes); err != nil {
			return outcomes[:fresh[0]], err
		}
		fresh = fresh[n:]
	}
	return outcomes, nil
}

// batchSize returns how many of the creations at the given positions to add in one transaction. A user of a customer
// gets a transaction without other users: it has up to 26 items, and the customer's limit can refuse it alone.
func batchSize(creations []users.Creation, at []int) int {
	for n, i := range at[:min(bulkBatch, len(at))] {
		if creations[i].User.CustomerID != "" {
			return max(1, n)
		}
	}
	return min(bulkBatch, len(at))
}

// createBatch adds the creations at the given positions in one transaction. If another request
// takes one of the addresses meanwhile, it adds them one by one and records each result.
func (s *Store) createBatch(ctx context.Context, creations []users.Creation, at []int, outcomes []error) error {
	p := s.plan()
	var quotas []mail.Quota
	for _, i := range at {
		user := creations[i].User
		p.recordCreation(&user)
		p.createUser(user)
		if invitation := creations[i].Invitation; invitation != nil {
			p.Add(records.ErrDuplicateID, items.PutNew(p.store.table, items.Encode(newUnsentItem(user, *invitation))))
			quotas = append(quotas, invitation.Quotas...)
		}
	}
	p.countMails(quotas, creations[at[0]].User.CreatedAt)
	err := s.explainCustomer(ctx, p.run(ctx), creations[at[0]].User.CustomerID)
	if !isRefused(err) {
		return err
	}
	if len(at) == 1 {
		outcomes[at[0]] = err
		return nil
	}
	for n := range at {
		if err := s.createBatch(ctx, creations, at[n:n+1], outcomes); err != nil {
			return err
		}
	}
	return nil
}

// isRefused reports whether one of the new users cannot be added.
func isRefused(err error) bool {
	return errors.Is(err, users.ErrEmailTaken) || errors.Is(err, users.ErrNoCustomer) ||
		errors.Is(err, users.ErrTooManyUsers) ||
		errors.Is(err, mail.ErrQuota)
}

// MailsLeft implements users.BulkStore.
func (s Bulk) MailsLeft(ctx context.Context, quotas []mail.Quota, at time.Time) (map[mail.Quota]int, error) {
	windows := make([]throttle.Window, len(quotas))
	for i, q := range quotas {
		windows[i] = q.Window()
	}
	counted, err := s.store.credentials.Windows.Counted(ctx, windows, at)
	left := make(map[mail.Quota]int, len(quotas))
	for i, q := range quotas {
		left[q] = q.Limit - counted[windows[i]]
	}
	return left, err
}

// checkForm is what audit events show of an import or a dry run.
type checkForm struct {
	Rows int `json:"rows"` // whose addresses were looked up
}

// CountChecked implements users.BulkStore with one transaction.
func (s Bulk) CountChecked(ctx context.Context, caller principal.Principal, checked users.CheckedRows, at time.Time) error {
	const day = 24 * time.Hour
	quota := users.ErrCheckQuota.After(at.Truncate(day).Add(day).Sub(at))
	if checked.Rows > users.MaxCheckedDaily {
		return quota
	}
	name := "checked-rows"
	if checked.DryRun {
		name = "dry-run-rows"
	}
	window := throttle.Window{
		Name: name, Subject: cmp.Or(caller.CustomerID, caller.UserID), Length: day, Limit: users.MaxCheckedDaily,
	}
	var plan transactions.Plan
	plan.Add(quota, s.store.credentials.Windows.Count(window, checked.Rows, at)...)
	plan.Add(nil, s.store.credentials.Audit(ctx, audit.Change{
		Action: audit.UserImportChecked, Target: audit.Target{Kind: audit.User, ID: caller.UserID}, CustomerID: caller.CustomerID,
		After: checkForm{checked.Rows},
	})...)
	return plan.Write(ctx, s.store.client)
}

// Taken implements users.BulkStore. It reads the markers of the addresses in batches.
func (s Bulk) Taken(ctx context.Context, addresses []string) (map[string]bool, error) {
	wanted := make([]items.Map, len(addresses))
	addressOf := make(map[string]string, len(addresses))
	for i, address := range addresses {
		wanted[i], addressOf[emailPK(address)] = emailKey(address), address
	}
	found := map[string]bool{}
	err := items.GetAll(ctx, items.In(s.store.client, s.store.table), wanted, func(item items.Map) error {
		if pk, isText := item["pk"].(*types.AttributeValueMemberS); isText {
			found[addressOf[pk.Value]] = true
		}
		return nil
	})
	return found, err
}
