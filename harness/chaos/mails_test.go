package chaos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/harness/invariants"
	"portside/harness/office"
	"portside/local/ses"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentialrequests"
	"portside/shared/credentials"
	"portside/shared/lambda/awshttp"
	"portside/shared/sessions"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
)

const (
	// mailRuns is the number of runs of the schedule, one a minute before midnight. A sign-in link lives for ten
	// minutes.
	mailRuns = 6
	portal   = "https://portal.example.com"
	// deletedKeys is how many keys the deleted user has: too many for the transaction of the deletion.
	deletedKeys = 30
)

// mailWorld has the work that requests have left to SendMail: five mails, an unfinished leak response and an unfinished
// deletion.
type mailWorld struct {
	tb         testing.TB
	client     *dynamodb.Client
	tables     office.Tables
	mailAPI    http.Handler // of SES
	sesRefuses atomic.Bool
	letters    office.Letters
	clock      *office.Clock
	direct     office.Services // whose process is not killed
	endedKeys  []credentials.Secret

	// running is held by each run. The clock advances only between runs, because a run ends before the next run of the
	// schedule (the function's timeout), and a mail that a run has begun is not due before then.
	running sync.RWMutex
	kills   atomic.Int64 // deliveries whose process was killed
}

// newMailWorlds returns the start of worlds that share an outbox.
func newMailWorlds(t *testing.T) func(testing.TB) world {
	t.Helper()
	outbox, err := ses.NewOutbox(filepath.Join(t.TempDir(), "mail"), awstest.RealTime)
	if err != nil {
		t.Fatal(err)
	}
	return func(tb testing.TB) world {
		tb.Helper()
		w := newMailWorld(tb, outbox.API())
		w.clock.Set(midnight.Add(-mailRuns * time.Minute))
		w.leaveMails()
		w.leaveLeakResponse()
		w.leaveDeletion()
		w.sesRefuses.Store(false)
		return w
	}
}

func newMailWorld(tb testing.TB, mailAPI http.Handler) *mailWorld {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	table := func(name string) string { return awstest.Table(tb, client, name) }
	w := &mailWorld{
		tb: tb, client: client, mailAPI: mailAPI, clock: office.NewClock(midnight.AddDate(0, 0, -1)),
		tables: office.Tables{
			Users: table("UsersTable"), Credentials: table("CredentialsTable"), RequestCounts: table("RequestCountsTable"),
			Customers: table("CustomersTable"), Projects: table("ProjectsTable"), Pulls: table("PullsTable"),
			Analytics: table("AnalyticsTable"),
		},
	}
	w.direct = w.services(sharedClient)
	w.sesRefuses.Store(true)
	return w
}

// sharedClient is the HTTP client of all worlds, so that they share its connections.
var sharedClient office.Client = awshttp.New()

// services returns the services of a process that uses the client.
func (w *mailWorld) services(client office.Client) office.Services {
	return office.NewServices(office.Options{}.Config(client, *w.client.Options().BaseEndpoint), w.tables, w.clock.Now)
}

// receive serves the requests to SES.
func (w *mailWorld) receive(out http.ResponseWriter, in *http.Request) {
	if w.sesRefuses.Load() {
		http.Error(out, "{}", http.StatusServiceUnavailable)
		return
	}
	w.letters.Receive(out, in, w.mailAPI)
}

func (w *mailWorld) must(err error) {
	w.tb.Helper()
	if err != nil {
		w.tb.Fatal(err)
	}
}

// createUser creates a user with a key.
func (w *mailWorld) createUser(name string, role principal.Role) (principal.Principal, credentials.Secret) {
	ctx, operator := w.tb.Context(), principal.Operator()
	created, err := w.direct.Users.Create(ctx, users.CreateOptions{Caller: operator}, users.NewUser{
		Email: name + "@example.com", Name: name, Role: role,
	})
	w.must(err)
	key, err := w.direct.Keys.Create(ctx, operator, created.User.ID, users.NewKey{Name: "first"})
	w.must(err)
	caller, _, err := w.direct.Authenticator.Authenticate(ctx, key.Secret.Reveal(), credentials.APIKey)
	w.must(err)
	return caller, key.Secret
}

// leaveMails sends requests while SES refuses their mails.
func (w *mailWorld) leaveMails() {
	ctx := w.tb.Context()
	admin, _ := w.createUser("admin", principal.Admin)
	viewer, _ := w.createUser("viewer", principal.Viewer)
	_, err := w.direct.Users.Create(ctx, users.CreateOptions{Caller: admin, BaseURL: portal}, users.NewUser{
		Email: "invited@example.com", Name: "I", Role: principal.Viewer, ActivationEmail: true,
	})
	w.must(err)
	asked, err := w.direct.Requests.Create(ctx, viewer, portal, credentialrequests.New{
		Level: credentialrequests.Full, Justification: "a cluster needs it",
	})
	w.must(err)
	_, err = w.direct.Requests.Decide(ctx, admin,
		credentialrequests.Decision{ID: asked.Request.ID, Approve: true, BaseURL: portal})
	w.must(err)
	_, err = w.direct.SignIns.RequestMail(ctx, sessions.MailRequest{
		Email: "viewer@example.com", BaseURL: portal, Network: "192.0.2.1",
	})
	w.must(err)
}

