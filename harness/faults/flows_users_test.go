package faults

import (
	"context"
	"errors"
	"fmt"
	"time"

	"portside/harness/office"
	"portside/shared/core/principal"
	"portside/shared/core/search"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/users"
)

// inviteAndActivate creates a user who activates the account by the mailed link.
func inviteAndActivate(r *run) {
	admin, email := r.join(principal.Admin), "ada@example.com"
	input := users.NewUser{Email: email, Name: "Ada", Role: principal.Viewer, ActivationEmail: true}
	options := users.CreateOptions{Caller: admin.caller, IdempotencyKey: r.key("user"), BaseURL: portal}
	r.do("create a user", func(ctx context.Context) error {
		_, err := r.users.Create(ctx, options, input)
		return err
	}, r.unlessKeyed(users.ErrEmailTaken)...)
	r.sendDue()
	link := office.Token(r.letters.Last(email), "/portal/activate#")
	r.check(link != "", "there is no activation mail")
	var key string
	r.do("activate", func(ctx context.Context) error {
		activated, err := r.inviter.Activate(ctx, link)
		key = activated.Key.Reveal()
		return err
	}, users.ErrLink)
	found := r.onlyUser(email)
	r.check(found.Status == users.Active, "the user is %s after the activation", found.Status)
	keys, err := r.keys.List(r.tb.Context(), admin.caller, found.ID)
	r.must(err)
	r.check(len(keys) == 1, "the activation made %d keys", len(keys))
	r.check(key == "" || r.works(key), "the first key does not work")
}

// unlessKeyed returns the error as one that a repeat without an idempotency key may get.
func (r *run) unlessKeyed(err error) []error {
	if r.noKeys {
		return []error{err}
	}
	return nil
}

// onlyUser returns the only user with an address, and compares the list with its count.
func (r *run) onlyUser(email string) users.User {
	page, err := r.users.List(r.tb.Context(), principal.Operator(), users.Query{Limit: users.MaxLimit})
	r.must(err)
	r.check(page.Total == int64(len(page.Users)), "the list has %d users of %d", len(page.Users), page.Total)
	var found []users.User
	for _, u := range page.Users {
		if u.Email == email {
			found = append(found, u)
		}
	}
	if len(found) != 1 {
		r.problem("%d users have the address", len(found))
		panic(stopped{})
	}
	complete, err := r.users.Get(r.tb.Context(), principal.Operator(), found[0].ID)
	r.must(err)
	r.check(complete.Role == found[0].Role &&
		complete.Status == found[0].Status, "the list shows %+v, the user is %+v", found[0], complete)
	return complete
}

// updateUser changes a user twice, and lists and searches the users.
func updateUser(r *run) {
	admin, ada := r.join(principal.Admin), r.join(principal.User)
	name, role := "Ada Lovelace", principal.Manager
	r.do("change the name", func(ctx context.Context) error {
		_, err := r.users.Update(ctx, admin.caller, versions.Target{ID: ada.user.ID}, users.Change{Name: &name})
		return err
	})
	r.do("change the role", func(ctx context.Context) error {
		_, err := r.users.Update(ctx, admin.caller, versions.Target{ID: ada.user.ID}, users.Change{Role: &role})
		return err
	})
	var page users.Page
	r.do("list managers", func(ctx context.Context) (err error) {
		page, err = r.users.List(ctx, principal.Operator(), users.Query{Role: role, Limit: 5})
		return err
	})
	r.check(page.Total == 1 && len(page.Users) == 1, "the list of managers has %d of %d", len(page.Users), page.Total)
	var matching users.SearchPage
	r.do("search for a word of the new name", func(ctx context.Context) (err error) {
		matching, err = r.users.Search(ctx, principal.Operator(), "", search.Query{Text: "lovelace", Limit: 5})
		return err
	})
	r.check(len(matching.Users) == 1 && matching.Users[0].ID == ada.user.ID, "the search found %+v", matching.Users)
	r.sendDue()
	found := r.onlyUser(ada.user.Email)
	r.check(found.Name == name && found.Role == role && found.Version == 3, "the user is %+v", found)
	r.check(r.caller(ada.key).Role == role, "the key has another role")
}

// suspendUser suspends a user with several credentials, and activates the user again.
func suspendUser(r *run) {
	admin, ada := r.join(principal.Admin), r.join(principal.User)
	status := users.Suspended
	r.do("suspend", func(ctx context.Context) error {
		_, err := r.users.Update(ctx, admin.caller, versions.Target{ID: ada.user.ID}, users.Change{Status: &status})
		return err
	})
	r.check(!r.works(ada.key), "the key works right after the suspension")
	r.sendDue()
	r.check(!r.works(ada.key), "the key works after the suspension")
	status = users.Active
	r.do("activate again", func(ctx context.Context) error {
		_, err := r.users.Update(ctx, admin.caller, versions.Target{ID: ada.user.ID}, users.Change{Status: &status})
		return err
	})
	r.sendDue()
	r.check(r.onlyUser(ada.user.Email).Status == users.Active, "the user is not active")
	r.check(r.works(ada.key), "the key does not work after the suspension has ended")
}

