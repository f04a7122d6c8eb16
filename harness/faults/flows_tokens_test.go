package faults

import (
	"context"
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/revocation"
	"portside/shared/tokens"
)

func newToken(r *run, name string) tokens.NewToken {
	return tokens.NewToken{Name: name, Scopes: tokens.AllScopes(), Days: 30, IdempotencyKey: r.key(name)}
}

// issue creates a token, with faults.
func (r *run) issue(caller principal.Principal, name string) tokens.Issued {
	var issued tokens.Issued
	r.do("create the token "+name, func(ctx context.Context) (err error) {
		issued, err = r.tokens.Create(ctx, caller, newToken(r, name))
		return err
	})
	return issued
}

// renewToken creates a token, renews it with itself, and revokes the first one by its ID.
func renewToken(r *run) {
	r.join(principal.Admin)
	ada := r.join(principal.User)
	first := r.issue(ada.caller, "first")
	r.wait(20 * 24 * time.Hour)
	second := r.issue(r.caller(first.Secret.Reveal()), "second")
	var listed []credentials.Credential
	r.do("list the tokens", func(ctx context.Context) (err error) {
		listed, err = r.tokens.List(ctx, ada.caller, "")
		return err
	})
	r.check(len(listed) == 2 || r.noKeys && len(listed) >= 2, "there are %d tokens", len(listed))
	r.do("revoke the first token", func(ctx context.Context) error {
		return r.tokens.Revoke(ctx, ada.caller, tokens.Target{ID: first.Token.ID})
	}, tokens.ErrNotFound)
	r.check(!r.works(first.Secret.Reveal()) && r.works(second.Secret.Reveal()), "the wrong token works")
}

// revokeLine ends a line of renewals.
func revokeLine(r *run) {
	r.join(principal.Admin)
	ada := r.join(principal.User)
	first := r.issue(ada.caller, "first")
	r.wait(20 * 24 * time.Hour)
	second := r.issue(r.caller(first.Secret.Reveal()), "second")
	other := r.issue(ada.caller, "other")
	r.do("revoke the line", func(ctx context.Context) error {
		return r.tokens.RevokeLine(ctx, ada.caller, tokens.Target{ID: second.Token.ID})
	})
	r.check(!r.works(first.Secret.Reveal()) && !r.works(second.Secret.Reveal()), "the line works after its end")
	r.check(r.works(other.Secret.Reveal()), "another line ended, too")
}

// reportLeak ends a key by its value, and the credentials that were made with it.
func reportLeak(r *run) {
	r.join(principal.Admin)
	ada := r.join(principal.User)
	made := r.issue(ada.caller, "made with the key")
	report := revocation.Report{Text: ada.key, BaseURL: portal}
	r.do("report a leaked key", func(ctx context.Context) error { return r.leaks.Report(ctx, report) })
	r.check(!r.works(ada.key), "the leaked key works right after the report")
	r.sendDue()
	r.check(!r.works(made.Secret.Reveal()), "what was made with the leaked key works")
	r.check(r.letters.Last(ada.user.Email) != "", "the owner has no mail")
}
