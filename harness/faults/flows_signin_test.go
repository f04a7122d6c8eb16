package faults

import (
	"context"
	"errors"
	"regexp"
	"time"

	"portside/harness/office"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/sessions"
)

var codePattern = regexp.MustCompile(`\b\d{10}\b`)

// outboxPause is longer than the pauses before the first attempts of the schedule to send a sign-in mail.
const outboxPause = 90 * time.Second

// askMail asks for a sign-in mail, and returns the browser's cookie and the mail. If the mail could not be sent at
// once, the schedule sends it.
func (r *run) askMail(who person) (browser, text string) {
	asked := sessions.MailRequest{Email: who.user.Email, BaseURL: portal, Network: "192.0.2.1"}
	r.do("ask for a sign-in mail", func(ctx context.Context) error {
		requested, err := r.sessions.RequestMail(ctx, asked)
		browser = requested.Browser.Reveal()
		return err
	})
	r.wait(outboxPause)
	r.event("the schedule", func(ctx context.Context) error {
		_, err := r.sessions.SendDue(ctx)
		return err
	})
	for range 3 {
		r.wait(outboxPause)
		_, err := r.sessions.SendDue(r.tb.Context())
		r.must(err)
	}
	text = r.letters.Last(who.user.Email)
	r.check(text != "", "there is no sign-in mail")
	return browser, text
}

// proof begins a session with the cookie of a browser and the text of a mail.
type proof func(ctx context.Context, browser, text string) (sessions.SignedIn, error)

// signIn repeats a sign-in. If the first response was lost, or the newest mail belongs to a request whose response was
// lost and which therefore has no browser, the person has to ask for another mail.
func (r *run) signIn(who person, before func(browser string), prove proof) sessions.SignedIn {
	browser, text := r.askMail(who)
	before(browser)
	var signed sessions.SignedIn
	r.do("sign in", func(ctx context.Context) (err error) {
		signed, err = prove(ctx, browser, text)
		if r.isDisturbed() && errors.Is(err, sessions.ErrSignIn) {
			return nil
		}
		return err
	})
	if signed.Secret.ID() == "" {
		browser, text = r.askMail(who)
		var err error
		signed, err = prove(r.tb.Context(), browser, text)
		r.must(err)
	}
	r.check(r.works(signed.Secret.Reveal()), "the session does not work")
	return signed
}

// signInByLink signs in by a link and signs out.
func signInByLink(r *run) {
	r.join(principal.Admin)
	ada := r.join(principal.User)
	signed := r.signIn(ada, func(string) {}, func(ctx context.Context, browser, text string) (sessions.SignedIn, error) {
		return r.sessions.SignInByLink(ctx, office.Token(text, sessions.LinkPath), sessions.Visit{Browser: browser})
	})
	caller := r.caller(signed.Secret.Reveal())
	r.do("read the session", func(ctx context.Context) error {
		_, _, err := r.sessions.Current(ctx, caller)
		return err
	})
	var listed []credentials.Credential
	r.do("list the sessions", func(ctx context.Context) (err error) {
		listed, err = r.sessions.List(ctx, caller)
		return err
	})
	r.check(len(listed) >= 1 && len(listed) <= 2, "there are %d sessions", len(listed))
	r.do("sign out", func(ctx context.Context) error { return r.sessions.End(ctx, caller, caller.CredentialID) }, sessions.ErrNotFound)
	r.check(!r.works(signed.Secret.Reveal()), "the session works after its end")
}

// signInByCode tries a wrong code, signs in by the right one, and ends all sessions.
func signInByCode(r *run) {
	r.join(principal.Admin)
	ada := r.join(principal.User)
	guess := func(browser string) {
		r.do("try a wrong code", func(ctx context.Context) error {
			_, err := r.sessions.SignInByCode(ctx, ada.user.Email, "0000000000", sessions.Visit{Browser: browser})
			return swap(err, sessions.ErrSignIn)
		})
	}
	signed := r.signIn(ada, guess, func(ctx context.Context, browser, text string) (sessions.SignedIn, error) {
		return r.sessions.SignInByCode(ctx, ada.user.Email, codePattern.FindString(text), sessions.Visit{Browser: browser})
	})
	caller := r.caller(signed.Secret.Reveal())
	r.do("end all sessions", func(ctx context.Context) error { return r.sessions.EndAll(ctx, caller) })
	r.check(!r.works(signed.Secret.Reveal()), "the session works after its end")
}
