package simulator

import (
	"context"
	"slices"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/tokens"
	"portside/shared/users"
)

// maxPeople bounds the number of users, so that several operations often concern the same user.
const maxPeople = 14

// errDenied is what shared/web answers if the caller lacks the permission.
var errDenied = fault.New(fault.Forbidden, "The caller lacks the permission.")

// errSignInRequired is what shared/web answers if the session is too old for the operation.
var errSignInRequired = fault.New(fault.SignInRequired, "The session is too old.")

// plan is an operation, the answer that it must have, and its effect on the model. Its functions may be nil.
type plan struct {
	name     string
	actor    *secret // nil if the operation needs none
	changes  []*mark // the parts of the model that it may change
	needs    []*mark // the other parts on which its answer depends
	run      func(context.Context) error
	onAnswer func()  // changes the model after any answer, if no fault touched the operation
	effect   func()  // changes the model if the operation succeeds
	onFault  func()  // changes the model if a fault touched the operation; by default, the model becomes unsure of the changes
	wanted   error   // the only right answer if the answer is predictable; nil if none is known
	isStrict bool    // whether only success and the allowed errors are right if no error is wanted
	allowed  []error // errors that are right because of limits that the model does not count
	isFinal  bool    // whether no other operation can undo the effect
	isKnown  bool    // whether the model knows whether the credential of the actor works
	task     *task
	err      error
}

func (p *plan) touchedOnce() bool {
	return !slices.ContainsFunc(p.changes, func(m *mark) bool { return m.touched > 1 })
}

// isPredictable reports whether the model determines the answer: it is sure of all parts on which the answer depends,
// and no other operation of the round touches them.
func (p *plan) isPredictable() bool {
	if !p.isKnown || p.actor != nil && (p.actor.touched > 0 || p.actor.owner.touched > 0) || !p.touchedOnce() {
		return false
	}
	return !slices.ContainsFunc(p.needs, func(m *mark) bool { return m.unsure || m.touched > 0 }) &&
		!slices.ContainsFunc(p.changes, func(m *mark) bool { return m.unsure })
}

func (p *plan) apply() {
	if p.effect != nil {
		p.effect()
	}
}

func (p *plan) markUnsure() {
	if p.onFault != nil && p.task.faulty {
		p.onFault()
		return
	}
	for _, m := range p.changes {
		m.unsure = true
	}
}

// plan chooses an operation, most often of a user whose API key works.
func (w *world) plan() *plan {
	p := &plan{actor: w.actor(credentials.APIKey)}
	plans := []func(*plan){
		w.planUser, w.planChange, w.planChange, w.planDeletion, w.planKey, w.planKey, w.planToken, w.planToken,
		w.planRevocation, w.planMistake,
		w.planMail, w.planSignIn, w.planSignIn, w.planSignIn, w.planSession, w.planSession, w.planSessionEnd,
		w.planSessionsEnd, w.planSignOut,
		w.planRenewal, w.planRenewal, w.planLeak,
		w.planRequest, w.planRequest, w.planDecision, w.planDecision, w.planCollection, w.planCollection, w.planFetch,
		w.planFetch,
		w.planPulls, w.planPulls, w.planCount,
		w.planProject, w.planProjectChange, w.planProjectChange, w.planProjectDeletion,
	}
	if len(w.people) > maxPeople {
		plans[0] = w.planDeletion
	}
	plans[w.random.IntN(len(plans))](p)
	for _, m := range p.changes {
		m.touched++
	}
	p.isKnown = p.actor == nil || w.isKnown(p.actor)
	if p.actor != nil && w.isDead(p.actor) {
		p.wanted = credentials.ErrUnauthorized
	}
	return p
}

// actor returns a credential of one of the kinds, usually one that works, or nil.
func (w *world) actor(kinds ...credentials.Kind) *secret {
	var all, working []*secret
	for _, s := range w.secrets {
		if slices.Contains(kinds, s.text.Kind()) {
			all = append(all, s)
			if w.works(s) {
				working = append(working, s)
			}
		}
	}
	if len(working) > 0 && w.random.IntN(100) >= percentDead {
		all = working
	}
	if len(all) == 0 {
		return nil
	}
	return all[w.random.IntN(len(all))]
}

// as authenticates the actor and checks the permission, as shared/web does.
func (w *world) as(p *plan, needed principal.Permission, do func(context.Context, principal.Principal) error) {
	p.run = func(ctx context.Context) error {
		caller, _, err := w.office.Authenticator.Authenticate(ctx, p.actor.text.Reveal(), p.actor.text.Kind())
		if err != nil {
			return err
		}
		if needed != "" && !caller.Can(needed) {
			return errDenied
		}
		return do(ctx, caller)
	}
	if needed != "" && !p.actor.owner.role.Permits(needed) {
		p.wanted = errDenied
	}
}

