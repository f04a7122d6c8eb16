package credentialsdynamo

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/items"
)

// All credentials of a customer's users end with one write, however many there are; see
// customerstates.Table.EndCredentials. A credential of an earlier generation has ended. Its record and its listing do
// not change. So everything here that returns credentials reads the states of their customers, too, and returns the
// ended ones as revoked at the time of the end.
//
// The order follows the writes to the state, and does not depend on any clock. A new credential has the generation of
// the one on whose behalf it is created, or one that was read before its transaction. So an end that comes between the
// read and the transaction ends it, too, and creations need not touch the state, which many of them at once would hold
// up. An issue on behalf of a credential also checks the state in its transaction, so that its client gets an error;
// see StillWorks. The tally counts the ended ones until Recount leaves them out.
//
// A credential stays in the customer in which it was created, because a move to another one revokes it. Only an
// activation link moves, and it never ends so: it opens an account that its user has not used yet.

// hasEnded reports whether a credential of a user of the customer has ended with all others. The zero state ends none.
func hasEnded(s customerstates.State, c credentials.Credential) bool {
	return c.Generation < s.Generation && !isInvitation(c)
}

// applied returns a credential of a user of the customer. It is revoked if it ended with all others, unless it had
// expired before.
func applied(s customerstates.State, c credentials.Credential) credentials.Credential {
	ended := items.Time(s.Ended)
	if hasEnded(s, c) && c.IsOpen(ended) {
		c.RevokedAt, c.Reason = ended, credentials.ReasonEnded
	}
	return c
}

// isInvitation reports whether a credential is an activation link.
func isInvitation(c credentials.Credential) bool {
	return c.Kind == credentials.Link && c.Name == credentials.ActivationLink
}

// withEnds applies the ends of their customers to credentials, with one more read if there are any of customers.
func (t *Table) withEnds(ctx context.Context, all []credentials.Credential) error {
	inCustomers := map[string]bool{}
	for _, c := range all {
		if c.Owner.CustomerID != "" && c.RevokedAt.IsZero() {
			inCustomers[c.Owner.CustomerID] = true
		}
	}
	if len(inCustomers) == 0 {
		return nil
	}
	states, err := t.Customers.All(ctx, slices.Sorted(maps.Keys(inCustomers)))
	for i, c := range all {
		all[i] = applied(states[c.Owner.CustomerID], c)
	}
	return err
}

// Since are the customers of credentials, and the oldest generation of these. A transaction that contains Checks fails
// if they have ended with all credentials of their customer meanwhile. The zero value has none.
type Since struct{ oldest map[string]int64 }

// Add adds a credential of the generation, of a user of the customer, or of none.
func (s *Since) Add(customerID string, generation int64) {
	if customerID == "" {
		return
	}
	if s.oldest == nil {
		s.oldest = map[string]int64{}
	}
	if before, found := s.oldest[customerID]; !found || generation < before {
		s.oldest[customerID] = generation
	}
}

// Checks returns one check for each customer, because a transaction cannot have two operations on one item.
func (w Writes) Checks(s Since) []types.TransactWriteItem {
	var checks []types.TransactWriteItem
	for _, customerID := range slices.Sorted(maps.Keys(s.oldest)) {
		checks = append(checks, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: &w.table, Key: customerstates.Key(customerID),
			ConditionExpression:       aws.String("attribute_exists(pk) AND (attribute_not_exists(generation) OR generation <= :oldest)"),
			ExpressionAttributeValues: items.Map{":oldest": items.Number(s.oldest[customerID])},
		}})
	}
	return checks
}

// HaveNotEnded returns the checks that no credential of the makers has ended; see hasNotEnded. It adds the API keys of
// customers to since, whose checks the transaction also needs. It is false if an API key has ended already with all
// credentials of its customer. Sessions and links that have ended so only pass, as those that an administrator has
// ended one by one.
func (t *Table) HaveNotEnded(ctx context.Context, makers []principal.Maker, since *Since) ([]types.TransactWriteItem, bool, error) {
	var ids []string
	for _, m := range makers {
		if !slices.Contains(ids, m.CredentialID) {
			ids = append(ids, m.CredentialID)
		}
	}
	found, err := t.ByID(ctx, ids)
	if err := cmp.Or(err, firstOf(found.Damaged)); err != nil {
		return nil, false, err
	}
	for _, c := range found.Credentials {
		if c.Kind != credentials.APIKey {
			continue
		}
		if !c.RevokedAt.IsZero() {
			return nil, false, nil
		}
		since.Add(c.Owner.CustomerID, c.Generation)
	}
	checks := make([]types.TransactWriteItem, len(ids))
	for i, id := range ids {
		checks[i] = t.Writes.hasNotEnded(id)
	}
	return checks, true, nil
}

func firstOf(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	return errs[0]
}
