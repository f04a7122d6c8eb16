package main

import (
	"context"
	"errors"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/expirynotices"
	"portside/shared/rotation"
	"portside/shared/tokens"
	"portside/shared/users"
)

// owners are the users, as rotation and notices know them.
type owners struct {
	users users.Store
	keys  users.KeyStore
}

var (
	_ rotation.Issuer      = owners{}
	_ expirynotices.People = owners{}
)

// Admit implements rotation.Issuer: terms obey the rules of any other token.
func (o owners) Admit(ctx context.Context, terms rotation.Terms) error {
	input := tokens.NewToken{Name: terms.Name, Days: terms.Days}
	for _, scope := range terms.Scopes {
		input.Scopes = append(input.Scopes, principal.Scope(scope))
	}
	if failures := input.Check(); len(failures) > 0 {
		return fault.Invalid(failures...)
	}
	_, err := o.active(ctx, terms.OwnerID)
	return err
}

// active returns a user who may act, or rotation.ErrOwner.
func (o owners) active(ctx context.Context, id string) (users.User, error) {
	user, err := o.users.Get(ctx, id)
	if errors.Is(err, users.ErrNotFound) || err == nil && user.Status != users.Active {
		return users.User{}, rotation.ErrOwner
	}
	return user, err
}

// Issue implements rotation.Issuer. The write is conditional on the user's version, so it fails if somebody suspends
// the user at the same moment.
func (o owners) Issue(ctx context.Context, token credentials.Credential) error {
	return versions.Retry(ctx, func() error {
		user, err := o.active(ctx, token.Owner.ID)
		if err != nil {
			return err
		}
		token.Owner = credentials.Owner{ID: user.ID, Role: user.Role, Active: true}
		return o.keys.Issue(ctx, user, token)
	})
}

// Person implements notices.People.
func (o owners) Person(ctx context.Context, id string) (expirynotices.Person, error) {
	user, err := o.active(ctx, id)
	if errors.Is(err, rotation.ErrOwner) {
		return expirynotices.Person{}, expirynotices.ErrNoPerson
	}
	return expirynotices.Person{Name: user.Name, Email: user.Email}, err
}