func (w *world) planUser(p *plan) {
	p.name = "create user"
	user := &person{email: w.newAddress(), role: w.anyRole(), status: users.Active}
	w.as(p, principal.UsersWrite, func(ctx context.Context, caller principal.Principal) error {
		created, err := w.office.Users.Create(ctx, users.CreateOptions{Caller: caller},
			users.NewUser{Email: user.email, Name: "N", Role: user.role})
		user.id = created.User.ID
		return err
	})
	if p.wanted == nil && !p.actor.owner.role.Covers(user.role) {
		p.wanted = users.ErrRoleTooHigh
	}
	p.effect = func() { w.people = append(w.people, user) }
}

func (w *world) planChange(p *plan) {
	person := w.anyPerson()
	p.name, p.changes = "change user", []*mark{&person.mark}
	role, status := w.anyRole(), []users.Status{users.Active, users.Active, users.Suspended,
		users.Inactive}[w.random.IntN(4)]
	w.as(p, principal.UsersWrite, func(ctx context.Context, caller principal.Principal) error {
		_, err := w.office.Users.Update(ctx, caller, versions.Target{ID: person.id}, users.Change{Role: &role, Status: &status})
		return err
	})
	own := p.actor.owner.role
	switch {
	case p.wanted != nil:
	case person.isDeleted:
		p.wanted = users.ErrNotFound
	case !own.Covers(role) || !own.Covers(person.role):
		p.wanted = users.ErrRoleTooHigh
	}
	p.effect = func() { person.role, person.status = role, status }
	if status != users.Active {
		w.endsSessions(p, person)
	}
}

func (w *world) planDeletion(p *plan) {
	person := w.anyPerson()
	p.name, p.changes = "delete user", []*mark{&person.mark}
	w.as(p, principal.UsersDelete, func(ctx context.Context, caller principal.Principal) error {
		return w.office.Users.Delete(ctx, caller, versions.Target{ID: person.id})
	})
	if p.wanted == nil && person.isDeleted {
		p.wanted = users.ErrNotFound
	}
	p.effect = func() { person.isDeleted = true }
}

// planKey creates a key, half of the time for the actor and half of the time for any user.
func (w *world) planKey(p *plan) {
	p.name = "create key"
	owner, days := p.actor.owner, w.random.IntN(40)
	if w.random.IntN(2) == 0 {
		owner = w.anyPerson()
	}
	made := &secret{owner: owner, maker: p.actor}
	w.as(p, "", func(ctx context.Context, caller principal.Principal) error {
		issued, err := w.office.Keys.Create(ctx, caller, owner.id, users.NewKey{Name: "k", ExpirationDays: days})
		made.text, made.expires = issued.Secret, issued.Key.ExpiresAt
		return err
	})
	if owner != p.actor.owner && !p.actor.owner.role.Permits(principal.APIKeysWrite) {
		p.wanted = users.ErrNotYourKeys
	}
	p.effect = func() { w.secrets = append(w.secrets, made) }
}

// planToken creates a token, which begins a line of renewals.
func (w *world) planToken(p *plan) {
	p.name, p.isStrict, p.allowed = "create token", true, []error{tokens.ErrTooMany, credentials.ErrDailyQuota, credentials.ErrTooManyMakers}
	days := 1 + w.random.IntN(60)
	in := tokens.NewToken{Name: "t", Scopes: w.anyScopes(), Days: days, LineDays: days + w.random.IntN(60)}
	made := &secret{owner: p.actor.owner, maker: p.actor, scopes: in.Scopes, began: w.office.Clock.Now(), line: &line{}}
	made.line.tokens = []*secret{made}
	w.as(p, "", func(ctx context.Context, caller principal.Principal) error {
		issued, err := w.office.Tokens.Create(ctx, caller, in)
		made.text, made.expires, made.line.endsAt = issued.Secret, issued.Token.ExpiresAt, issued.Token.LineEndsAt
		return err
	})
	p.effect = func() { w.secrets = append(w.secrets, made) }
}

// planRevocation revokes a key or a token of the actor.
func (w *world) planRevocation(p *plan) {
	revoked := w.secrets[w.random.IntN(len(w.secrets))]
	if revoked.isSession() {
		w.planSessionEnd(p)
		return
	}
	p.name, p.changes, p.isFinal = "revoke", []*mark{&revoked.mark}, true
	w.as(p, "", func(ctx context.Context, caller principal.Principal) error {
		if revoked.text.Kind() != credentials.APIKey {
			return w.office.Tokens.Revoke(ctx, caller, tokens.Target{ID: revoked.text.ID()})
		}
		return w.office.Keys.Revoke(ctx, caller, revoked.owner.id, revoked.text.ID())
	})
	p.effect = func() { revoked.revoked = true }
}

// planMistake sends invalid input, which must be refused.
func (w *world) planMistake(p *plan) {
	p.name = "mistake"
	w.as(p, "", func(ctx context.Context, caller principal.Principal) error {
		_, err := w.office.Tokens.Create(ctx, caller, tokens.NewToken{Name: "", Days: -1})
		if fault.KindOf(err) == fault.Validation {
			return nil
		}
		return err
	})
}

func (w *world) anyRole() principal.Role {
	return principal.Roles()[w.random.IntN(len(principal.Roles()))]
}

func (w *world) anyPerson() *person { return w.people[w.random.IntN(len(w.people))] }
