package smoketest

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/core/principal"
	"portside/shared/customers"
	"portside/shared/users"
)

// A change that the command gives up could be made after the clean-up.
func TestDoesNotGiveUpChanges(t *testing.T) {
	for method, want := range map[string]error{http.MethodGet: context.Canceled, http.MethodPost: nil, http.MethodDelete: nil} {
		ctx, cancel := context.WithCancel(t.Context())
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			cancel()
			if want != nil {
				<-r.Context().Done()
			}
			w.WriteHeader(http.StatusCreated)
		}))
		t.Cleanup(server.Close)
		client := newClient(server.URL)
		if _, _, err := client.send(ctx, request{method: method, path: "/", want: http.StatusCreated}); !errors.Is(err, want) {
			t.Errorf("a %s that is interrupted: error %v, want %v", method, err, want)
		}
		if _, _, err := client.send(ctx, request{method: method, path: "/"}); !errors.Is(err, context.Canceled) {
			t.Errorf("a %s after the interruption: error %v", method, err)
		}
	}
}

// createCustomer creates what a test creates in the first hour.
func (o *testStack) createCustomer(s *trial) {
	o.T.Helper()
	service := customers.NewService(s.Customers, installation.NewID, s.Now)
	created, err := service.Create(o.T.Context(), customers.CreateOptions{Caller: principal.Operator()},
		customers.NewCustomer{Name: "Smoke test", Slug: s.names.customer})
	if err != nil {
		o.T.Fatal(err)
	}
	s.customerID = created.Customer.ID
	if _, err := s.createMember(o.T.Context()); err != nil {
		o.T.Fatal(err)
	}
	_, err = s.service().Create(o.T.Context(), users.CreateOptions{Caller: principal.Operator()}, users.NewUser{
		Email: "operator-" + s.names.customer + "@example.com", Name: "Smoke test", Role: principal.Viewer, CustomerID: s.customerID,
	})
	if err != nil {
		o.T.Fatal(err)
	}
}

// customersLeft returns the number of customers.
func (o *testStack) customersLeft() int64 {
	o.T.Helper()
	page, err := o.Tables.Customers.List(o.T.Context(), customers.Query{Limit: 1})
	if err != nil {
		o.T.Fatal(err)
	}
	return page.Total
}

