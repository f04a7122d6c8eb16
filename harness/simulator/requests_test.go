package simulator

import (
	"context"
	"regexp"
	"slices"
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/credentials"
	"portside/shared/users"
)

// maxPasswordRequests bounds the number of requests, so that several operations often concern the same request.
const maxPasswordRequests = 15

// passwordRequest is the model of a request for a password (package credentialrequests).
type passwordRequest struct {
	mark

	id        string
	maker     *secret   // the credential that made the request
	approvers []*secret // the credentials that tried to approve it
	approver  *secret   // the one that did, or nil
	level     credentialrequests.Level
	status    credentialrequests.Status
	link      string // the newest; empty if it was not mailed
	createdAt time.Time
	collectBy time.Time
}

var mailedCollection = regexp.MustCompile(`/portal/collect#(psl_\w+)`)

// participants returns the users who take part in what a credential does: its owner, and the owners of the credentials
// with which it was made.
func (s *secret) participants() []*person {
	var all []*person
	for ; s != nil; s = s.maker {
		all = append(all, s.owner)
	}
	return all
}

// sources returns the credentials on which the request depends: the one that made it, and the one that approved it.
func (a *passwordRequest) sources() []*secret {
	if a.approver == nil {
		return []*secret{a.maker}
	}
	return []*secret{a.maker, a.approver}
}

// setApprover finds the credential that has decided on the stored request.
func (a *passwordRequest) setApprover(stored credentialrequests.Request) {
	a.approver = nil
	for _, s := range a.approvers {
		if len(stored.Deciders) > 0 && s.text.ID() == stored.Deciders[0].CredentialID {
			a.approver = s
		}
	}
}

// planRequest requests a password.
func (w *world) planRequest(p *plan) {
	if len(w.passwordRequests) > maxPasswordRequests {
		w.planDecision(p)
		return
	}
	levels := []credentialrequests.Level{credentialrequests.Charts, credentialrequests.Images, credentialrequests.Full}
	request := &passwordRequest{maker: p.actor, level: levels[w.random.IntN(len(levels))],
		status: credentialrequests.Pending}
	owner := p.actor.owner
	p.name, p.isStrict, p.changes = "request password", true, []*mark{&owner.requests}
	w.as(p, "", func(ctx context.Context, caller principal.Principal) error {
		created, err := w.office.Requests.Create(ctx, caller, "https://portal.example.com",
			credentialrequests.New{Level: request.level, Justification: "for the build"})
		request.id, request.createdAt = created.Request.ID, created.Request.CreatedAt
		return err
	})
	pending := 0
	for _, a := range w.passwordRequests {
		if a.maker.owner == owner && a.status == credentialrequests.Pending {
			pending++
		}
	}
	if pending >= credentialrequests.MaxOpen {
		p.wanted = credentialrequests.ErrOpen
	}
	p.isFinal = true
	p.effect = func() { w.passwordRequests = append(w.passwordRequests, request) }
}

// planDecision approves or denies a request. The request and the decision must come from different people.
func (w *world) planDecision(p *plan) {
	if len(w.passwordRequests) == 0 {
		w.planRequest(p)
		return
	}
	a, isApproval := w.anyRequest(credentialrequests.Pending), w.random.IntN(4) > 0
	p.name, p.isStrict = "decide on request", true
	p.changes, p.needs = []*mark{&a.mark, &a.maker.owner.requests}, append(a.maker.originMarks(), &a.maker.owner.mark)
	p.allowed = a.maker.mayRefuse(credentialrequests.ErrMaker)
	w.as(p, principal.CredentialsApprove, func(ctx context.Context, caller principal.Principal) error {
		_, err := w.office.Requests.Decide(ctx, caller, credentialrequests.Decision{
			ID: a.id, Approve: isApproval, BaseURL: "https://portal.example.com",
		})
		return err
	})
	if isApproval {
		a.approvers = append(a.approvers, p.actor)
	}
	makers, deciders := a.maker.participants(), p.actor.participants()
	isActive := !a.maker.owner.isDeleted && a.maker.owner.status == users.Active
	switch {
	case p.wanted != nil:
	case p.actor.owner == a.maker.owner:
		p.wanted = credentialrequests.ErrOwn
	case slices.ContainsFunc(makers, func(m *person) bool { return slices.Contains(deciders, m) }):
		p.wanted = credentialrequests.ErrHand
	case a.status != credentialrequests.Pending:
		p.wanted = credentialrequests.ErrDecided
	case isApproval && !w.office.Clock.Now().Before(a.createdAt.AddDate(0, 0, credentialrequests.MaxPendingDays)):
		p.wanted = credentialrequests.ErrTooOld
	case isApproval && !isActive:
		p.wanted = credentialrequests.ErrRequester
	case isApproval && a.maker.endsRequests():
		p.wanted = credentialrequests.ErrMaker
	}
	p.effect = func() { w.decide(p, a, isApproval) }
}

// decide records a decision and the mailed link.
func (w *world) decide(p *plan, a *passwordRequest, isApproval bool) {
	if !isApproval {
		a.status = credentialrequests.Denied
		return
	}
	a.status, a.link, a.approver = credentialrequests.Approved, p.found(mailedCollection), p.actor
	a.collectBy = w.office.Clock.Now().Add(credentialrequests.LinkLifetime)
	a.unsure = a.link == "" && !p.isPredictable() || !a.maker.isSure()
	if a.link == "" && p.isPredictable() {
		w.fail("%s: no link was mailed", p.task.name)
	}
}

