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
	"portside/shared/analytics/logs"
	"portside/shared/core/loglines"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/dynamo/daycounts"
	"portside/shared/mail"
	"portside/shared/projects"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/pulls"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// simulation is the service on real engines with users who act at random, and a journal of what
// they did.
type simulation struct {
	*testService
	journal

	random           *rand.Rand
	caller           principal.Principal
	admin            *users.Service
	importer         *users.Importer
	office           *projects.Service
	store            *analyticsdynamo.Store
	recorder         *analyticsdynamo.Recorder
	existingUsers    crowd
	existingProjects crowd
	streams          []*stream
	fetched          []pulls.Pull // pulls recorded so far
	things           int          // number of actions so far
	hurry            int          // remaining actions that follow each other quickly
}

// crowd are the users or projects that exist, in an order that depends only on the seed. Their IDs
// do not.
type crowd []change

// stream is a log stream. Its first lines have been delivered.
type stream struct {
	log         logs.Log
	group, name string
	lines       []loglines.Event
	delivered   int
}

func newSimulation(tb testing.TB, begin time.Time, random *rand.Rand) *simulation {
	tb.Helper()
	b := newTestService(tb)
	b.clock.Advance(begin.Sub(b.clock.Now()))
	days, clock := daycounts.In(b.analytics), b.clock.Now
	people := usersdynamo.New(b.client, awstest.Table(tb, b.client, "UsersTable"), b.keys, days)
	plans := projectsdynamo.New(b.client, awstest.Table(tb, b.client, "ProjectsTable"), days)
	store := analyticsdynamo.New(b.client, b.analytics)
	w := &simulation{
		testService: b, random: random, caller: principal.Principal{UserID: newID(), Role: principal.Admin},
		admin:    users.NewService(people, users.NewInviter(people.Invitations, acceptAllMail{}, clock), newID, clock),
		importer: users.NewImporter(people.Bulk, newID, clock),
		office:   projects.NewService(plans, allUsersExist{}, newID, clock),
		store:    store, recorder: analyticsdynamo.NewRecorder(store, analyticss3.NewArchive(awstest.S3(tb), awstest.Bucket(tb))),
		streams: []*stream{
			{log: logs.AccessLog, group: "ApiAccessLogs", name: "0"}, {log: logs.AccessLog, group: "ApiAccessLogs", name: "1"},
			{log: logs.ModelLog, group: "MediaLogs", name: "0"}, {log: logs.ModelLog, group: "RunMediaJobsLogs", name: "0"},
		},
	}
	w.createUser(principal.Admin)
	w.existingUsers = nil // the first admin never changes: one admin must exist
	return w
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// acceptAllMail accepts every mail.
type acceptAllMail struct{}

func (acceptAllMail) Send(context.Context, mail.Message) error { return nil }

// allUsersExist treats every user ID as existing.
type allUsersExist struct{}

func (allUsersExist) Existing(_ context.Context, ids []string) ([]string, error) { return ids, nil }
func (allUsersExist) CustomerExists(context.Context, string) (bool, error)       { return true, nil }

func (w *simulation) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func pick[T any](w *simulation, from ...T) T { return from[w.random.IntN(len(from))] }

// pass advances the clock: usually by a few minutes, and sometimes to a few seconds before
// midnight, where several actions follow. Times have whole milliseconds.
func (w *simulation) pass(mean time.Duration) {
	step := time.Duration(w.random.ExpFloat64() * float64(mean)).Truncate(time.Millisecond)
	switch {
	case w.hurry > 0:
		w.hurry--
		step = time.Duration(w.random.IntN(2000)) * time.Millisecond
	case w.random.IntN(100) == 0:
		w.hurry = 8
		later := w.clock.Now().Add(time.Minute)
		step = midnight(later).AddDate(0, 0, 1).
			Sub(later) + 55*time.Second + time.Duration(w.random.IntN(5000))*time.Millisecond
	}
	w.clock.Advance(step)
}

// act performs a random action.
func (w *simulation) act() {
	w.things++
	switch n := w.random.IntN(100); {
	case n < 18:
		w.changeUsers()
	case n < 33:
		w.changeProjects()
	case n < 89:
		w.request()
	case n < 94:
		w.callModel()
	case n < 99:
		w.pull()
	default:
		w.measureStorage()
	}
}

// changeUsers creates, changes or deletes users.
func (w *simulation) changeUsers() {
	switch n := w.random.IntN(20); {
	case len(w.existingUsers) < 3 || n < 7:
		w.createUser(pick(w, principal.Roles()...))
	case n < 9:
		w.importUsers()
	case n < 13:
		i := w.random.IntN(len(w.existingUsers))
		gone := w.existingUsers[i]
		w.must(w.admin.Delete(w.Context(), w.caller, versions.Target{ID: gone.id}))
		w.users = append(w.users, change{at: w.clock.Now(), id: gone.id})
		w.existingUsers = append(w.existingUsers[:i:i], w.existingUsers[i+1:]...)
	default:
		w.changeUser(w.random.IntN(len(w.existingUsers)))
	}
}

// record adds the new state of a user or project to the journal.
func (w *simulation) record(all *[]change, to change) change {
	to.at = w.clock.Now()
	*all = append(*all, to)
	return to
}

func (w *simulation) newUser(role principal.Role, i int) users.NewUser {
	return users.NewUser{Name: "Somebody", Role: role, Email: fmt.Sprintf("%d.%d@example.com", w.things, i)}
}

func (w *simulation) createUser(role principal.Role) {
	input, status := w.newUser(role, 0), "active"
	if w.random.IntN(3) == 0 && w.things > 0 {
		input.ActivationEmail, status = true, "pending"
	}
	created, err := w.admin.Create(w.Context(), users.CreateOptions{Caller: w.caller}, input)
	w.must(err)
	w.existingUsers = append(w.existingUsers,
		w.record(&w.users, change{id: created.User.ID, status: status, role: string(role)}))
}

// importUsers imports several users at once. They are not changed later.
func (w *simulation) importUsers() {
	rows := make([]users.NewUser, 1+w.random.IntN(5))
	for i := range rows {
		rows[i] = w.newUser(pick(w, principal.Roles()...), i)
	}
	outcomes, err := w.importer.Import(w.Context(), users.ImportOptions{Caller: w.caller}, rows)
	for _, outcome := range outcomes {
		err = errors.Join(err, outcome.Err)
	}
	w.must(err)
	for _, row := range rows {
		w.record(&w.users, change{id: row.Email, status: "active", role: string(row.Role)})
	}
}

func (w *simulation) changeUser(i int) {
	is := w.existingUsers[i]
	var update users.Change
	if w.random.IntN(2) == 0 {
		status := pick(w, users.Active, users.Active, users.Inactive, users.Suspended)
		update.Status, is.status = &status, string(status)
	}
	if w.random.IntN(2) == 0 {
		role := pick(w, principal.Roles()...)
		update.Role, is.role = &role, string(role)
	}
	name := fmt.Sprint("Somebody else ", w.random.IntN(5))
	update.Name = &name
	_, err := w.admin.Update(w.Context(), w.caller, versions.Target{ID: is.id}, update)
	w.must(err)
	w.existingUsers[i] = w.record(&w.users, is)
}

// changeProjects creates, changes or deletes projects.
func (w *simulation) changeProjects() {
	status := pick(w, append(projects.Statuses(), projects.Archived)...)
	if len(w.existingProjects) < 3 || w.random.IntN(10) < 3 {
		created, err := w.office.Create(w.Context(), projects.CreateOptions{Caller: w.caller}, projects.NewProject{Name: "Plan", Status: status})
		w.must(err)
		w.existingProjects = append(w.existingProjects,
			w.record(&w.projects, change{id: created.Project.ID, status: string(status)}))
		return
	}
	i := w.random.IntN(len(w.existingProjects))
	is, target := w.existingProjects[i], versions.Target{ID: w.existingProjects[i].id}
	if w.random.IntN(5) == 0 {
		w.must(w.office.Delete(w.Context(), target))
		w.record(&w.projects, change{id: is.id})
		w.existingProjects = append(w.existingProjects[:i:i], w.existingProjects[i+1:]...)
		return
	}
	_, err := w.office.Update(w.Context(), target, projects.Change{Status: &status})
	w.must(err)
	is.status = string(status)
	w.existingProjects[i] = w.record(&w.projects, is)
}

// request writes an access log line for a request. Some lines cannot be parsed, and some lack the
// response time.
func (w *simulation) request() {
	logged := w.clock.Now()
	line := request{at: logged.Add(-time.Duration(w.random.IntN(3000)) * time.Millisecond),
		status: pick(w, 200, 200, 200, 201, 404, 500, 503)}
	line.latencyMs = min(int64(20*math.Exp(w.random.NormFloat64()*1.5)), 29_999)
	is := answeredRequest{at: line.at, status: line.status, ms: float64(line.latencyMs)}
	if w.random.IntN(10) == 0 {
		task := pick(w, "summarize", "extract", "compare")
		line.route, is.mediaTask = "ANY /v1/capabilities/"+task+pick(w, "", "/media"), task
	}
	entry := w.entry(line)
	entry.LoggedAt = logged
	switch w.random.IntN(40) {
	case 0:
		entry.Message = strings.Replace(entry.Message, `"latencyMs":"`, `"latencyMs":"no number`, 1)
		is.at = time.Time{} // not counted as a request
	case 1:
		entry.Message = strings.Replace(entry.Message, fmt.Sprintf(`"latencyMs":"%d"`, line.latencyMs), `"latencyMs":"-"`, 1)
		is.ms = -1
	}
	w.requests = append(w.requests, is)
	w.write(w.streams[w.random.IntN(2)], entry)
}

// callModel writes a log line for a call of a language model, which may have failed.
func (w *simulation) callModel() {
	at := w.clock.Now()
	is := modelCall{at: at, in: float64(w.random.IntN(5000)), out: float64(w.random.IntN(500)),
		microDollar: float64(w.random.IntN(90_000))}
	status := pick(w, 200, 200, 200, 429)
	w.things++
	w.write(w.streams[2+w.random.IntN(2)], loglines.Event{
		ID: fmt.Sprintf("%056d", w.things), LoggedAt: at.Add(time.Duration(w.random.IntN(20)) * time.Millisecond),
		Message: fmt.Sprintf(`{"time":%q,"msg":"model call","status":%d,"inputTokens":%v,"outputTokens":%v,"microUSD":%v}`,
			at.Format(time.RFC3339Nano), status, is.in, is.out, is.microDollar),
	})
	w.models = append(w.models, is)
}

// pull records a pull together with some earlier ones.
func (w *simulation) pull() {
	at := w.clock.Now()
	p := pulls.Pull{
		At: at, Kind: pick(w, pulls.Chart, pulls.Image), Repository: pick(w, "acme/api", "acme/web"),
		Reference: pick(w, "1.0.0", "2.1.3"),
		Digest:    "sha256:" + strings.Repeat("0", 64), CredentialID: fmt.Sprint(w.things), OwnerID: pick(w, "o", "p", "q"),
		Address: "203.0.113.9", Client: "c",
	}
	switch w.random.IntN(5) {
	case 0:
		p.Reference = p.Digest // pulls by digest do not count
	case 1:
		p.IsCheck = true
		w.pulls = append(w.pulls, pulled{at: at, what: "checks"})
	default:
		w.pulls = append(w.pulls, pulled{at, string(p.Kind) + "s", string(p.Kind) + " " + p.Repository, p.OwnerID})
	}
	w.fetched = append(w.fetched, p)
	again := []pulls.Pull{p}
	for range w.random.IntN(4) {
		again = append(again, pick(w, w.fetched...))
	}
	_, err := w.pullLog.Record(w.Context(), again)
	w.must(err)
	_, err = w.pullLog.CountPending(w.Context())
	w.must(err)
}

// measureStorage stores a measurement. A slow measurement may be stored after a later one.
func (w *simulation) measureStorage() {
	at := w.clock.Now().Add(-time.Duration(w.random.IntN(2)*w.random.IntN(90)) * time.Minute)
	s := analytics.StorageBytes{Charts: w.random.Int64N(9e9), Media: w.random.Int64N(9e9)}
	w.sizes = append(w.sizes, measurement{at, float64(s.Charts + s.Media)})
	w.must(w.store.SaveStorage(w.Context(), at, s))
}
