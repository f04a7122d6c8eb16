package simulator

import (
	"context"
	"slices"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/revocation"
	"portside/shared/tokens"
	"portside/shared/users"
)

// leak is the progress of the response to a leaked credential, which ends everything that was made with it.
type leak int

const (
	leakUnknown leak = iota + 1 // the response may have begun
	leakBegun                   // the schedule finishes the response before the next check
	leakEnded
)

// line is the model of a line of renewals.
type line struct {
	mark

	tokens []*secret
	endsAt time.Time
	day    calendar.Day // of the latest renewal
	today  int          // renewals on that day
	ended  bool
}

// origins returns the credential itself, and all credentials that it was made with or renewed from. If one of them has
// leaked, the credential ends.
func (s *secret) origins() []*secret {
	all := []*secret{s}
	for i := 0; i < len(all); i++ {
		for _, origin := range []*secret{all[i].maker, all[i].from} {
			if origin != nil && !slices.Contains(all, origin) {
				all = append(all, origin)
			}
		}
	}
	return all
}

// isLeaked reports whether the credential must have ended because one of its origins has leaked.
func (s *secret) isLeaked() bool {
	return slices.ContainsFunc(s.origins(), func(o *secret) bool { return o.leak == leakEnded })
}

// isSure reports whether the model knows whether the credential is revoked.
func (s *secret) isSure() bool {
	isOpen := func(o *secret) bool { return o.leak == leakUnknown || o.leak == leakBegun }
	return !s.unsure && !slices.ContainsFunc(s.origins(), isOpen)
}

// endsRequests reports whether the requests that were made with the credential can no longer be approved or collected.
func (s *secret) endsRequests() bool {
	isEnded := func(o *secret) bool { return o.text.Kind() == credentials.APIKey && o.revoked }
	return s.isLeaked() || slices.ContainsFunc(s.origins(), isEnded)
}

// mayRefuse returns err as an allowed error if the model does not know whether the requests of the credential have
// ended. That is so after a possible leak, and after the deletion of an owner, because the schedule then revokes the
// credentials.
func (s *secret) mayRefuse(err error) []error {
	if slices.ContainsFunc(s.origins(), func(o *secret) bool { return o.mayLeak || o.owner.isDeleted }) {
		return []error{err}
	}
	return nil
}

// originMarks returns the marks of the credential and its origins, and of their owners, whose deletion ends them.
func (s *secret) originMarks() []*mark {
	var marks []*mark
	for _, o := range s.origins() {
		marks = append(marks, &o.mark, &o.owner.mark)
	}
	return marks
}

// endsLeaked adds the end of a root and of everything that was made with it to the plan.
func (w *world) endsLeaked(p *plan, root *secret) {
	for _, s := range w.secrets {
		if slices.Contains(s.origins(), root) {
			p.changes = append(p.changes, &s.mark)
		}
	}
	links := slices.DeleteFunc(slices.Clone(w.passwordRequests), func(a *passwordRequest) bool {
		return !slices.Contains(a.maker.origins(), root)
	})
	for _, a := range links {
		p.changes = append(p.changes, &a.mark)
	}
	p.isStrict, p.isFinal = true, true
	p.effect = func() { root.leak = leakEnded }
	p.onFault = func() {
		root.unsure = true
		switch {
		case root.leak == leakEnded:
		case p.err == nil:
			root.leak = leakBegun
		case root.leak == 0:
			root.leak = leakUnknown
		}
	}
}

// reconcileLeaks adopts the outcome of each response to a leak. The schedule has finished the responses that had begun.
func (w *world) reconcileLeaks() {
	for _, root := range w.secrets {
		switch root.leak {
		case leakBegun:
			root.leak = leakEnded
		case leakUnknown:
			root.leak = 0
			for _, s := range w.secrets {
				s.unsure = s.unsure || slices.Contains(s.origins(), root)
			}
		case leakEnded:
		}
	}
}

// planLeak responds to a leak in one of three ways.
func (w *world) planLeak(p *plan) {
	[]func(*plan){w.planReport, w.planEnd, w.planLineEnd}[w.random.IntN(3)](p)
}

// planReport reports a credential as leaked by its text, which needs no credential.
func (w *world) planReport(p *plan) {
	root := w.secrets[w.random.IntN(len(w.secrets))]
	w.names++
	report := revocation.Report{Text: root.text.Reveal(), BaseURL: "https://portal.example.com"}
	p.name, p.actor = "report leak", nil
	w.endsLeaked(p, root)
	if w.random.IntN(6) == 0 { // a text that has never been a credential ends nothing
		report.Text = credentials.Mint(root.text.Kind()).Reveal()
		p.changes, p.effect, p.onFault = nil, nil, nil
	}
	p.run = func(ctx context.Context) error { return w.office.Revocations.Report(ctx, report) }
}

