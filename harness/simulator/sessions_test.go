package simulator

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/sessions"
	"portside/shared/users"
)

// maxSignIns is how many requests for sign-in mails the model keeps.
const maxSignIns = 6

// signIn is the model of a request for a sign-in mail.
type signIn struct {
	mark

	person              *person
	browser, link, code string // the link and the code are empty if no mail was sent
	expires             time.Time
	tries               int
	used                bool
}

var (
	mailedLink = regexp.MustCompile(sessions.LinkPath + `(psl_\w+)`)
	mailedCode = regexp.MustCompile(`type the code there: (\d{10})`)
)

// found returns the first group of the pattern in the mails of the operation, or "" if no mail matches.
func (p *plan) found(pattern *regexp.Regexp) string {
	for _, body := range p.task.mails {
		if match := pattern.FindStringSubmatch(body); match != nil {
			return match[1]
		}
	}
	return ""
}

// planMail asks for a sign-in mail. Only an active user gets one, but the answer is the same for every address.
func (w *world) planMail(p *plan) {
	person := w.anyPerson()
	for range 3 { // most people can sign in
		if person.isDeleted || person.status != users.Active {
			person = w.anyPerson()
		}
	}
	asked := &signIn{person: person}
	p.name, p.actor, p.isStrict, p.needs = "ask for sign-in mail", nil, true, []*mark{&person.mark}
	w.names++
	in := sessions.MailRequest{Email: person.email, BaseURL: "https://portal.example.com",
		Network: fmt.Sprint("network ", w.names)}
	p.run = func(ctx context.Context) error {
		requested, err := w.office.SignIns.RequestMail(ctx, in)
		asked.browser, asked.expires = requested.Browser.Reveal(), requested.ExpiresAt
		return err
	}
	p.effect = func() {
		asked.link, asked.code = p.found(mailedLink), p.found(mailedCode)
		isWanted := !person.isDeleted && person.status == users.Active
		if p.isPredictable() && isWanted != (asked.link != "") {
			w.fail("%s: the mail was sent=%v, want %v", p.task.name, asked.link != "", isWanted)
		}
		w.signIns = append(w.signIns, asked)
		w.signIns = w.signIns[max(0, len(w.signIns)-maxSignIns):]
	}
}

// planSignIn signs in by link or code, sometimes with a wrong code or in another browser.
func (w *world) planSignIn(p *plan) {
	if !w.hasOpenMail() && (len(w.signIns) == 0 || w.random.IntN(4) > 0) {
		w.planMail(p)
		return
	}
	in := w.signIns[max(w.random.IntN(len(w.signIns)), w.random.IntN(len(w.signIns)))]
	way := []string{"link", "link", "code", "code", "wrong code", "other browser"}[w.random.IntN(6)]
	p.name, p.actor, p.isStrict = "sign in by "+way, nil, true
	p.allowed = []error{sessions.ErrTooManySignIns, sessions.ErrTooManyCodes}
	p.changes, p.needs = []*mark{&in.mark, &in.person.sessions}, []*mark{&in.person.mark}
	visit := sessions.Visit{Device: "Firefox on Linux", Browser: in.browser}
	replaced := w.replacedSession(p, &visit)
	made := &secret{owner: in.person}
	p.run = func(ctx context.Context) error {
		begun, err := w.signInBy(ctx, way, in, visit)
		made.text, made.expires, made.began = begun.Secret, begun.Session.ExpiresAt, begun.Session.CreatedAt
		return err
	}
	isOpen := !in.used && in.tries < sessions.MaxTries && in.link != "" && w.office.Clock.Now().Before(in.expires)
	if !isOpen || way == "wrong code" || way == "other browser" || in.person.isDeleted ||
		in.person.status != users.Active {
		p.wanted = sessions.ErrSignIn
	}
	if way == "code" || way == "wrong code" {
		p.onAnswer = func() { in.tries++ }
	}
	p.isFinal, p.effect = true, func() { w.begin(p, in, made, replaced) }
}

// hasOpenMail reports whether the newest mail can still sign in.
func (w *world) hasOpenMail() bool {
	if len(w.signIns) == 0 {
		return false
	}
	newest := w.signIns[len(w.signIns)-1]
	return !newest.used && newest.link != "" && w.office.Clock.Now().Before(newest.expires)
}

// replacedSession chooses the session that the browser had before, or nil.
func (w *world) replacedSession(p *plan, visit *sessions.Visit) *secret {
	old := w.actor(credentials.Session)
	if old == nil || w.random.IntN(3) > 0 {
		return nil
	}
	visit.Session = old.text.Reveal()
	p.changes = append(p.changes, &old.mark)
	return old
}

func (w *world) signInBy(ctx context.Context, way string, in *signIn, visit sessions.Visit) (sessions.SignedIn, error) {
	switch way {
	case "code":
		return w.office.SignIns.SignInByCode(ctx, in.person.email, in.code, visit)
	case "wrong code":
		return w.office.SignIns.SignInByCode(ctx, in.person.email, "0", visit)
	case "other browser":
		visit.Browser = credentials.Mint(credentials.Browser).Reveal()
	}
	return w.office.SignIns.SignInByLink(ctx, in.link, visit)
}

