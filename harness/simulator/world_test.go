package simulator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"portside/harness/office"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/users"
)

// mark says whether the model is sure of one of its parts.
type mark struct {
	unsure  bool // whether the outcome of an operation on the part is unknown
	touched int  // how many operations of this round may change the part
}

// endRound makes the part unsure if several operations of the round may have changed it.
func (m *mark) endRound() { m.unsure, m.touched = m.unsure || m.touched > 1, 0 }

// person is the model of a user.
type person struct {
	mark

	id, email string
	role      principal.Role
	status    users.Status
	isDeleted bool

	sessions mark // the sessions that begin or end in this round
	requests mark // the pending requests for passwords
}

// world has the services and the model of their stored data.
type world struct {
	*scheduler

	office  *office.Office
	people  []*person // in the order of their creation, because IDs differ between runs
	secrets []*secret
	names   int // counts the unique names that were given, such as addresses

	projects         []*project
	signIns          []*signIn // the newest
	passwordRequests []*passwordRequest
	pulls            []*pulled // the newest
	pullsOn          map[pullFigure]int64
	// pullsPlan is what this round does with pulls: "record" or "count". A round with both could not be replayed,
	// because a count may find a batch while it is written to a random shard.
	pullsPlan string

	operations, rounds, checks int
	seen                       map[string]int // answers by operation and outcome
	failures                   []string
}

func (w *world) fail(format string, values ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failures = append(w.failures, fmt.Sprintf(format, values...))
}

// round runs one to five operations at once.
func (w *world) round(ctx context.Context) {
	w.rounds++
	w.pullsPlan = ""
	if !slices.ContainsFunc(w.secrets, w.isAdminKey) {
		w.faults = false
		w.alone(ctx, "operator", w.ensureAdmin)
	}
	w.faults = true
	var tasks []*task
	var runs []func(context.Context)
	var plans []*plan
	for range 1 + w.random.IntN(5) {
		p := w.plan()
		w.operations++
		p.task = &task{number: w.operations, name: fmt.Sprintf("%s %d", p.name, w.operations)}
		tasks, plans = append(tasks, p.task), append(plans, p)
		runs = append(runs, func(ctx context.Context) { p.err = p.run(ctx) })
	}
	w.run(ctx, tasks, runs)
	for _, p := range plans {
		w.judge(p)
	}
	w.endRound()
}

// refusals names the kinds of errors in the figures.
var refusals = map[fault.Kind]string{
	fault.Internal: "internal error", fault.Validation: "invalid", fault.Unauthorized: "unauthorized",
	fault.Forbidden: "forbidden",
	fault.NotFound:  "not found", fault.Conflict: "conflict", fault.Precondition: "changed meanwhile",
	fault.TooLarge:        "too large",
	fault.UnsupportedType: "unsupported type", fault.Unprocessable: "unprocessable", fault.RateLimited: "rate limited",
	fault.Unavailable: "unavailable", fault.QuotaExceeded: "quota exceeded", fault.SignInRequired: "sign-in required",
}

// judge compares the answer of an operation with the model.
func (w *world) judge(p *plan) {
	outcome := "done"
	if p.err != nil {
		outcome = refusals[fault.KindOf(p.err)]
	}
	if p.task.faulty {
		outcome = "with faults"
	}
	w.seen[p.name+": "+outcome]++
	w.compare(p)
	if p.actor != nil {
		p.actor.use(w.office.Clock.Now(), p.task.faulty)
	}
	if p.onAnswer != nil && !p.task.faulty {
		p.onAnswer()
	}
	switch {
	case p.err == nil && p.isFinal && !p.task.faulty:
		p.apply()
	case p.task.faulty:
		p.markUnsure()
	case p.err == nil && p.touchedOnce():
		p.apply()
	case p.err == nil, fault.KindOf(p.err) == fault.Unavailable:
		p.markUnsure()
	}
}

// compare reports a wrong answer of an operation that met no fault.
func (w *world) compare(p *plan) {
	isAllowed := func(allowed error) bool { return errors.Is(p.err, allowed) }
	switch {
	case p.task.faulty:
	case p.err != nil && fault.KindOf(p.err) == fault.Internal:
		w.fail("%s answers an internal error without a fault: %v", p.task.name, p.err)
	case !p.isPredictable() || p.err != nil && fault.KindOf(p.err) == fault.Unavailable:
	case p.wanted != nil && !errors.Is(p.err, p.wanted):
		w.fail("%s answers %v, want %v", p.task.name, p.err, p.wanted)
	case p.wanted == nil && p.err != nil && p.isStrict && !slices.ContainsFunc(p.allowed, isAllowed):
		w.fail("%s answers %v, want success", p.task.name, p.err)
	case p.wanted == nil && p.actor != nil && w.works(p.actor) && errors.Is(p.err, credentials.ErrUnauthorized):
		w.fail("%s answers that its working credential %s does not work", p.task.name, p.actor.text.ID())
	}
}

