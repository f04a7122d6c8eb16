package credentialsdynamo

import (
	"cmp"
	"context"
	"sync"

	"portside/shared/credentials"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/windowcounts"
)

// Requests authenticates requests, and counts them. It remembers customers of credentials and entitlements of
// customers.
type Requests struct {
	table     *Table
	counter   windowcounts.Counter
	customers customerHints
	entitled  entitledCache
}

var _ credentials.Store = (*Requests)(nil)

// Get implements credentials.Reader; see Table.Get.
func (r *Requests) Get(ctx context.Context, id string) (credentials.Credential, error) {
	return r.table.Get(ctx, id)
}

// getWithCustomer is Get for authentication: the owner is not active if the owner's customer is suspended, or does not
// exist. Both items are read in one call, except with the first request of a credential of a customer's user in this
// process, which takes another.
func (r *Requests) getWithCustomer(ctx context.Context, id string) (credentials.Presented, error) {
	hint := r.customers.of(id)
	if hint == "" {
		found, err := r.table.stored(ctx, id)
		if err != nil || found.Owner.CustomerID == "" {
			return credentials.Presented{Credential: found}, err
		}
		r.customers.keep(id, found.Owner.CustomerID)
		return r.inCustomer(ctx, found)
	}
	found, state, err := r.getBoth(ctx, id, hint)
	switch {
	case err != nil || found.Owner.CustomerID == "":
		return credentials.Presented{Credential: found}, err
	case found.Owner.CustomerID != hint: // the user belongs to another customer since
		r.customers.keep(id, found.Owner.CustomerID)
		return r.inCustomer(ctx, found)
	default:
		return r.withState(ctx, found, state)
	}
}

// inCustomer reads the state of the owner's customer.
func (r *Requests) inCustomer(ctx context.Context, c credentials.Credential) (credentials.Presented, error) {
	state, exists, err := r.table.Customers.Get(ctx, c.Owner.CustomerID)
	switch {
	case err != nil:
		return credentials.Presented{}, err
	case !exists:
		return r.withState(ctx, c, nil)
	default:
		return r.withState(ctx, c, &state)
	}
}

// withState deactivates the owner unless the customer exists and is not suspended, and if the credential has ended with
// all of the customer, whatever its record says about its expiry. It revokes the credential then, and otherwise adds
// the customer's limit of requests, and its entitlements to a credential that fetches artifacts. The state is nil if
// the customer does not exist.
func (r *Requests) withState(ctx context.Context, c credentials.Credential, state *customerstates.State) (credentials.Presented, error) {
	c.Owner.Active = c.Owner.Active && state != nil && !state.Suspended && !hasEnded(*state, c)
	if state != nil {
		c = applied(*state, c)
	}
	presented := credentials.Presented{Credential: c}
	if !c.Owner.Active || !c.RevokedAt.IsZero() {
		return presented, nil
	}
	presented.MaxRequests = int(state.MaxRequests)
	if !c.Fetches() {
		return presented, nil
	}
	var err error
	presented.Entitled, err = r.entitled.of(ctx, c.Owner.CustomerID, state.Entitlements)
	return presented, err
}

// getBoth reads a credential and the state of a customer, which is nil if the customer does not exist. Errors:
// credentials.ErrUnknown.
func (r *Requests) getBoth(ctx context.Context, id, customerID string) (c credentials.Credential, state *customerstates.State, err error) {
	if !credentials.IsID(id) {
		return c, nil, credentials.ErrUnknown
	}
	missing := credentials.ErrUnknown
	keys := []items.Map{recordKey(id), customerstates.Key(customerID)}
	err = items.GetAll(ctx, r.table.items(), keys, func(item items.Map) error {
		if pkOf(item) != recordPK(id) {
			decoded, err := items.Decode[customerstates.State](item)
			state = &decoded
			return err
		}
		r, err := items.Decode[record](item)
		c, missing = r.credential(), nil
		return err
	})
	return c, state, cmp.Or(err, missing)
}

// maxHints bounds the memory of customerHints to about 1 MB.
const maxHints = 10_000

// customerHints remembers the customer of each credential's owner, so that the next request can read the credential and
// the customer at once. Its zero value is empty. A hint can be old, so the record decides.
type customerHints struct {
	mu sync.Mutex
	by map[string]string // customer by credential
}

func (h *customerHints) of(credentialID string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.by[credentialID]
}

func (h *customerHints) keep(credentialID, customerID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.by == nil || len(h.by) >= maxHints {
		h.by = map[string]string{}
	}
	h.by[credentialID] = customerID
}