func TestFirstHourRemovesItsCustomer(t *testing.T) {
	o := newTestStack(t)
	o.Expect(o.Bootstrap(), operator.ExitDone, "")
	before := o.UserEmails()
	s := o.mustSignUp()
	o.createProbe(s)
	o.createCustomer(s)
	for range 2 { // it can be repeated
		if err := s.cleanUp(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if after := o.UserEmails(); o.customersLeft() != 0 || len(after) != len(before) {
		t.Errorf("%d customers and the users %q are left", o.customersLeft(), after)
	}
}

// A test that was killed, or whose clean-up failed, leaves a customer behind, with or without the admin of its place.
func TestFirstHourRemovesLeftoverCustomers(t *testing.T) {
	o := newTestStack(t)
	o.Expect(o.Bootstrap(), operator.ExitDone, "")
	killed := o.mustSignUp()
	o.createCustomer(killed)
	o.Clock = o.Clock.Add(leftoverAge)
	second := o.mustSignUp()
	if o.customersLeft() != 0 {
		t.Error("the customer of a killed test is left")
	}
	o.createProbe(second)
	o.createCustomer(second)
	if err := second.removeUser(t.Context(), second.admin.ID); err != nil {
		t.Fatal(err)
	}
	third := o.mustSignUp()
	if third.names != second.names || o.customersLeft() != 0 || len(o.trialUsers()) != 1 {
		t.Errorf("%d customers and the users %q are left", o.customersLeft(), o.trialUsers())
	}
}

// runFirstHourSteps runs steps, and returns the output.
func runFirstHourSteps(ctx context.Context, s *trial, steps []step) (output string, err error) {
	s.api = newClient("https://portal.example.com")
	err = s.runEveryStep(ctx, steps)
	return s.Stdout.(*bytes.Buffer).String(), err
}

func TestFirstHourRunsAllStepsThatCanRun(t *testing.T) {
	ending := func(name, result string, err error) step {
		return step{name: name, next: "do that", run: func(context.Context) (string, error) { return result, err }}
	}
	output, err := runFirstHourSteps(t.Context(), newTrial(newTestStack(t).Stack), []step{
		ending("a", "fine", nil), ending("b", "", errors.New("two\nlines")), ending("c", "", skippedStep("no reason")),
		ending("d", "wrong", nil).after("a", "b"), ending("e", "wrong", nil).after("c"), ending("f", "wrong", nil).after("e"),
		ending("g", "after a", nil).after("a"),
	})
	want := `a            ok            0 ms  fine
b            failed        0 ms  two lines; next: do that
c            skipped       0 ms  no reason
d            skipped       0 ms  not tried, because the step b failed
e            skipped       0 ms  not tried, because the step c was skipped
f            skipped       0 ms  not tried, because the step e was skipped
g            ok            0 ms  after a
`
	if got, _, _ := strings.Cut(output, "\n# What remains"); got != want {
		t.Errorf("the output is\n%s\nwant\n%s", got, want)
	}
	if err == nil || err.Error() != "1 of 8 steps failed: b" {
		t.Errorf("error %v", err)
	}
}

func TestFirstHourStopsWhenItIsInterrupted(t *testing.T) {
	s := newTrial(newTestStack(t).Stack)
	ctx, cancel := context.WithCancel(t.Context())
	output, err := runFirstHourSteps(ctx, s, []step{
		{name: "a", run: func(within context.Context) (string, error) {
			cancel()
			<-within.Done()
			return "", within.Err()
		}},
		{name: "b", run: func(context.Context) (string, error) {
			t.Error("a step ran after the interruption")
			return "", nil
		}},
	})
	if output != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, the output is %s", err, output)
	}
}

// Each step of the first hour says what to do next, and needs only steps before it.
func TestFirstHourSteps(t *testing.T) {
	seen := map[string]bool{}
	for _, step := range (&trial{}).firstHourSteps() {
		if step.next == "" || seen[step.name] {
			t.Errorf("the step %q is there twice, or does not say what to do next", step.name)
		}
		for _, name := range step.needs {
			if !seen[name] {
				t.Errorf("the step %q needs %q, which is not before it", step.name, name)
			}
		}
		seen[step.name] = true
	}
}

// The list is a script, whatever the names are.
func TestFirstHourListIsAScript(t *testing.T) {
	o := newTestStack(t)
	s := newTrial(o.Stack)
	s.Names.Users, s.repository = "portside-staging-UsersTable-r1", `acme/it's "a" $(test)`
	s.Config.Region, s.api = "eu-central-1", newClient("https://portal.example.com:8443/")
	if err := s.printRemaining(); err != nil {
		t.Fatal(err)
	}
	output := s.Stdout.(*bytes.Buffer)
	for _, want := range []string{
		"AWS_REGION=eu-central-1 ", "\nSTACK=portside-staging API=https://portal.example.com:8443 HOST=portal.example.com:8443 REPOSITORY='acme/it'\\''s ",
	} {
		if !strings.Contains(output.String(), want) {
			t.Errorf("the list lacks %q:\n%s", want, output)
		}
	}
	shell := exec.CommandContext(t.Context(), "bash", "-n")
	shell.Stdin = output
	if message, err := shell.CombinedOutput(); err != nil {
		t.Errorf("the list is no script: %v %s", err, message)
	}
}

// policed serves S3 with the policy of AuditBucket, unless it is off.
func policed(t *testing.T, address string, isOff bool) string {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // it is signed
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && r.Header.Get("If-None-Match") == "" && !isOff {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestFirstHourTriesToOverwriteASeal(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.AddEvent(a.Now().Add(-5 * time.Hour))
	a.Seal(a.Now())
	opened, err := (&installation.Target{Local: a.Dir}).Open(t.Context(), operator.Process{})
	a.Must(err)
	s := newTrial(a.Stack)
	s.Tables = opened
	overwrite := func() string {
		t.Helper()
		result, err := s.checkOverwrite(t.Context())
		if err != nil {
			return err.Error()
		}
		return result
	}
	if got := overwrite(); !strings.HasPrefix(got, "the bucket refuses to overwrite seals/") {
		t.Errorf("on the local stack: %s", got)
	}
	address, bucket := opened.Stack.S3, opened.Stack.Buckets["AuditBucket"]
	opened.Stack, opened.Config.ConfigSources = installation.LocalStack{}, nil // as in the cloud; the sources name the local endpoint
	s.Lookup = func(string) (string, bool) { return bucket, true }
	for isOff, want := range map[bool]string{false: "the bucket refuses to overwrite seals/", true: `with If-None-Match "" was accepted`} {
		endpoint := policed(t, address, isOff)
		opened.Config.BaseEndpoint = &endpoint
		if got := overwrite(); !strings.Contains(got, want) {
			t.Errorf("without a policy: %v: %s, want %s", isOff, got, want)
		}
	}
	a.Expect(a.Run("verify-audit"), operator.ExitDone, "") // nothing was lost
}

func TestFirstHourFlags(t *testing.T) {
	o := newTestStack(t)
	o.Expect(o.Run("smoke-test", "--mail-to", "ada@example.com"), operator.ExitUsage, "--mail-to and --execute-api need --first-hour")
	o.Expect(o.Run("smoke-test", "--execute-api", "https://a.example"), operator.ExitUsage, "--mail-to and --execute-api need --first-hour")
}