// endRound ends the round for all parts of the model.
func (w *world) endRound() {
	for _, p := range w.people {
		p.endRound()
		p.requests.endRound()
		p.sessions = mark{}
	}
	for _, s := range w.secrets {
		s.endRound()
		if s.line != nil {
			s.line.endRound()
		}
	}
	for _, p := range w.projects {
		p.endRound()
	}
	for _, s := range w.signIns {
		s.endRound()
	}
	for _, a := range w.passwordRequests {
		a.endRound()
	}
	for _, one := range w.pulls {
		one.endRound()
	}
}

// check lets the schedules finish their pending work, and then compares all users, secrets and tables with the model.
func (w *world) check(ctx context.Context) {
	w.checks++
	w.faults = false
	w.office.Clock.Advance(time.Hour) // pending work is due
	w.alone(ctx, "check", func(ctx context.Context) {
		for range 3 {
			if err := w.office.SendDue(ctx); err != nil {
				w.fail("the mails and the sweep fail without faults: %v", err)
			}
			w.office.Clock.Advance(time.Hour)
		}
		w.reconcilePeople(ctx)
		w.reconcileProjects(ctx)
		w.reconcilePulls(ctx)
		w.reconcileSecrets(ctx)
		w.reconcileRequests(ctx)
		w.ensureAdmin(ctx)
	})
	broken, err := w.invariants(ctx)
	if err != nil {
		w.fail("the tables cannot be read: %v", err)
	}
	for _, sentence := range broken {
		w.fail("invariant: %s", sentence)
	}
}

// alone runs one operation without others.
func (w *world) alone(ctx context.Context, name string, f func(context.Context)) {
	w.run(ctx, []*task{{name: name}}, []func(context.Context){f})
}

// reconcilePeople compares the stored users with the model. Where the model is unsure, it adopts the stored values.
func (w *world) reconcilePeople(ctx context.Context) {
	for _, p := range w.people {
		user, err := w.office.Users.Get(ctx, principal.Operator(), p.id)
		isMissing := errors.Is(err, users.ErrNotFound)
		switch {
		case err != nil && !isMissing:
			w.fail("reading the user %s: %v", p.email, err)
		case p.unsure:
			p.role, p.status, p.isDeleted, p.unsure = user.Role, user.Status, isMissing, false
		case p.isDeleted != isMissing:
			w.fail("the user %s has deleted=%v, want %v", p.email, isMissing, p.isDeleted)
		case !isMissing && (user.Role != p.role || user.Status != p.status || user.Email != p.email):
			w.fail("the user %s is %s and %s, want %s and %s", p.email, user.Role, user.Status, p.role, p.status)
		}
	}
}

// isAdminKey reports whether the model knows that a secret is a key of an active admin and never expires.
func (w *world) isAdminKey(s *secret) bool {
	return s.owner.role == principal.Admin && w.works(s) && w.isKnown(s) && s.expires.IsZero() && s.text.Kind() == credentials.APIKey
}

// ensureAdmin adds an admin with a key, as the operator's command does, if the model knows no key of an active admin.
func (w *world) ensureAdmin(ctx context.Context) {
	if slices.ContainsFunc(w.secrets, w.isAdminKey) {
		return
	}
	email := w.newAddress()
	created, err := w.office.Users.Create(ctx, users.CreateOptions{Caller: principal.Operator()},
		users.NewUser{Email: email, Name: "Admin", Role: principal.Admin})
	if err != nil {
		w.fail("the operator cannot create an admin: %v", err)
		return
	}
	key, err := w.office.Keys.Create(ctx, principal.Operator(), created.User.ID, users.NewKey{Name: "first"})
	if err != nil {
		w.fail("the operator cannot create a key: %v", err)
		return
	}
	admin := &person{id: created.User.ID, email: email, role: principal.Admin, status: users.Active}
	w.people, w.secrets = append(w.people, admin), append(w.secrets, &secret{text: key.Secret, owner: admin})
}

func (w *world) newAddress() string {
	w.names++
	return fmt.Sprintf("user%d@example.com", w.names)
}