// deleteUser deletes a user. The last admin cannot be deleted.
func deleteUser(r *run) {
	admin, ada := r.join(principal.Admin), r.join(principal.User)
	r.do("delete", func(ctx context.Context) error {
		return r.users.Delete(ctx, admin.caller, versions.Target{ID: ada.user.ID})
	}, users.ErrNotFound)
	r.check(!r.works(ada.key), "the key works right after the deletion")
	r.sendDue()
	r.check(!r.works(ada.key), "the key works after the deletion")
	r.do("delete the last admin", func(ctx context.Context) error {
		err := r.users.Delete(ctx, admin.caller, versions.Target{ID: admin.user.ID})
		return swap(err, users.ErrLastAdmin)
	})
	r.onlyUser(admin.user.Email)
}

// errMissing means that a call succeeded that had to fail.
var errMissing = errors.New("no error")

// swap returns nil for the wanted error, and an error for nil.
func swap(err, wanted error) error {
	switch {
	case err == nil:
		return errMissing
	case errors.Is(err, wanted):
		return nil
	}
	return err
}

// importUsers adds several users at once. A repeat adds none twice.
func importUsers(r *run) {
	admin := r.join(principal.Admin)
	var rows []users.NewUser
	for n := range 4 {
		email := fmt.Sprintf("row%d@example.com", n)
		rows = append(rows, users.NewUser{Email: email, Name: email, Role: principal.Viewer, ActivationEmail: n == 0})
	}
	r.do("preview", func(ctx context.Context) error {
		_, err := r.importer.Preview(ctx, admin.caller, rows)
		return err
	})
	r.do("import", func(ctx context.Context) error {
		outcomes, err := r.importer.Import(ctx, users.ImportOptions{Caller: admin.caller, BaseURL: portal}, rows)
		for _, outcome := range outcomes {
			if err == nil && outcome.Err != nil && !errors.Is(outcome.Err, users.ErrEmailTaken) {
				err = outcome.Err
			}
		}
		return err
	})
	r.sendDue()
	for n := range rows {
		r.onlyUser(rows[n].Email)
	}
	r.check(r.letters.Last(rows[0].Email) != "", "there is no activation mail")
}

// manageKey creates, uses and revokes an API key.
func manageKey(r *run) {
	r.join(principal.Admin)
	ada := r.join(principal.User)
	input := users.NewKey{Name: "build", ExpirationDays: 10, IdempotencyKey: r.key("key"), BaseURL: portal}
	var issued users.Issued
	r.do("create a key", func(ctx context.Context) (err error) {
		issued, err = r.keys.Create(ctx, ada.caller, ada.user.ID, input)
		return err
	})
	var listed []credentials.Credential
	r.do("list the keys", func(ctx context.Context) (err error) {
		listed, err = r.keys.List(ctx, ada.caller, ada.user.ID)
		return err
	})
	r.check(len(listed) == 2 || r.noKeys && len(listed) >= 2, "there are %d keys", len(listed))
	for range 4 { // the third request in a minute counts for the owner, too
		r.do("use the key", func(ctx context.Context) error {
			_, err := r.authenticate(ctx, issued.Secret.Reveal())
			return err
		})
	}
	r.do("revoke the key", func(ctx context.Context) error {
		return r.keys.Revoke(ctx, ada.caller, ada.user.ID, issued.Key.ID)
	}, users.ErrNoKey)
	r.check(!r.works(issued.Secret.Reveal()) && r.works(ada.key), "the wrong key works")
	r.wait(time.Minute)
	r.do("use a revoked key", func(ctx context.Context) error {
		ctx = credentials.WithNetwork(ctx, "192.0.2.1")
		_, err := r.authenticate(ctx, issued.Secret.Reveal())
		return swap(err, credentials.ErrUnauthorized)
	})
}

// exceedLimit uses several keys of an owner until the owner's limit is reached, and again in the next minute. Then it
// tries a key that does not exist.
func exceedLimit(r *run) {
	const limit, keys, used = 6, 4, 5
	ada := r.join(principal.Admin)
	r.auth = credentials.NewAuthenticator(r.keyTable.Requests, limit, r.clock)
	texts := []string{ada.key}
	for len(texts) < keys {
		other, err := r.keys.Create(r.tb.Context(), ada.caller, ada.user.ID, users.NewKey{Name: "other"})
		r.must(err)
		texts = append(texts, other.Secret.Reveal())
	}
	refused := false
	for n := range used * keys {
		r.do("use a key", func(ctx context.Context) error {
			_, err := r.authenticate(ctx, texts[n%keys])
			if errors.Is(err, credentials.ErrRateLimited) || errors.Is(err, credentials.ErrOwnerRateLimited) {
				refused = true
				return nil
			}
			return err
		})
	}
	r.check(refused, "no request is refused")
	downloads := 0
	for range 5 * limit { // the limit of downloads is four times as high
		passed := false
		r.do("download", func(ctx context.Context) error {
			_, err := r.authenticate(credentials.WithRequest(ctx, credentials.ArtifactRequest, false), ada.key)
			if passed = err == nil; errors.Is(err, credentials.ErrOwnerRateLimited) {
				return nil
			}
			return err
		})
		if passed {
			downloads++
		}
	}
	r.check(downloads > 0 && downloads < 5*limit, "%d downloads pass", downloads)
	r.wait(time.Minute)
	r.check(r.works(ada.key), "the key does not work in the next minute")
	r.do("use an unknown key", func(ctx context.Context) error {
		_, err := r.authenticate(credentials.WithNetwork(ctx, "192.0.2.1"), credentials.Mint(credentials.APIKey).Reveal())
		return swap(err, credentials.ErrUnauthorized)
	})
}
