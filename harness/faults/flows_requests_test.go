package faults

import (
	"context"
	"errors"
	"slices"

	"portside/harness/office"
	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/credentials"
)

// ask creates a credential request of a viewer, with faults. It returns the request and who is involved.
func (r *run) ask() (request credentialrequests.Request, admin, ada person) {
	admin, ada = r.join(principal.Admin), r.join(principal.Viewer)
	input := credentialrequests.New{Level: credentialrequests.Full, Justification: "a cluster needs it",
		IdempotencyKey: r.key("request")}
	r.do("ask for a password", func(ctx context.Context) error {
		created, err := r.asked.Create(ctx, ada.caller, portal, input)
		request = created.Request
		return err
	})
	r.check(request.Status == credentialrequests.Pending, "the request is %s", request.Status)
	return request, admin, ada
}

func (r *run) decideOn(request credentialrequests.Request, admin person, approve bool) {
	decision := credentialrequests.Decision{ID: request.ID, Approve: approve, Reason: "because", BaseURL: portal}
	r.do("decide", func(ctx context.Context) error {
		_, err := r.asked.Decide(ctx, admin.caller, decision)
		return err
	}, credentialrequests.ErrDecided)
}

// status returns the status of a request, and checks that there are no others, except those of repeats without a key.
func (r *run) status(request credentialrequests.Request, viewer person) credentialrequests.Status {
	var page credentialrequests.Page
	r.do("list the requests", func(ctx context.Context) (err error) {
		page, err = r.asked.List(ctx, viewer.caller, credentialrequests.Query{Limit: credentialrequests.MaxLimit})
		return err
	})
	r.check(len(page.Requests) == 1 || r.noKeys && len(page.Requests) > 0, "there are %d requests", len(page.Requests))
	for _, found := range page.Requests {
		if found.ID == request.ID {
			return found.Status
		}
	}
	return "missing"
}

// approveRequest ends with a collected password.
func approveRequest(r *run) {
	request, admin, ada := r.ask()
	r.decideOn(request, admin, true)
	r.sendDue()
	var password credentialrequests.Password
	r.do("collect", func(ctx context.Context) (err error) {
		password, err = r.asked.Collect(ctx, office.Token(r.letters.Last(ada.user.Email), "/portal/collect#"))
		return err
	}, credentialrequests.ErrLink)
	r.sendDue()
	if password.Username == "" && r.collectAgain(ada, &password) {
		r.check(r.status(request, ada) == credentialrequests.Collected, "the request is %s", r.status(request, ada))
		return
	}
	_, _, err := r.auth.AuthenticateBasic(r.tb.Context(), password.Username, password.Secret.Reveal())
	r.check(err == nil, "the password does not work: %v", err)
	r.check(r.status(request, ada) == credentialrequests.Collected, "the request is %s", r.status(request, ada))
	r.check(r.live(ada, credentials.Password) == 1, "%d passwords work", r.live(ada, credentials.Password))
}

// collectAgain collects a password after a lost response: the first password was withdrawn, and there is a new link. If
// no response to the confirmation of the collection arrived, it may count nevertheless. Then collectAgain returns true:
// the requester has to ask again, as the answer to the used link says.
func (r *run) collectAgain(who person, password *credentialrequests.Password) (isLost bool) {
	var err error
	*password, err = r.asked.Collect(r.tb.Context(), office.Token(r.letters.Last(who.user.Email), "/portal/collect#"))
	if r.stays && errors.Is(err, credentialrequests.ErrLink) {
		return true
	}
	r.must(err)
	return false
}

// live returns how many credentials of a kind work for their owner.
func (r *run) live(owner person, kind credentials.Kind) (n int) {
	listed, err := r.tokens.List(r.tb.Context(), owner.caller, "")
	r.must(err)
	for _, c := range listed {
		if c.Kind == kind && c.Works(r.clock()) {
			n++
		}
	}
	return n
}

// announceLater ends with a mail to the approver about a request soon after another one, which the schedule sends.
func announceLater(r *run) {
	_, admin, ada := r.ask()
	input := credentialrequests.New{Level: credentialrequests.Charts, Justification: "another one",
		IdempotencyKey: r.key("later")}
	var later credentialrequests.Request
	r.do("ask for another password", func(ctx context.Context) error {
		created, err := r.asked.Create(ctx, ada.caller, portal, input)
		later = created.Request
		return err
	})
	r.sendDue()
	stored, err := r.asked.Get(r.tb.Context(), admin.caller, later.ID)
	r.check(err == nil && slices.Contains(stored.Next.Notified, admin.user.ID), "the mails went to %v, %v",
		stored.Next.Notified, err)
}

// denyRequest ends with a mail about the denial.
func denyRequest(r *run) {
	request, admin, ada := r.ask()
	r.decideOn(request, admin, false)
	r.sendDue()
	r.check(r.status(request, ada) == credentialrequests.Denied, "the request is %s", r.status(request, ada))
	r.check(r.letters.Last(ada.user.Email) != "", "the requester has no mail")
}

// expireRequest ends without a password, because the requester never collects it.
func expireRequest(r *run) {
	request, admin, ada := r.ask()
	r.decideOn(request, admin, true)
	r.sendDue()
	r.wait(credentialrequests.LinkLifetime)
	r.sendDue()
	r.check(r.status(request, ada) == credentialrequests.Expired, "the request is %s", r.status(request, ada))
	_, err := r.asked.Collect(r.tb.Context(), office.Token(r.letters.Last(ada.user.Email), "/portal/collect#"))
	r.check(err != nil, "an expired link works")
}
