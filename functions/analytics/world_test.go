package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/dynamo/daycounts"
	"portside/shared/mail"
	"portside/shared/projects"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// world is the service on real engines with people who use it at random, and a journal of what they did.
type world struct {
	*board
	journal

	random   *rand.Rand
	caller   principal.Principal
	admin    *users.Service
	importer *users.Importer
	office   *projects.Service
	store    *analyticsdynamo.Store
	recorder *analyticsdynamo.Recorder
	pullLog  *pullsdynamo.Store
	people   crowd
	plans    crowd
	streams  []*stream
	fetched  []pulls.Pull
	things   int
	hurry    int // for how many acts
}

// crowd is what there is at the moment, in an order by which chance can be repeated. Ids are made by chance of another kind.
type crowd []turn

// stream is one of the log, of which the first lines have been delivered.
type stream struct {
	log         analytics.Log
	group, name string
	lines       []analytics.Entry
	delivered   int
}

func newWorld(tb testing.TB, begin time.Time, random *rand.Rand) *world {
	tb.Helper()
	b := newBoard(tb)
	b.clock.Pass(begin.Sub(b.clock.Now()))
	days, clock := daycounts.In(b.analytics), b.clock.Now
	people := usersdynamo.New(b.client, awstest.Table(tb, b.client, "UsersTable"), b.keys, days)
	plans := projectsdynamo.New(b.client, awstest.Table(tb, b.client, "ProjectsTable"), days)
	store := analyticsdynamo.New(b.client, b.analytics)
	w := &world{
		board: b, random: random, caller: principal.Principal{UserID: newID(), Role: principal.Admin},
		admin:    users.NewService(people, users.NewInviter(people, postbox{}, clock), newID, clock),
		importer: users.NewImporter(people, newID, clock, ""),
		office:   projects.NewService(plans, everybody{}, newID, clock),
		store:    store, recorder: analyticsdynamo.NewRecorder(store, analyticss3.NewParts(awstest.S3(tb), awstest.Bucket(tb))),
		pullLog: pullsdynamo.New(b.client, awstest.Table(tb, b.client, "PullsTable"), b.analytics),
		streams: []*stream{
			{log: analytics.AccessLog, group: "ApiAccessLogs", name: "0"}, {log: analytics.AccessLog, group: "ApiAccessLogs", name: "1"},
			{log: analytics.ModelLog, group: "MediaLogs", name: "0"}, {log: analytics.ModelLog, group: "RunMediaJobsLogs", name: "0"},
		},
	}
	w.createUser(principal.Admin)
	w.people = nil // the first admin stays as he is: there must be one
	return w
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// postbox accepts every mail.
type postbox struct{}

func (postbox) Send(context.Context, mail.Message) error { return nil }

// everybody exists.
type everybody struct{}

func (everybody) Existing(_ context.Context, ids []string) ([]string, error) { return ids, nil }

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func pick[T any](w *world, from ...T) T { return from[w.random.IntN(len(from))] }

// pass lets time go by: a few minutes mostly, and sometimes until a few seconds before midnight, around which much happens. Times
// are kept in milliseconds.
func (w *world) pass(mean time.Duration) {
	step := time.Duration(w.random.ExpFloat64() * float64(mean)).Truncate(time.Millisecond)
	switch {
	case w.hurry > 0:
		w.hurry--
		step = time.Duration(w.random.IntN(2000)) * time.Millisecond
	case w.random.IntN(100) == 0:
		w.hurry = 8
		later := w.clock.Now().Add(time.Minute)
		step = midnight(later).AddDate(0, 0, 1).Sub(later) + 55*time.Second + time.Duration(w.random.IntN(5000))*time.Millisecond
	}
	w.clock.Pass(step)
}

// act lets somebody do something.
func (w *world) act() {
	w.things++
	switch n := w.random.IntN(100); {
	case n < 18:
		w.changePeople()
	case n < 33:
		w.changePlans()
	case n < 89:
		w.request()
	case n < 94:
		w.ask()
	case n < 99:
		w.pull()
	default:
		w.gauge()
	}
}

// changePeople creates, changes or deletes users.
func (w *world) changePeople() {
	switch n := w.random.IntN(20); {
	case len(w.people) < 3 || n < 7:
		w.createUser(pick(w, principal.Roles()...))
	case n < 9:
		w.importUsers()
	case n < 13:
		i := w.random.IntN(len(w.people))
		gone := w.people[i]
		w.must(w.admin.Delete(w.Context(), w.caller, versions.Target{ID: gone.id}))
		w.users = append(w.users, turn{at: w.clock.Now(), id: gone.id})
		w.people = append(w.people[:i:i], w.people[i+1:]...)
	default:
		w.changeUser(w.random.IntN(len(w.people)))
	}
}

// become notes what a user or a project is from now on.
func (w *world) become(all *[]turn, to turn) turn {
	to.at = w.clock.Now()
	*all = append(*all, to)
	return to
}

func (w *world) newUser(role principal.Role, i int) users.NewUser {
	return users.NewUser{Name: "Somebody", Role: role, Email: fmt.Sprintf("%d.%d@example.com", w.things, i)}
}

func (w *world) createUser(role principal.Role) {
	input, status := w.newUser(role, 0), "active"
	if w.random.IntN(3) == 0 && w.things > 0 {
		input.ActivationEmail, status = true, "pending"
	}
	created, err := w.admin.Create(w.Context(), users.CreateOptions{Caller: w.caller}, input)
	w.must(err)
	w.people = append(w.people, w.become(&w.users, turn{id: created.User.ID, status: status, role: string(role)}))
}

// importUsers adds several at once, who are left alone from then on, since an import does not tell their ids.
func (w *world) importUsers() {
	rows := make([]users.NewUser, 1+w.random.IntN(5))
	for i := range rows {
		rows[i] = w.newUser(pick(w, principal.Roles()...), i)
	}
	failed, err := w.importer.Import(w.Context(), rows)
	w.must(errors.Join(append(failed, err)...))
	for _, row := range rows {
		w.become(&w.users, turn{id: row.Email, status: "active", role: string(row.Role)})
	}
}

func (w *world) changeUser(i int) {
	is := w.people[i]
	var change users.Change
	if w.random.IntN(2) == 0 {
		status := pick(w, users.Active, users.Active, users.Inactive, users.Suspended)
		change.Status, is.status = &status, string(status)
	}
	if w.random.IntN(2) == 0 {
		role := pick(w, principal.Roles()...)
		change.Role, is.role = &role, string(role)
	}
	name := fmt.Sprint("Somebody else ", w.random.IntN(5))
	change.Name = &name
	_, err := w.admin.Update(w.Context(), w.caller, versions.Target{ID: is.id}, change)
	w.must(err)
	w.people[i] = w.become(&w.users, is)
}

// changePlans creates, changes or deletes projects.
func (w *world) changePlans() {
	status := pick(w, append(projects.Statuses(), projects.Archived)...)
	if len(w.plans) < 3 || w.random.IntN(10) < 3 {
		created, err := w.office.Create(w.Context(), projects.CreateOptions{Caller: w.caller}, projects.NewProject{Name: "Plan", Status: status})
		w.must(err)
		w.plans = append(w.plans, w.become(&w.projects, turn{id: created.Project.ID, status: string(status)}))
		return
	}
	i := w.random.IntN(len(w.plans))
	is, target := w.plans[i], versions.Target{ID: w.plans[i].id}
	if w.random.IntN(5) == 0 {
		w.must(w.office.Delete(w.Context(), target))
		w.become(&w.projects, turn{id: is.id})
		w.plans = append(w.plans[:i:i], w.plans[i+1:]...)
		return
	}
	_, err := w.office.Update(w.Context(), target, projects.Change{Status: &status})
	w.must(err)
	is.status = string(status)
	w.plans[i] = w.become(&w.projects, is)
}

// request is answered, and logged a moment later. Some lines cannot be read, and some do not know everything.
func (w *world) request() {
	logged := w.clock.Now()
	line := request{at: logged.Add(-time.Duration(w.random.IntN(3000)) * time.Millisecond), status: pick(w, 200, 200, 200, 201, 404, 500, 503)}
	line.latencyMs = min(int64(20*math.Exp(w.random.NormFloat64()*1.5)), 29_999)
	is := served{at: line.at, status: line.status, ms: float64(line.latencyMs)}
	if w.random.IntN(10) == 0 {
		line.route, is.toMediaRoute = "ANY /v1/capabilities/{proxy+}", true
	}
	entry := w.entry(line)
	entry.Logged = logged
	switch w.random.IntN(40) {
	case 0:
		entry.Message = strings.Replace(entry.Message, `"latencyMs":"`, `"latencyMs":"no number`, 1)
		is.at = time.Time{} // and so does not count
	case 1:
		entry.Message = strings.Replace(entry.Message, fmt.Sprintf(`"latencyMs":"%d"`, line.latencyMs), `"latencyMs":"-"`, 1)
		is.ms = -1
	}
	w.requests = append(w.requests, is)
	w.write(w.streams[w.random.IntN(2)], entry)
}

// ask is a call of a language model, which may fail.
func (w *world) ask() {
	at := w.clock.Now()
	is := asked{at: at, in: float64(w.random.IntN(5000)), out: float64(w.random.IntN(500)), microDollar: float64(w.random.IntN(90_000))}
	status := pick(w, 200, 200, 200, 429)
	w.things++
	w.write(w.streams[2+w.random.IntN(2)], analytics.Entry{
		ID: fmt.Sprintf("%056d", w.things), Logged: at.Add(time.Duration(w.random.IntN(20)) * time.Millisecond),
		Message: fmt.Sprintf(`{"time":%q,"msg":"model call","status":%d,"inputTokens":%v,"outputTokens":%v,"microUSD":%v}`,
			at.Format(time.RFC3339Nano), status, is.in, is.out, is.microDollar),
	})
	w.models = append(w.models, is)
}

// pull is recorded at once, with some of what was recorded before.
func (w *world) pull() {
	at := w.clock.Now()
	p := pulls.Pull{
		At: at, Kind: pick(w, pulls.Chart, pulls.Image), Repository: pick(w, "acme/api", "acme/web"), Reference: pick(w, "1.0.0", "2.1.3"),
		Digest: "sha256:" + strings.Repeat("0", 64), CredentialID: fmt.Sprint(w.things), OwnerID: "o", Address: "203.0.113.9", Client: "c",
	}
	if w.random.IntN(5) == 0 {
		p.Reference = p.Digest // which is a part of what a tag named, and does not count
	} else {
		w.pulls = append(w.pulls, fetched{at, string(p.Kind) + "s"})
	}
	w.fetched = append(w.fetched, p)
	again := []pulls.Pull{p}
	for range w.random.IntN(4) {
		again = append(again, pick(w, w.fetched...))
	}
	_, err := w.pullLog.Record(w.Context(), again)
	w.must(err)
}

// gauge measures what is stored. A slow measurement may be written after a later one.
func (w *world) gauge() {
	at := w.clock.Now().Add(-time.Duration(w.random.IntN(2)*w.random.IntN(90)) * time.Minute)
	s := analytics.Storage{Charts: w.random.Int64N(9e9), Media: w.random.Int64N(9e9)}
	w.sizes = append(w.sizes, size{at, float64(s.Charts + s.Media)})
	w.must(w.store.SetStorage(w.Context(), at, s))
}
