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
	// mailRuns is the number of runs of the schedule, one a minute before midnight. A sign-in link lives for ten minutes.
	mailRuns = 6
	portal   = "https://portal.example.com"
	// manyKeys do not fit into the transaction that deletes their user.
	manyKeys = 30
)

// mailWorld has what requests have left to SendMail: five mails, an unfinished leak response and an unfinished deletion.
type mailWorld struct {
	tb      testing.TB
	client  *dynamodb.Client
	tables  office.Tables
	api     http.Handler // of SES
	refuses atomic.Bool  // SES
	letters office.Letters
	clock   *office.Clock
	direct  office.Services
	dead    []credentials.Secret

	mu    sync.Mutex
	ended int // deliveries that ended in the middle
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
		w.refuses.Store(false)
		return w
	}
}

func newMailWorld(tb testing.TB, api http.Handler) *mailWorld {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	table := func(name string) string { return awstest.Table(tb, client, name) }
	w := &mailWorld{
		tb: tb, client: client, api: api, clock: office.NewClock(midnight.AddDate(0, 0, -1)),
		tables: office.Tables{
			Users: table("UsersTable"), Credentials: table("CredentialsTable"), RequestCounts: table("RequestCountsTable"),
			Projects: table("ProjectsTable"), Pulls: table("PullsTable"), Analytics: table("AnalyticsTable"),
		},
	}
	w.direct = w.services(wire)
	w.refuses.Store(true)
	return w
}

// wire is the connections of all worlds.
var wire office.Client = awshttp.New()

// services composes the services of a process with its client.
func (w *mailWorld) services(client office.Client) office.Services {
	return office.NewServices(office.Options{}.Config(client, *w.client.Options().BaseEndpoint), w.tables, w.clock.Now)
}

// receive is SES.
func (w *mailWorld) receive(out http.ResponseWriter, in *http.Request) {
	if w.refuses.Load() {
		http.Error(out, "{}", http.StatusServiceUnavailable)
		return
	}
	w.letters.Receive(out, in, w.api)
}

func (w *mailWorld) must(err error) {
	w.tb.Helper()
	if err != nil {
		w.tb.Fatal(err)
	}
}

// join creates a user with a key.
func (w *mailWorld) join(name string, role principal.Role) (principal.Principal, credentials.Secret) {
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

// leaveMails makes requests whose mails SES refuses.
func (w *mailWorld) leaveMails() {
	ctx := w.tb.Context()
	admin, _ := w.join("admin", principal.Admin)
	viewer, _ := w.join("viewer", principal.Viewer)
	_, err := w.direct.Users.Create(ctx, users.CreateOptions{Caller: admin, BaseURL: portal}, users.NewUser{
		Email: "invited@example.com", Name: "I", Role: principal.Viewer, ActivationEmail: true,
	})
	w.must(err)
	asked, err := w.direct.Requests.Create(ctx, viewer, portal, credentialrequests.New{
		Level: credentialrequests.Full, Justification: "a cluster needs it",
	})
	w.must(err)
	_, err = w.direct.Requests.Decide(ctx, admin, credentialrequests.Decision{ID: asked.Request.ID, Approve: true, BaseURL: portal})
	w.must(err)
	_, err = w.direct.SignIns.RequestMail(ctx, sessions.MailRequest{
		Email: "viewer@example.com", BaseURL: portal, Network: "192.0.2.1",
	})
	w.must(err)
}

// leaveLeakResponse ends a key of an admin who made a key for somebody else. The process crashes after its first write.
func (w *mailWorld) leaveLeakResponse() {
	ctx := w.tb.Context()
	leaky, secret := w.join("leaky", principal.Admin)
	other, _ := w.join("other", principal.Viewer)
	made, err := w.direct.Keys.Create(ctx, leaky, other.UserID, users.NewKey{Name: "made"})
	w.must(err)
	crashing := w.services(&crashAfterWrite{next: w.engines()})
	w.must(crashing.Revocations.End(ctx, leaky.CredentialID, "leaked", portal))
	w.dead = append(w.dead, secret, made.Secret)
}

// leaveDeletion deletes a user with many keys. The process crashes after its first write.
func (w *mailWorld) leaveDeletion() {
	ctx := w.tb.Context()
	gone, secret := w.join("gone", principal.Viewer)
	w.dead = append(w.dead, secret)
	for range manyKeys {
		key, err := w.direct.Keys.Create(ctx, principal.Operator(), gone.UserID, users.NewKey{Name: "k"})
		w.must(err)
		w.dead = append(w.dead, key.Secret)
	}
	crashing := w.services(&crashAfterWrite{next: wire})
	w.must(crashing.Users.Delete(ctx, principal.Operator(), versions.Target{ID: gone.UserID}))
}

// crashAfterWrite is a client of a process that ends after its first transaction.
type crashAfterWrite struct {
	next   office.Client
	ending ending
}

// Do implements office.Client.
func (c *crashAfterWrite) Do(request *http.Request) (*http.Response, error) {
	if c.ending.cut > 0 {
		return nil, errEnded
	}
	if strings.HasSuffix(request.Header.Get("X-Amz-Target"), "TransactWriteItems") {
		c.ending.cut = 1
	}
	return c.next.Do(request)
}

func (w *mailWorld) deliver(ctx context.Context, events []int, end *ending) error {
	w.advanceTo(midnight.Add(time.Duration(slices.Max(events)+1-mailRuns) * time.Minute))
	err := w.services(endingClient{w.engines(), end}).SendDue(ctx) //nolint:contextcheck // the clients only resolve endpoints
	w.noteEnd(end)
	return err
}

// engines is the client of a process that does not end.
func (w *mailWorld) engines() office.Client {
	return office.WithMail(wire, http.HandlerFunc(w.receive))
}

// noteEnd counts the deliveries that ended in the middle.
func (w *mailWorld) noteEnd(end *ending) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if end.cut > 0 {
		w.ended++
	}
}

// advanceTo moves the clock to the time of an event. A late event does not turn it back.
func (w *mailWorld) advanceTo(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at.After(w.clock.Now()) {
		w.clock.Set(at)
	}
}

// mails lists the mails, sorted. Each delivery that ended in the middle may have sent one mail that is sent again.
func (w *mailWorld) mails() string {
	seen, repeated := map[string]bool{}, 0
	for _, letter := range w.letters.All() {
		name := letter.To + " " + letter.Subject
		if seen[name] {
			repeated++
		}
		seen[name] = true
	}
	text := strings.Join(slices.Sorted(maps.Keys(seen)), "\n")
	if repeated > w.ended {
		text += fmt.Sprintf("\n%d mails are repeated after %d ends", repeated, w.ended)
	}
	return text
}

// state is the mails and what works after the runs of the next hour, because the schedule waits before it repeats what an ended process has
// begun.
func (w *mailWorld) state(ctx context.Context) (string, error) {
	for _, minute := range []int{0, 1, 2, 4, 10, 60} {
		if err := w.deliver(ctx, []int{mailRuns + minute}, &ending{}); err != nil {
			return "", err
		}
	}
	text := w.mails()
	for _, secret := range w.dead {
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

func TestSendMail(t *testing.T) {
	check(t, consumer{name: "SendMail", events: mailRuns, workers: busy, start: newMailWorlds(t)})
}
