package tokens

import (
	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentials"
)

// A line of renewals is a token that a person created, and all tokens that were renewed from it. Its first token fixes
// when the line ends. Without an end, a leaked token could renew itself for years without a person noticing it.

// renew makes a new token a renewal of the caller, which is a token: it belongs to the same line, and works at most as
// long as the caller was created for, and not after the line ends. Errors: validation, ErrNotRenewable, ErrLineEnds.
func renew(token *credentials.Credential, caller principal.Principal, input NewToken) error {
	own := caller.Token
	switch {
	case own.LineEndsAt.IsZero():
		return ErrNotRenewable
	case input.LineDays != 0:
		return fault.Invalid(fault.Field{
			Pointer: "/line_expiration_days", Detail: "must be absent, because the first token of a line fixes its end",
		})
	case !own.ExpiresAt.Before(own.LineEndsAt):
		return ErrLineEnds
	}
	token.RotatedFrom, token.Line, token.LineEndsAt = caller.CredentialID, own.Line, own.LineEndsAt
	if latest := token.CreatedAt.Add(own.ExpiresAt.Sub(own.CreatedAt)); token.ExpiresAt.After(latest) {
		token.ExpiresAt = latest
	}
	if token.ExpiresAt.After(own.LineEndsAt) {
		token.ExpiresAt = own.LineEndsAt
	}
	return nil
}