// begin adds a session to the model.
func (w *world) begin(p *plan, in *signIn, made, replaced *secret) {
	if in.used {
		w.fail("%s: the mail has signed in twice", p.task.name)
	}
	in.used, made.usedAt, made.maybeUsedAt = true, made.began, made.began
	made.unsure = in.person.touched > 0 || in.person.unsure || in.person.sessions.touched > 1
	if replaced != nil { // the sign-in may leave a session that does not work
		replaced.revoked = replaced.revoked || w.works(replaced) && replaced.isSure()
		replaced.unsure = replaced.unsure || !w.isKnown(replaced)
	}
	others := w.sessionsOf(in.person)
	if len(others) >= credentials.MaxSessions-1 { // the oldest may end
		for _, s := range others {
			s.unsure = true
		}
	}
	w.secrets = append(w.secrets, made)
}

// inSession makes a session the actor of the plan. Without one, it usually plans a sign-in instead, and returns false.
func (w *world) inSession(p *plan, name string) bool {
	s := w.actor(credentials.Session)
	if s == nil || !w.works(s) && w.random.IntN(100) >= percentDead {
		w.planSignIn(p)
		return false
	}
	p.name, p.actor, p.isStrict = name, s, true
	return true
}

// asRecently is like as, for operations that need a session that began recently.
func (w *world) asRecently(p *plan, needed principal.Permission, do func(context.Context, principal.Principal) error) {
	w.as(p, needed, func(ctx context.Context, caller principal.Principal) error {
		if caller.MustSignInAgain {
			return errSignInRequired
		}
		return do(ctx, caller)
	})
	if p.wanted == nil && p.actor.isSession() && !w.office.Clock.Now().Before(p.actor.began.Add(credentials.SessionRecent)) {
		p.wanted = errSignInRequired
	}
}

func (w *world) planSession(p *plan) {
	if !w.inSession(p, "use session") {
		return
	}
	w.as(p, "", func(ctx context.Context, caller principal.Principal) error {
		current, person, err := w.office.SignIns.Current(ctx, caller)
		if err == nil && (current.ID != p.actor.text.ID() || person.ID != p.actor.owner.id) {
			w.fail("%s finds the session %s of %s", p.task.name, current.ID, person.Email)
		}
		return err
	})
}

// planSessionEnd ends a session of the actor, or tries to end one of another user.
func (w *world) planSessionEnd(p *plan) {
	if !w.inSession(p, "end session") {
		return
	}
	ended := w.actor(credentials.Session)
	if w.random.IntN(2) == 0 {
		ended = p.actor
	}
	p.changes = []*mark{&ended.mark}
	w.asRecently(p, "", func(ctx context.Context, caller principal.Principal) error {
		return w.office.SignIns.End(ctx, caller, ended.text.ID())
	})
	switch {
	case p.wanted != nil:
	case ended.revoked || ended.owner != p.actor.owner:
		p.wanted = sessions.ErrNotFound
	case !w.works(ended) || !ended.isSure():
		p.allowed = []error{sessions.ErrNotFound} // a sign-in may have ended it
	}
	p.isFinal, p.effect = true, func() { ended.revoked = true }
}

// endsSessions adds the end of all sessions of a user to the plan.
func (w *world) endsSessions(p *plan, owner *person) {
	effect, all := p.effect, w.sessionsOf(owner)
	p.changes = append(p.changes, &owner.sessions)
	for _, s := range all {
		p.changes = append(p.changes, &s.mark)
	}
	p.effect = func() {
		if effect != nil {
			effect()
		}
		for _, s := range all {
			s.revoked = true
		}
	}
}

func (w *world) planSessionsEnd(p *plan) {
	if !w.inSession(p, "end all sessions") {
		return
	}
	w.asRecently(p, "", func(ctx context.Context, caller principal.Principal) error {
		return w.office.SignIns.EndAll(ctx, caller)
	})
	p.isFinal = true
	w.endsSessions(p, p.actor.owner)
}

// planSignOut lets an administrator end all sessions of a user.
func (w *world) planSignOut(p *plan) {
	person := w.anyPerson()
	p.name, p.isStrict, p.needs = "sign user out", true, []*mark{&person.mark}
	w.as(p, principal.UsersWrite, func(ctx context.Context, caller principal.Principal) error {
		return w.office.Users.End(ctx, caller, person.id, users.EndSessions)
	})
	switch {
	case p.wanted != nil:
	case person.isDeleted:
		p.wanted = users.ErrNotFound
	case !p.actor.owner.role.Covers(person.role):
		p.wanted = users.ErrRoleTooHigh
	}
	p.isFinal = true
	w.endsSessions(p, person)
}
