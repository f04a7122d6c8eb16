package api

import (
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"

	portsideclient "portside/client"
	"portside/local/e2e/e2etest"
)

// TestClientPackage makes calls of each kind with the Go package for users of the API.
func TestClientPackage(t *testing.T) {
	p := e2etest.Start(t) // it reads lists that are empty in a new stack
	c := packageClient(t, p, p.Conns)
	ctx := t.Context()

	for _, email := range []string{"b@example.com", "c@example.com", "d@example.com"} {
		created, err := c.CreateUser(ctx, newMember(email))
		if err != nil || created.Email != email || created.Role != portsideclient.UserRoleUser {
			t.Fatalf("created %+v: %v", created, err)
		}
	}
	users := usersByEmail(t, c)
	if len(users) != 4 {
		t.Errorf("the iterator yields %d users, want 4", len(users))
	}
	id := users["b@example.com"].ID
	testConditionalUpdate(t, c, id)

	if err := c.DeleteUser(ctx, id); err != nil {
		t.Fatal(err)
	}
	_, err := c.GetUser(ctx, id)
	refused, ok := errors.AsType[*portsideclient.Error](err)
	if !ok || refused.Status != http.StatusNotFound || refused.Code != portsideclient.ProblemCodeNOTFOUND ||
		refused.RequestID == "" {
		t.Errorf("a deleted user is %+v: %v", refused, err)
	}
	_, err = c.CreateUser(ctx, portsideclient.CreateUserJSONBody{Email: "nobody", Name: "x", Role: "user"})
	if refused, ok := errors.AsType[*portsideclient.Error](err); !ok || len(refused.Fields) != 1 ||
		refused.Fields[0].Pointer != "/email" {
		t.Errorf("an invalid address is %v", err)
	}
	testLostAnswer(t, p)
	testTokenAsCredential(t, p, c)
	testForm(t, c)
	testOtherLists(t, c)
}