// planCollection uses the link of a request.
func (w *world) planCollection(p *plan) {
	a := w.anyRequest(credentialrequests.Approved)
	if a == nil || a.link == "" {
		w.planDecision(p)
		return
	}
	owner, now := a.maker.owner, w.office.Clock.Now()
	p.name, p.actor, p.isStrict = "collect password", nil, true
	p.allowed = []error{credentialrequests.ErrTooMany}
	p.changes, p.needs = []*mark{&a.mark}, []*mark{&owner.mark}
	isOpen := a.status == credentialrequests.Approved && now.Before(a.collectBy)
	for _, s := range a.sources() {
		p.allowed = append(p.allowed, s.mayRefuse(credentialrequests.ErrLink)...)
		p.needs = append(p.needs, s.originMarks()...)
		p.isStrict = p.isStrict && s.isSure()
		isOpen = isOpen && !s.endsRequests()
	}
	made := &secret{owner: owner, maker: a.maker, expires: now.AddDate(0, 0, credentialrequests.PasswordDays)}
	p.run = func(ctx context.Context) error {
		password, err := w.office.Requests.Collect(ctx, a.link)
		made.text, made.username = password.Secret, password.Username
		for _, scope := range password.Scopes {
			made.scopes = append(made.scopes, principal.Scope(scope))
		}
		return err
	}
	if !isOpen || owner.isDeleted || owner.status != users.Active {
		p.wanted = credentialrequests.ErrLink
	}
	p.effect = func() {
		a.status, made.unsure = credentialrequests.Collected, owner.touched > 0 || a.touched > 1 || !a.maker.isSure()
		w.secrets = append(w.secrets, made)
	}
}

// anyRequest returns a request, usually one with the status, or nil.
func (w *world) anyRequest(status credentialrequests.Status) *passwordRequest {
	var found []*passwordRequest
	for _, a := range w.passwordRequests {
		if a.status == status {
			found = append(found, a)
		}
	}
	if len(found) == 0 || w.random.IntN(5) == 0 {
		found = w.passwordRequests
	}
	if len(found) == 0 {
		return nil
	}
	return found[w.random.IntN(len(found))]
}

// reconcileRequests compares the stored requests with the model. Where the model is unsure, it adopts the stored
// values. It forgets some requests that are decided.
func (w *world) reconcileRequests(ctx context.Context) {
	for _, owner := range w.people {
		if owner.requests.unsure {
			w.adopt(ctx, owner)
		}
	}
	for _, a := range w.passwordRequests {
		stored, err := w.office.Requests.Get(ctx, principal.Operator(), a.id)
		isExpired := a.status == credentialrequests.Approved && stored.Status == credentialrequests.Expired &&
			!w.office.Clock.Now().Before(a.collectBy)
		switch {
		case err != nil:
			w.fail("reading a credential request: %v", err)
		case a.unsure || isExpired:
			a.status, a.link, a.unsure = stored.Status, w.mailed[stored.Next.LinkID], a.maker.isLeaked() || !a.maker.isSure()
			a.collectBy = stored.CollectBy
			a.setApprover(stored)
		case stored.Status != a.status:
			w.fail("a credential request is %s, want %s", stored.Status, a.status)
		}
		if stored.Status == credentialrequests.Approved && !stored.CollectBy.IsZero() && w.mailed[stored.Next.LinkID] == "" {
			w.fail("the link of an approved credential request was not mailed")
		}
	}
	w.passwordRequests = slices.DeleteFunc(w.passwordRequests, func(a *passwordRequest) bool {
		isDone := a.status != credentialrequests.Pending && a.status != credentialrequests.Approved
		return a.maker.owner.isDeleted || isDone && w.random.IntN(2) == 0
	})
}

// adopt adds the stored requests of a user that the model does not have, because their answers were lost.
func (w *world) adopt(ctx context.Context, owner *person) {
	page, err := w.office.Requests.List(ctx, principal.Operator(), credentialrequests.Query{
		UserID: owner.id, Status: credentialrequests.Pending, Limit: credentialrequests.MaxLimit,
	})
	if err != nil {
		w.fail("listing the credential requests of %s: %v", owner.email, err)
		return
	}
	owner.requests.unsure = false
	for _, r := range page.Requests {
		if slices.ContainsFunc(w.passwordRequests, func(a *passwordRequest) bool { return a.id == r.ID }) {
			continue
		}
		i := slices.IndexFunc(w.secrets, func(s *secret) bool { return s.text.ID() == r.Makers[0].CredentialID })
		if i < 0 {
			owner.requests.unsure = true
			continue
		}
		w.passwordRequests = append(w.passwordRequests, &passwordRequest{
			id: r.ID, maker: w.secrets[i], level: r.Level, status: r.Status, createdAt: r.CreatedAt,
		})
	}
}

// planFetch uses a token or password as a registry does, sometimes a password with a wrong user name.
func (w *world) planFetch(p *plan) {
	s := w.actor(credentials.AccessToken, credentials.Password)
	if s == nil || !w.works(s) && w.random.IntN(100) >= percentDead {
		w.planCollection(p)
		return
	}
	p.name, p.actor, p.isStrict = "fetch with "+map[bool]string{true: "token", false: "password"}[s.isToken()], s, true
	username := s.username
	if w.random.IntN(4) == 0 {
		username = "other"
	}
	p.run = func(ctx context.Context) error {
		caller, _, err := w.office.Authenticator.AuthenticateBasic(ctx, username, s.text.Reveal())
		for _, scope := range []principal.Scope{principal.ReadCharts, principal.ReadImages} {
			if err == nil && caller.MayFetch(scope, "acme/api") != slices.Contains(s.scopes, scope) {
				w.fail("%s: the credential may fetch by %s=%v", p.task.name, scope, caller.MayFetch(scope, "acme/api"))
			}
		}
		return err
	}
	if !s.isToken() && username != s.username {
		p.wanted = credentials.ErrUnauthorized
	}
}