// leaveLeakResponse ends the key of an admin, with which a key of another user was made. The process is killed after
// its first write, which ends only the admin's key. End reports no error, because the schedule does the rest.
func (w *mailWorld) leaveLeakResponse() {
	ctx := w.tb.Context()
	leaky, secret := w.createUser("leaky", principal.Admin)
	other, _ := w.createUser("other", principal.Viewer)
	made, err := w.direct.Keys.Create(ctx, leaky, other.UserID, users.NewKey{Name: "made"})
	w.must(err)
	crashing := w.services(&crashAfterWrite{next: w.engines()})
	w.must(crashing.Revocations.End(ctx, leaky.CredentialID, "leaked", portal))
	w.endedKeys = append(w.endedKeys, secret, made.Secret)
}

// leaveDeletion deletes a user with many keys. The process is killed after its first write, which leaves the keys.
func (w *mailWorld) leaveDeletion() {
	ctx := w.tb.Context()
	gone, secret := w.createUser("gone", principal.Viewer)
	w.endedKeys = append(w.endedKeys, secret)
	for range deletedKeys {
		key, err := w.direct.Keys.Create(ctx, principal.Operator(), gone.UserID, users.NewKey{Name: "k"})
		w.must(err)
		w.endedKeys = append(w.endedKeys, key.Secret)
	}
	crashing := w.services(&crashAfterWrite{next: sharedClient})
	w.must(crashing.Users.Delete(ctx, principal.Operator(), versions.Target{ID: gone.UserID}))
}

// crashAfterWrite is the HTTP client of a process that is killed after its first transaction.
type crashAfterWrite struct {
	next     office.Client
	isKilled bool
}

// Do implements office.Client.
func (c *crashAfterWrite) Do(request *http.Request) (*http.Response, error) {
	if c.isKilled {
		return nil, errKilled
	}
	if strings.HasSuffix(request.Header.Get("X-Amz-Target"), "TransactWriteItems") {
		c.isKilled = true
	}
	return c.next.Do(request)
}

func (w *mailWorld) deliver(ctx context.Context, events []int, p *process) error {
	return w.runAt(midnight.Add(time.Duration(slices.Max(events)+1-mailRuns)*time.Minute), p, func() error {
		return w.services(killableClient{w.engines(), p}).SendDue(ctx) //nolint:contextcheck // the clients only resolve endpoints
	})
}

// runAt runs a process at the time of its schedule, or now if the schedule was late.
func (w *mailWorld) runAt(at time.Time, p *process, run func() error) error {
	w.advanceTo(at)
	w.running.RLock()
	defer w.running.RUnlock()
	err := run()
	if p.killedAt > 0 {
		w.kills.Add(1)
	}
	return err
}

// engines returns the HTTP client of a process that is not killed.
func (w *mailWorld) engines() office.Client {
	return office.WithMail(sharedClient, http.HandlerFunc(w.receive))
}

// advanceTo waits for the current runs and moves the clock forward to a time. It never turns the clock back.
func (w *mailWorld) advanceTo(at time.Time) {
	w.running.Lock()
	defer w.running.Unlock()
	if at.After(w.clock.Now()) {
		w.clock.Set(at)
	}
}

// mails lists the different mails, sorted. Each killed process may have sent one mail that is sent again.
func (w *mailWorld) mails() string {
	seen, repeated := map[string]bool{}, int64(0)
	for _, letter := range w.letters.All() {
		name := letter.To + " " + letter.Subject
		if seen[name] {
			repeated++
		}
		seen[name] = true
	}
	text := strings.Join(slices.Sorted(maps.Keys(seen)), "\n")
	if kills := w.kills.Load(); repeated > kills {
		text += fmt.Sprintf("\n%d mails are repeated after %d kills", repeated, kills)
	}
	return text
}

// state is the mails, and whether the ended keys and the activation link still work. It runs the schedule for another
// hour first, because the schedule waits before it repeats the work of a killed process.
func (w *mailWorld) state(ctx context.Context) (string, error) {
	for _, minute := range []int{0, 1, 2, 4, 10, 60} {
		if err := w.deliver(ctx, []int{mailRuns + minute}, &process{}); err != nil {
			return "", err
		}
	}
	text := w.mails()
	for _, secret := range w.endedKeys {
		_, _, err := w.direct.Authenticator.Authenticate(ctx, secret.Reveal(), credentials.APIKey)
		if !errors.Is(err, credentials.ErrUnauthorized) {
			text += fmt.Sprintf("\na key that has ended: %v", err)
		}
	}
	_, err := w.direct.Inviter.Activate(ctx, office.Token(w.letters.Last("invited@example.com"), "/portal/activate#"))
	text += fmt.Sprintf("\nactivation: %v", err)
	broken, err := invariants.Check(ctx, w.client, w.tables.Checked(), w.clock.Now())
	return text + "\n" + strings.Join(broken, "\n"), err
}

//proves:docs/security.md
func TestSendMail(t *testing.T) {
	checkPermutations(t, consumer{name: "SendMail", events: mailRuns, start: newMailWorlds(t)})
}