// packageClient returns a client of the package with the first admin's key.
func packageClient(t *testing.T, p *e2etest.Stack, transport http.RoundTripper) *portsideclient.Client {
	t.Helper()
	key := p.Operator.Line(t, "admin-key")
	p.Secrets.AddFrom([]byte(key))
	c, err := portsideclient.New(p.Info.API, key, portsideclient.WithTransport(transport))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newMember(email string) portsideclient.CreateUserJSONBody {
	return portsideclient.CreateUserJSONBody{
		Email: email, Name: "Member", Role: portsideclient.CreateUserJSONBodyRoleUser, SendActivationEmail: new(false),
	}
}

// usersByEmail reads all users on pages of two.
func usersByEmail(t *testing.T, c *portsideclient.Client) map[string]portsideclient.ListedUser {
	t.Helper()
	users := map[string]portsideclient.ListedUser{}
	for user, err := range c.AllUsers(t.Context(), &portsideclient.ListUsersParams{Limit: new(int64(2))}) {
		if err != nil {
			t.Fatal(err)
		}
		users[user.Email] = user
	}
	return users
}

func testConditionalUpdate(t *testing.T, c *portsideclient.Client, id string) {
	t.Helper()
	var header http.Header
	if _, err := c.GetUser(t.Context(), id, portsideclient.SaveHeader(&header)); err != nil {
		t.Fatal(err)
	}
	etag := header.Get("ETag")
	change := portsideclient.UpdateUserJSONBody{Department: new("Analytical Engines")}
	changed, err := c.UpdateUser(t.Context(), id, change, portsideclient.IfMatch(etag))
	if err != nil || changed.Department != "Analytical Engines" {
		t.Errorf("changed %+v: %v", changed, err)
	}
	_, err = c.UpdateUser(t.Context(), id, change, portsideclient.IfMatch(etag))
	if refused, ok := errors.AsType[*portsideclient.Error](err); !ok || refused.Status != http.StatusPreconditionFailed {
		t.Errorf("an update of an older version is %v", err)
	}
}

// losesAnswers loses the first answer of each path after the service has sent it.
type losesAnswers struct {
	http.RoundTripper

	lost map[string]bool
	keys []string
}

func (l *losesAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	l.keys = append(l.keys, r.Header.Get("Idempotency-Key"))
	reply, err := l.RoundTripper.RoundTrip(r)
	if err != nil || l.lost[r.URL.Path] {
		return reply, err
	}
	l.lost[r.URL.Path] = true
	_, _ = io.Copy(io.Discard, reply.Body)
	_ = reply.Body.Close()
	return nil, io.ErrUnexpectedEOF
}

// testLostAnswer creates a user and an API key, and loses the first answers.
func testLostAnswer(t *testing.T, p *e2etest.Stack) {
	t.Helper()
	loses := &losesAnswers{RoundTripper: p.Conns, lost: map[string]bool{}}
	c := packageClient(t, p, loses)
	var header http.Header
	user, err := c.CreateUser(t.Context(), newMember("e@example.com"), portsideclient.SaveHeader(&header))
	if err != nil || header.Get("Idempotency-Replayed") != "true" {
		t.Fatalf("%+v with %v: %v", user, header, err)
	}
	key, err := c.CreateAPIKey(t.Context(), user.ID, portsideclient.CreateAPIKeyJSONBody{Name: "build server"})
	if err != nil {
		t.Fatal(err)
	}
	p.Secrets.Add(key.Key)
	keys, err := c.ListAPIKeys(t.Context(), user.ID)
	if err != nil || len(keys) != 1 || keys[0].ID != key.ID {
		t.Errorf("the user has the keys %+v: %v", keys, err)
	}
	if len(loses.keys) < 4 || loses.keys[0] == "" || loses.keys[0] != loses.keys[1] || loses.keys[2] != loses.keys[3] {
		t.Errorf("sent the idempotency keys %q", loses.keys)
	}
}

// testTokenAsCredential creates a token and lets it read itself.
func testTokenAsCredential(t *testing.T, p *e2etest.Stack, c *portsideclient.Client) {
	t.Helper()
	made, err := c.CreateToken(t.Context(),
		portsideclient.CreateTokenJSONBody{Name: "nightly build", Scopes: []string{"read:helm-charts"}})
	if err != nil {
		t.Fatal(err)
	}
	p.Secrets.Add(made.Token)
	holder, err := portsideclient.New(p.Info.API, made.Token, portsideclient.WithTransport(p.Conns))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := holder.GetToken(t.Context(), made.ID); err != nil || got.Name != "nightly build" {
		t.Errorf("the token reads %+v: %v", got, err)
	}
}

// testForm sends a file, for an answer at once and for a job.
func testForm(t *testing.T, c *portsideclient.Client) {
	t.Helper()
	form := &portsideclient.Form{}
	form.SetFile("file", "report.txt", []byte("The buoy was delivered in March. It has floated since then."))
	if answer, err := c.SummarizeMedia(t.Context(), nil, form); err != nil || !strings.Contains(answer.Summary, "buoy") {
		t.Errorf("the summary is %+v: %v", answer, err)
	}
	job, err := c.StartSummarizeMedia(t.Context(), nil, form)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.GetJob(t.Context(), job.ID); err != nil || got.ID != job.ID {
		t.Errorf("the job is %+v: %v", got, err)
	}
}

// testOtherLists reads the lists that are empty in a new stack.
func testOtherLists(t *testing.T, c *portsideclient.Client) {
	t.Helper()
	wantEmpty(t, c.AllCustomers(t.Context(), nil))
	customer, err := c.CreateCustomer(t.Context(), portsideclient.CreateCustomerJSONBody{Name: "Acme", Slug: "acme"})
	if err != nil {
		t.Fatal(err)
	}
	wantEmpty(t, c.AllEntitlements(t.Context(), customer.ID, nil))
	wantEmpty(t, c.AllTrustPolicies(t.Context(), customer.ID, nil))
	wantEmpty(t, c.AllProjects(t.Context(), nil))
	wantEmpty(t, c.AllPulls(t.Context(), nil))
	wantEmpty(t, c.AllCharts(t.Context(), nil))
	wantEmpty(t, c.AllImageRepositories(t.Context(), nil))
	wantEmpty(t, c.AllCredentialRequests(t.Context(), nil))
}

func wantEmpty[T any](t *testing.T, list iter.Seq2[T, error]) {
	t.Helper()
	for item, err := range list {
		t.Errorf("the list has %+v: %v", item, err)
	}
}
