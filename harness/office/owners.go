package office

import (
	"context"
	"errors"

	"portside/shared/credentials"
	"portside/shared/notices/expirynotices"
	"portside/shared/rotation"
	"portside/shared/users"
)

// Owners gives rotation and expirynotices access to users, as in functions/rotatetokens.
type Owners struct{ Issuer *users.Issuer }

// Admit implements rotation.Issuer.
func (o Owners) Admit(ctx context.Context, terms rotation.Terms) error {
	_, err := o.Issuer.ActiveUser(ctx, terms.OwnerID)
	return replaced(err, rotation.ErrOwner)
}

// Issue implements rotation.Issuer.
func (o Owners) Issue(ctx context.Context, token credentials.Credential) error {
	return replaced(o.Issuer.Issue(ctx, token.Owner.ID, token), rotation.ErrOwner)
}

// Person implements expirynotices.People.
func (o Owners) Person(ctx context.Context, id string) (expirynotices.Person, error) {
	user, err := o.Issuer.ActiveUser(ctx, id)
	return expirynotices.Person{Name: user.Name, Email: user.Email}, replaced(err, expirynotices.ErrNoPerson)
}

func replaced(err, replacement error) error {
	if errors.Is(err, users.ErrNotFound) || errors.Is(err, users.ErrNotActive) {
		return replacement
	}
	return err
}
