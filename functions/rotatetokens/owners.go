package main

import (
	"context"
	"errors"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/notices/expirynotices"
	"portside/shared/rotation"
	"portside/shared/tokens"
	"portside/shared/users"
)

// owners gives the domains rotation and expirynotices access to users.
type owners struct{ issuer *users.Issuer }

var (
	_ rotation.Issuer      = owners{}
	_ expirynotices.People = owners{}
)

// Admit implements rotation.Issuer. The rules of other tokens also apply to the terms.
func (o owners) Admit(ctx context.Context, terms rotation.Terms) error {
	input := tokens.NewToken{Name: terms.Name, Days: terms.Days}
	for _, scope := range terms.Scopes {
		input.Scopes = append(input.Scopes, principal.Scope(scope))
	}
	if failures := input.Check(); len(failures) > 0 {
		return fault.Invalid(failures...)
	}
	_, err := o.issuer.ActiveUser(ctx, terms.OwnerID)
	return errorWithoutOwner(err, rotation.ErrOwner)
}

// Issue implements rotation.Issuer.
func (o owners) Issue(ctx context.Context, token credentials.Credential) error {
	return errorWithoutOwner(o.issuer.Issue(ctx, token.Owner.ID, token), rotation.ErrOwner)
}

// Person implements expirynotices.People.
func (o owners) Person(ctx context.Context, id string) (expirynotices.Person, error) {
	user, err := o.issuer.ActiveUser(ctx, id)
	if err != nil {
		return expirynotices.Person{}, errorWithoutOwner(err, expirynotices.ErrNoPerson)
	}
	return expirynotices.Person{Name: user.Name, Email: user.Email}, nil
}

// errorWithoutOwner replaces the errors for a missing or inactive user by a domain's own error.
func errorWithoutOwner(err, replacement error) error {
	if errors.Is(err, users.ErrNotFound) || errors.Is(err, users.ErrNotActive) {
		return replacement
	}
	return err
}
