package faults

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/google/uuid"

	"portside/harness/invariants"
	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/credentialrequests/credentialrequestsdynamo"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/customers"
	"portside/shared/customers/customersdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/entitlements"
	"portside/shared/entitlements/entitlementsdynamo"
	"portside/shared/lambda/s3client"
	"portside/shared/mail/mailses"
	"portside/shared/notices/credentialnotices"
	"portside/shared/projects"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/revocation"
	"portside/shared/revocation/revocationdynamo"
	"portside/shared/sessions"
	"portside/shared/sessions/sessionsdynamo"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/trust"
	"portside/shared/trust/trustdynamo"
	"portside/shared/trust/trustoidc"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// portal is the address in mails.
const portal = "https://portal.example.com"

// requestsPerMinute is the rate limit of a credential. A request counts again for each response that is lost.
const requestsPerMinute = 1000

// world has the services of one run, composed as the functions compose them.
type world struct {
	tables  map[string]string // names
	client  *dynamodb.Client
	objects *s3.Client
	secrets *secretsmanager.Client
	mailer  *mailses.Mailer

	keyTable *credentialsdynamo.Table
	people   *usersdynamo.Store
	auth     *credentials.Authenticator
	users    *users.Service
	importer *users.Importer
	keys     *users.Keys
	inviter  *users.Inviter
	closer   *users.Closer
	tokens   *tokens.Service
	leaks    *revocation.Service
	notices  *credentialnotices.Service
	asked    *credentialrequests.Service
	sessions *sessions.Service
	projects *projects.Service
	buyers   *customers.Service
	entitled *entitlements.Service
	policies *trust.Service

	exchanger *trust.Exchanger

	mu  sync.Mutex
	now time.Time
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// clock returns the time of the run.
func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// wait moves the clock.
func (w *world) wait(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// newWorld composes the services of a run on new tables.
func newWorld(e *engines, r *run, names map[string]string) *world {
	w := &world{
		tables: names, now: start, client: items.Client(e.config(r, "DynamoDB")), objects: s3client.New(e.config(r, "S3")),
		secrets: secretsmanager.NewFromConfig(e.config(r, "Secrets Manager")),
		mailer:  mailses.New(e.config(r, "SES"), "portal@example.com"),
	}
	auditLog := auditlog.New(names["AuditTable"], w.clock)
	w.keyTable = credentialsdynamo.New(w.client, names["CredentialsTable"], names["RequestCountsTable"]).Audited(auditLog)
	w.people = usersdynamo.New(w.client, names["UsersTable"], w.keyTable, w.days())
	w.auth = credentials.NewAuthenticator(w.keyTable.Requests, requestsPerMinute, w.clock)
	w.inviter = users.NewInviter(w.people.Invitations, w.mailer, w.clock)
	w.users = users.NewService(w.people, w.inviter, newID, w.clock)
	w.importer = users.NewImporter(w.people.Bulk, newID, w.clock)
	w.keys = users.NewKeys(w.people, w.people.Keys, w.clock)
	w.closer = users.NewCloser(w.people, w.clock)
	w.composeCredentials()
	store := projectsdynamo.New(w.client, names["ProjectsTable"], w.days()).Audited(auditLog)
	w.projects = projects.NewService(store, w.people.People, newID, w.clock)
	w.buyers = customers.NewService(customersdynamo.New(w.client, names["CustomersTable"], w.keyTable.Customers, auditLog), newID, w.clock)
	w.entitled = entitlements.NewService(entitlementsdynamo.New(w.client, w.keyTable.Name(), auditLog), newID, w.clock)
	trusted := trustdynamo.New(w.client, w.keyTable)
	w.policies = trust.NewService(trusted, newID, w.clock)
	w.exchanger = trust.NewExchanger(trusted, trustoidc.New(w.clock), w.clock)
	return w
}

func (w *world) days() daycounts.Table { return daycounts.In(w.tables["AnalyticsTable"]) }

func (w *world) composeCredentials() {
	w.tokens = tokens.NewService(tokensdynamo.New(w.client, w.keyTable), w.people.People, tokens.MaxDays, w.clock)
	w.notices = credentialnotices.NewService(credentialnotices.Parts{
		Outbox: w.keyTable.Notices, People: w.people.People, Mailer: w.mailer, Now: w.clock,
	})
	ending := revocationdynamo.New(w.client, w.keyTable)
	w.leaks = revocation.NewService(revocation.Parts{Store: ending, Jobs: ending, Failures: w.keyTable.Requests, Now: w.clock})
	w.asked = credentialrequests.NewService(credentialrequests.Parts{
		Store: credentialrequestsdynamo.New(w.client, w.keyTable, w.people.People), Credentials: w.keyTable, People: w.people.People,
		Mailer: w.mailer, NewID: newID, Now: w.clock,
	})
	store := sessionsdynamo.New(w.client, w.keyTable, w.people.People)
	w.sessions = sessions.NewService(sessions.Dependencies{
		Requests: store, Outbox: store, Sessions: store, Credentials: w.keyTable, People: w.people.People, Mailer: w.mailer, Now: w.clock,
	})
}

// person is an active user with an API key.
type person struct {
	user   users.User
	key    string
	caller principal.Principal
}

// join adds an active user without faults.
func (r *run) join(role principal.Role) person {
	ctx := r.tb.Context()
	email := string(role) + "-" + newID() + "@example.com"
	input := users.NewUser{Email: email, Name: email, Role: role}
	created, err := r.users.Create(ctx, users.CreateOptions{Caller: principal.Operator()}, input)
	r.must(err)
	issued, err := r.keys.Create(ctx, principal.Operator(), created.User.ID, users.NewKey{Name: "first"})
	r.must(err)
	r.hasPeople = true
	return person{created.User, issued.Secret.Reveal(), r.caller(issued.Secret.Reveal())}
}

// caller returns the principal of a working key or token.
func (r *run) caller(text string) principal.Principal {
	caller, err := r.authenticate(r.tb.Context(), text)
	r.must(err)
	return caller
}

func (r *run) authenticate(ctx context.Context, text string) (principal.Principal, error) {
	caller, _, err := r.auth.Authenticate(ctx, text, credentials.APIKey, credentials.AccessToken, credentials.Session)
	return caller, err
}

// works reports whether a key, token or session works.
func (r *run) works(text string) bool {
	_, err := r.authenticate(r.tb.Context(), text)
	return err == nil
}

// sendDue takes the steps that requests have left, as the schedule does every minute. The first round has faults. The
// later ones are what follows after the pauses.
func (r *run) sendDue() {
	r.wait(10 * time.Minute)
	for _, task := range r.tasks() {
		r.event("the schedule", func(ctx context.Context) error {
			_, err := task(ctx)
			return err
		})
	}
	for range 3 {
		r.wait(time.Hour)
		for _, task := range r.tasks() {
			_, err := task(r.tb.Context())
			r.must(err)
		}
	}
}

// tasks are the work of functions/sendmail, in its order.
func (r *run) tasks() []func(context.Context) (int, error) {
	return []func(context.Context) (int, error){
		r.closer.FinishDue, r.sessions.SendDue, r.leaks.FinishDue, r.notices.SendDue, r.inviter.SendDue, r.asked.TakeDue,
	}
}

// checkInvariants checks the tables; those of users and credentials only if the flow has users, because other flows
// have credentials without owners.
func (r *run) checkInvariants() {
	names := invariants.Tables{
		Projects: r.tables["ProjectsTable"], Pulls: r.tables["PullsTable"], Analytics: r.tables["AnalyticsTable"],
	}
	if r.hasPeople {
		names.Audit = r.tables["AuditTable"]
		names.Users, names.Credentials = r.tables["UsersTable"], r.tables["CredentialsTable"]
		names.Customers = r.tables["CustomersTable"] // their states are in the table of credentials
	}
	broken, err := invariants.Check(r.tb.Context(), r.engines.tables, names, r.clock())
	r.must(err)
	r.problems = append(r.problems, broken...)
}
