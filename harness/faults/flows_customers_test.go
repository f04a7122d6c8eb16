package faults

import (
	"context"
	"time"

	"portside/shared/core/principal"
	"portside/shared/core/search"
	"portside/shared/core/versions"
	"portside/shared/customers"
	"portside/shared/tokens"
	"portside/shared/users"
)

// manageCustomer creates, lists, finds, changes and deletes a customer.
func manageCustomer(r *run) {
	admin := r.join(principal.Admin).caller
	options := customers.CreateOptions{Caller: admin, IdempotencyKey: r.key("customer")}
	var created customers.Customer
	r.do("create a customer", func(ctx context.Context) error {
		made, err := r.buyers.Create(ctx, options, customers.NewCustomer{Name: "Acme", Slug: "acme", ExternalID: "C-1"})
		if err == nil {
			created = made.Customer
		}
		return err
	}, r.unlessKeyed(customers.ErrSlugTaken)...)
	if created.ID == "" {
		created = r.onlyCustomer(admin)
	}
	slug, status, limit := "acme-shipping", customers.Suspended, int64(5)
	r.do("change the customer", func(ctx context.Context) error {
		change := customers.Change{Slug: &slug, Status: &status, MaxUsers: &limit}
		_, err := r.buyers.Update(ctx, versions.Target{ID: created.ID}, change)
		return err
	})
	r.do("find the customer", func(ctx context.Context) error {
		page, err := r.buyers.Search(ctx, admin, search.Query{Text: "acme-s", Limit: 10})
		r.check(err != nil || len(page.Customers) == 1, "the search finds %d customers", len(page.Customers))
		return err
	})
	found, err := r.buyers.Get(r.tb.Context(), admin, created.ID)
	r.must(err)
	r.check(found.Slug == slug && found.Status == status && found.Version == 2, "the customer is %+v", found)
	r.check(r.onlyCustomer(admin).ID == created.ID, "another customer is listed")
	r.do("delete the customer", func(ctx context.Context) error {
		return r.buyers.Delete(ctx, versions.Target{ID: created.ID})
	}, customers.ErrNotFound)
	left, err := r.buyers.List(r.tb.Context(), admin, customers.Query{Limit: 100})
	r.must(err)
	r.check(left.Total == 0 && len(left.Customers) == 0, "%d customers are left", left.Total)
}

// onlyCustomer returns the customer in the list, which has one.
func (r *run) onlyCustomer(caller principal.Principal) customers.Customer {
	var page customers.Page
	r.do("list the customers", func(ctx context.Context) (err error) {
		page, err = r.buyers.List(ctx, caller, customers.Query{Limit: 100})
		return err
	})
	r.check(page.Total == 1 && len(page.Customers) == 1, "the list has %d customers of %d", len(page.Customers),
		page.Total)
	if len(page.Customers) == 0 {
		return customers.Customer{}
	}
	return page.Customers[0]
}

// moveUser creates a user of a customer, moves the user to another customer and to the staff, and suspends the first
// customer.
func moveUser(r *run) {
	admin := r.join(principal.Admin).caller
	first, second := r.newCustomer(admin, "acme"), r.newCustomer(admin, "bolt")
	ada := r.join(principal.Viewer)
	for _, to := range []string{first, second, "", first} {
		r.do("move the user to "+to, func(ctx context.Context) error {
			_, err := r.users.Update(ctx, admin, versions.Target{ID: ada.user.ID}, users.Change{CustomerID: &to})
			return err
		})
		r.sendDue()
		r.check(!r.works(ada.key), "the key works after the move to %q", to)
		issued, err := r.keys.Create(r.tb.Context(), principal.Operator(), ada.user.ID, users.NewKey{Name: "next"})
		r.must(err)
		ada.key = issued.Secret.Reveal()
		r.check(r.caller(ada.key).CustomerID == to, "the new key is not of the customer %q", to)
	}
	status := customers.Suspended
	r.do("suspend the customer", func(ctx context.Context) error {
		_, err := r.buyers.Update(ctx, versions.Target{ID: first}, customers.Change{Status: &status})
		return err
	})
	r.check(!r.works(ada.key), "the key works right after the suspension of the customer")
	r.sendDue()
	r.do("list the tokens of the first customer", func(ctx context.Context) error {
		page, err := r.tokens.ListOfCustomer(ctx, admin, tokens.CustomerQuery{CustomerID: first, Limit: 10})
		r.check(len(page.Tokens) == 0, "the customer has %d tokens", len(page.Tokens))
		return err
	})
	page, err := r.users.List(r.tb.Context(), admin, users.Query{CustomerID: first, Limit: users.MaxLimit})
	r.must(err)
	r.check(page.Total == 1 && len(page.Users) == 1, "the list of the customer's users has %d of %d", len(page.Users),
		page.Total)
}

// endCustomersCredentials ends all credentials of a customer, whose user gets a new one, and then moves to another
// customer and is deleted.
func endCustomersCredentials(r *run) {
	admin := r.join(principal.Admin).caller
	first, second := r.newCustomer(admin, "acme"), r.newCustomer(admin, "bolt")
	token := r.customersToken(admin, first)
	end := func(customerID string) {
		r.do("end all credentials of the customer", func(ctx context.Context) error { return r.buyers.EndCredentials(ctx, customerID) })
	}
	end(first)
	r.check(!r.works(token), "the token works after the end")
	r.wait(time.Millisecond)
	page, err := r.users.List(r.tb.Context(), admin, users.Query{CustomerID: first, Limit: users.MaxLimit})
	r.must(err)
	id := page.Users[0].ID
	newKey := func(customerID string) string {
		issued, err := r.keys.Create(r.tb.Context(), principal.Operator(), id, users.NewKey{Name: "next"})
		r.must(err)
		key := issued.Secret.Reveal()
		r.check(r.caller(key).CustomerID == customerID, "the new key is not of the customer %q", customerID)
		listed, err := r.keys.List(r.tb.Context(), admin, id)
		r.must(err)
		r.check(len(listed) == 1, "the list has %d keys, want only the new one", len(listed))
		return key
	}
	key := newKey(first)
	r.do("move the user", func(ctx context.Context) error {
		_, err := r.users.Update(ctx, admin, versions.Target{ID: id}, users.Change{CustomerID: &second})
		return err
	})
	r.sendDue()
	r.check(!r.works(token) && !r.works(key), "a credential works after the move")
	r.wait(time.Millisecond)
	key = newKey(second)
	end(second)
	r.check(!r.works(key), "the key works after the end")
	r.do("delete the user", func(ctx context.Context) error {
		return r.users.Delete(ctx, admin, versions.Target{ID: id})
	}, users.ErrNotFound)
	r.sendDue()
	r.check(!r.works(token) && !r.works(key), "a credential works after the deletion")
}

// newCustomer returns the ID of a new customer.
func (r *run) newCustomer(caller principal.Principal, slug string) string {
	made, err := r.buyers.Create(r.tb.Context(), customers.CreateOptions{Caller: caller},
		customers.NewCustomer{Name: slug, Slug: slug})
	r.must(err)
	return made.Customer.ID
}