// planEnd ends a key by its ID, and everything that was made with it.
func (w *world) planEnd(p *plan) {
	p.name = "end key with all it made"
	root := w.actor(credentials.APIKey)
	w.as(p, "", func(ctx context.Context, caller principal.Principal) error {
		if _, err := w.office.Keys.Find(ctx, caller, root.owner.id, root.text.ID()); err != nil {
			return err
		}
		return w.office.Revocations.End(ctx, root.text.ID(), "deleted", "https://portal.example.com")
	})
	w.endsLeaked(p, root)
	if root.owner != p.actor.owner && !p.actor.owner.role.Permits(principal.APIKeysWrite) {
		p.wanted = users.ErrNotYourKeys
	}
}

// planLineEnd ends the whole line of renewals of a token, by a key or by a token.
func (w *world) planLineEnd(p *plan) {
	target := w.actor(credentials.AccessToken)
	if target == nil {
		w.planToken(p)
		return
	}
	p.name, p.isStrict = "end line of tokens", true
	if w.random.IntN(2) == 0 {
		p.actor = w.actor(credentials.AccessToken)
	}
	w.as(p, "", func(ctx context.Context, caller principal.Principal) error {
		return w.office.Tokens.RevokeLine(ctx, caller, tokens.Target{ID: target.text.ID()})
	})
	switch own := p.actor.owner; {
	case target.owner != own && (p.actor.isToken() || !own.role.Permits(principal.TokensWrite)):
		p.wanted = tokens.ErrNotFound
	case w.isDead(target): // it may be past its retention
		p.allowed = []error{tokens.ErrNotFound, tokens.ErrNotRelated}
	case p.actor.isToken() && target.line != p.actor.line:
		p.wanted = tokens.ErrNotRelated
	}
	p.changes = []*mark{&target.line.mark}
	for _, s := range target.line.tokens {
		p.changes = append(p.changes, &s.mark)
	}
	p.isFinal = true
	p.effect = func() { target.line.ended = true }
}

// planRenewal renews a token with itself.
func (w *world) planRenewal(p *plan) {
	old := w.actor(credentials.AccessToken)
	if old == nil || !w.works(old) && w.random.IntN(100) >= percentDead {
		w.planToken(p)
		return
	}
	p.actor = old
	in := tokens.NewToken{Name: "t", Scopes: w.anyScopes(), Days: 1 + w.random.IntN(60)}
	made := &secret{owner: old.owner, maker: old.maker, from: old, line: old.line, scopes: in.Scopes, began: w.office.Clock.Now()}
	p.name, p.isStrict, p.allowed = "renew token", true, []error{tokens.ErrTooMany}
	p.changes = []*mark{&old.line.mark}
	w.as(p, "", func(ctx context.Context, caller principal.Principal) error {
		issued, err := w.office.Tokens.Create(ctx, caller, in)
		made.text, made.expires = issued.Secret, issued.Token.ExpiresAt
		return err
	})
	p.wanted = w.renewalRefusal(p, old, in)
	p.isFinal = true
	p.effect = func() { w.renew(p, made, in) }
}

// renewalRefusal returns the error that a renewal must have, or nil.
func (w *world) renewalRefusal(p *plan, old *secret, in tokens.NewToken) error {
	now, live := w.office.Clock.Now(), 0
	for _, s := range old.line.tokens {
		if !s.isSure() {
			p.allowed = append(p.allowed, tokens.ErrLineFull)
		}
		if !s.revoked && !s.isExpired(now) && !s.isLeaked() && !s.line.ended {
			live++
		}
	}
	switch {
	case !principal.Within(old.scopes, in.Scopes):
		return tokens.ErrWiderScopes
	case !old.expires.Before(old.line.endsAt):
		return tokens.ErrLineEnds
	case old.line.day == calendar.DayOf(now) && old.line.today >= tokens.MaxLineDaily:
		return tokens.ErrLineQuota
	case live >= tokens.MaxLineLive && len(p.allowed) == 1:
		return tokens.ErrLineFull
	}
	return nil
}

// renew adds a renewal to the model. It must not work longer than the token that asked for it was created for, or than
// the line.
func (w *world) renew(p *plan, made *secret, in tokens.NewToken) {
	now, old := w.office.Clock.Now(), p.actor
	wanted := now.AddDate(0, 0, in.Days)
	for _, latest := range []time.Time{now.Add(old.expires.Sub(old.began)), old.line.endsAt} {
		if wanted.After(latest) {
			wanted = latest
		}
	}
	if !made.expires.Equal(wanted) {
		w.fail("%s: the token works until %s, want %s", p.task.name, made.expires, wanted)
	}
	if today := calendar.DayOf(now); old.line.day != today {
		old.line.day, old.line.today = today, 0
	}
	old.line.today++
	made.unsure = old.line.touched > 1 // another operation may have ended it
	old.line.tokens = append(old.line.tokens, made)
	w.secrets = append(w.secrets, made)
}

// anyScopes returns both scopes or, less often, one.
func (w *world) anyScopes() []principal.Scope {
	if w.random.IntN(3) > 0 {
		return tokens.AllScopes()
	}
	return []principal.Scope{principal.ReadCharts}
}
