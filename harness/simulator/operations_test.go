package simulator

import (
	"context"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/tokens"
	"portside/shared/users"
)

// maxPeople bounds the number of users, so that operations often meet.
const maxPeople = 14

// errDenied is what shared/web answers if the caller lacks the permission.
var errDenied = fault.New(fault.Forbidden, "The caller lacks the permission.")

// plan is an operation, and what it does to the model.
type plan struct {
	name   string
	actor  *secret
	person *person // that it may change; nil for none
	secret *secret // that it may change; nil for none
	run    func(context.Context) error
	effect func() // on the model if the operation succeeds; nil for none
	wanted error  // the only right answer if nothing else touches the same things; nil for any
	task   *task
	err    error
}

func (p *plan) touchedOnce() bool {
	return (p.person == nil || p.person.touched <= 1) && (p.secret == nil || p.secret.touched <= 1)
}

// calm reports whether nothing else in the round, and nothing unknown, can change the answer.
func (p *plan) calm() bool {
	isKnown := !p.actor.unsure && !p.actor.owner.unsure && (p.person == nil || !p.person.unsure) && (p.secret == nil || !p.secret.unsure)
	return isKnown && p.actor.touched == 0 && p.actor.owner.touched == 0 && p.touchedOnce()
}

func (p *plan) apply() {
	if p.effect != nil {
		p.effect()
	}
}

func (p *plan) doubt() {
	if p.person != nil {
		p.person.unsure = true
	}
	if p.secret != nil {
		p.secret.unsure = true
	}
}

// plan chooses an operation of somebody with an API key.
func (w *world) plan() *plan {
	p := &plan{actor: w.anyKey()}
	for range *triesFlag { // so that most actors have a key that works
		if !w.works(p.actor) {
			p.actor = w.anyKey()
		}
	}
	plans := []func(*plan){w.planUser, w.planChange, w.planChange, w.planDeletion, w.planKey, w.planToken, w.planRevocation, w.planMistake}
	if len(w.people) > maxPeople {
		plans[0] = w.planDeletion
	}
	plans[w.random.IntN(len(plans))](p)
	if p.person != nil {
		p.person.touched++
	}
	if p.secret != nil {
		p.secret.touched++
	}
	if !w.works(p.actor) {
		p.wanted = credentials.ErrUnauthorized
	}
	return p
}

// as authenticates the actor and checks the permission, as shared/web does.
func (w *world) as(p *plan, needed principal.Permission, do func(context.Context, principal.Principal) error) {
	p.run = func(ctx context.Context) error {
		caller, _, err := w.office.Authenticator.Authenticate(ctx, p.actor.text.Reveal(), credentials.APIKey)
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
	born := &person{email: w.newAddress(), role: w.anyRole(), status: users.Active}
	w.as(p, principal.UsersWrite, func(ctx context.Context, caller principal.Principal) error {
		created, err := w.office.Users.Create(ctx, users.CreateOptions{Caller: caller},
			users.NewUser{Email: born.email, Name: "N", Role: born.role})
		born.id = created.User.ID
		return err
	})
	if p.wanted == nil && !p.actor.owner.role.Covers(born.role) {
		p.wanted = users.ErrRoleTooHigh
	}
	p.effect = func() { w.people = append(w.people, born) }
}

func (w *world) planChange(p *plan) {
	p.name, p.person = "change user", w.anyPerson()
	role, status := w.anyRole(), []users.Status{users.Active, users.Active, users.Suspended, users.Inactive}[w.random.IntN(4)]
	w.as(p, principal.UsersWrite, func(ctx context.Context, caller principal.Principal) error {
		_, err := w.office.Users.Update(ctx, caller, versions.Target{ID: p.person.id}, users.Change{Role: &role, Status: &status})
		return err
	})
	own := p.actor.owner.role
	switch {
	case p.wanted != nil:
	case p.person.gone:
		p.wanted = users.ErrNotFound
	case !own.Covers(role) || !own.Covers(p.person.role):
		p.wanted = users.ErrRoleTooHigh
	}
	p.effect = func() { p.person.role, p.person.status = role, status }
}

func (w *world) planDeletion(p *plan) {
	p.name, p.person = "delete user", w.anyPerson()
	w.as(p, principal.UsersDelete, func(ctx context.Context, caller principal.Principal) error {
		return w.office.Users.Delete(ctx, caller, versions.Target{ID: p.person.id})
	})
	if p.wanted == nil && p.person.gone {
		p.wanted = users.ErrNotFound
	}
	p.effect = func() { p.person.gone = true }
}

// planKey creates a key for the actor or, half of the time, for anybody.
func (w *world) planKey(p *plan) {
	p.name = "create key"
	owner, days := p.actor.owner, w.random.IntN(40)
	if w.random.IntN(2) == 0 {
		owner = w.anyPerson()
	}
	made := &secret{owner: owner}
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

func (w *world) planToken(p *plan) {
	p.name = "create token"
	made := &secret{owner: p.actor.owner}
	days := 1 + w.random.IntN(60)
	w.as(p, "", func(ctx context.Context, caller principal.Principal) error {
		issued, err := w.office.Tokens.Create(ctx, caller, tokens.NewToken{Name: "t", Scopes: tokens.AllScopes(), Days: days})
		made.text, made.expires = issued.Secret, issued.Token.ExpiresAt
		return err
	})
	p.effect = func() { w.secrets = append(w.secrets, made) }
}

// planRevocation revokes a key or a token of the actor.
func (w *world) planRevocation(p *plan) {
	p.name, p.secret = "revoke", w.secrets[w.random.IntN(len(w.secrets))]
	w.as(p, "", func(ctx context.Context, caller principal.Principal) error {
		if p.secret.text.Kind() == credentials.AccessToken {
			return w.office.Tokens.Revoke(ctx, caller, p.secret.text.ID())
		}
		return w.office.Keys.Revoke(ctx, caller, p.secret.owner.id, p.secret.text.ID())
	})
	p.effect = func() { p.secret.revoked = true }
}

// planMistake sends wrong input.
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

// anyKey returns an API key. There is always one, because each check adds an admin if none is left.
func (w *world) anyKey() *secret {
	for {
		if s := w.secrets[w.random.IntN(len(w.secrets))]; s.text.Kind() == credentials.APIKey {
			return s
		}
	}
}

// works reports whether the model expects a secret to work.
func (w *world) works(s *secret) bool {
	isExpired := !s.expires.IsZero() && !s.expires.After(w.office.Clock.Now())
	return !s.revoked && !isExpired && !s.owner.gone && s.owner.status == users.Active
}

func (w *world) anyPerson() *person { return w.people[w.random.IntN(len(w.people))] }
