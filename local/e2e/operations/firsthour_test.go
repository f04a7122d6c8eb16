package operations

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/local/e2e/e2etest"
)

// firstHourSteps are the steps of `smoke-test --first-hour` in their order.
var firstHourSteps = []string{
	"health", "login", "user", "token", "chart", "image", "extraction", "audit log", "registry", "customer", "catalog", "image list", "heads",
	"paths", "mail", "overwrite", "exchange", "old address", "pull log", "hosts",
}

// skippedLocally are the steps that cannot work on a new local stack: it has no sealed hours and no domain.
var skippedLocally = []string{"audit log", "overwrite", "old address"}

// firstHourLine is the line of a step.
var firstHourLine = regexp.MustCompile(`(?m)^(\w[\w ]{10}) +(ok|failed|skipped) +\d+ ms  (.*)$`)

// firstHour is a run of the command.
type firstHour struct {
	stdout, stderr string
	outcomes       map[string][]string // names of the steps by outcome, in order
	code           int
}

// firstHourStack is a stack of the test's own, because others would see the users and customers of the runs.
type firstHourStack struct {
	*e2etest.Stack

	places chan struct{} // limits the runs at the same time to fewer than the places of smoke tests
}

// command returns the command with a mail to a user of this name.
func (p firstHourStack) command(t *testing.T, operator string, arguments ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), e2etest.Portside, append([]string{
		"smoke-test", "--local", p.Data, "--image-repository", "acme/probe", "--first-hour", "--mail-to", p.Email(operator),
	}, arguments...)...)
}

func (p firstHourStack) run(t *testing.T, operator string, arguments ...string) firstHour {
	t.Helper()
	p.places <- struct{}{}
	defer func() { <-p.places }()
	command := p.command(t, operator, arguments...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	_ = command.Run() // the exit code says it
	return readFirstHour(stdout.String(), stderr.String(), command.ProcessState.ExitCode())
}

func readFirstHour(stdout, stderr string, code int) firstHour {
	run := firstHour{stdout: stdout, stderr: stderr, outcomes: map[string][]string{}, code: code}
	for _, line := range firstHourLine.FindAllStringSubmatch(stdout, -1) {
		run.outcomes[line[2]] = append(run.outcomes[line[2]], strings.TrimSpace(line[1]))
	}
	return run
}

func TestFirstHour(t *testing.T) {
	p := firstHourStack{e2etest.Start(t), make(chan struct{}, 4)}
	for name, test := range map[string]func(*testing.T, firstHourStack){
		"complete": testCompleteFirstHour, "broken": testBrokenFirstHours, "stopped": testStoppedFirstHours,
		"domain": testFirstHourWithDomain, "taken": testFirstHourWithTakenAddress,
	} {
		t.Run(name, func(t *testing.T) { test(t, p) })
		p.wantNothingLeft(t)
	}
}

func testCompleteFirstHour(t *testing.T, p firstHourStack) {
	t.Helper()
	got := p.run(t, "operator-complete")
	want := slices.DeleteFunc(slices.Clone(firstHourSteps), func(step string) bool { return slices.Contains(skippedLocally, step) })
	if got.code != 0 || !slices.Equal(got.outcomes["ok"], want) || !slices.Equal(got.outcomes["skipped"], skippedLocally) {
		t.Errorf("exit code %d, %q, %s%s", got.code, got.outcomes, got.stdout, got.stderr)
	}
	for _, text := range []string{
		"customers must allow " + p.Host() + ", " + strings.TrimPrefix(p.Info.S3, "http://") + "\n",
		"STACK=portside API=" + p.Info.API + " HOST=" + p.Host() + " REPOSITORY=acme/probe\n",
		"aws lambda list-function-event-invoke-configs", "aws athena start-query-execution",
	} {
		if !strings.Contains(got.stdout, text) {
			t.Errorf("the output lacks %q:\n%s", text, got.stdout)
		}
	}
	if _, mails := p.Mail.Newest(t, "operator-complete"); mails != 1 {
		t.Errorf("the operator got %d mails, want 1", mails)
	}
}

// wantNothingLeft checks that the runs have left no user, customer or chart.
func (p firstHourStack) wantNothingLeft(t *testing.T) {
	t.Helper()
	for _, path := range []string{
		"/v1/users/search?q=smoke", "/v1/users/search?q=success", "/v1/users/search?q=operator", "/v1/customers/search?q=portside-smoke-test",
	} {
		p.Admin(t).Get(path).WantStatus(http.StatusOK).WantValue("data", []any{})
	}
	bucket, prefix := p.Info.Buckets["ChartsBucket"], "charts/portside-smoke-test"
	objects, err := p.Operator.S3().ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &prefix})
	if err != nil || len(objects.Contents) > 0 {
		t.Errorf("%d charts are left, error %v", len(objects.Contents), err)
	}
}

// breakage changes one behavior of the service.
type breakage struct {
	name    string
	matches func(r *http.Request) bool
	// request changes the request before the service gets it; may be nil.
	request func(r *http.Request)
	// response changes the response of the service; may be nil.
	response func(response *http.Response)
	failed   []string // steps that fail
}

func onPath(method, path string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		return (method == "" || r.Method == method) && regexp.MustCompile("^"+path+"$").MatchString(r.URL.EscapedPath())
	}
}

func withStatus(status int, body string) func(*http.Response) {
	return func(response *http.Response) {
		response.StatusCode = status
		setBody(response, body)
	}
}

func setBody(response *http.Response, body string) {
	response.Body = io.NopCloser(strings.NewReader(body))
	response.Header.Set("Content-Length", strconv.Itoa(len(body)))
	response.ContentLength = int64(len(body))
}

// replacing replaces a text in the body.
func replacing(before, after string) func(*http.Response) {
	return func(response *http.Response) {
		body, _ := io.ReadAll(response.Body) // a shorter text fails the test
		setBody(response, strings.ReplaceAll(string(body), before, after))
	}
}

func withoutHeader(name string) func(*http.Response) {
	return func(response *http.Response) { response.Header.Del(name) }
}

// breakages are what each step must find. Each breaks only one behavior.
func breakages() []breakage {
	manifest, missing := "/v2/acme/probe/manifests/.*", withStatus(http.StatusNotFound, "{}")
	return []breakage{
		{"a wrong key is accepted", onPath("GET", "/v1/users"), nil, withStatus(http.StatusOK, "{}"), []string{"login"}},
		{"another user is returned", onPath("GET", "/v1/users/[0-9a-f-]*"), nil, replacing(`"id":"`, `"id":"x`), []string{"user"}},
		{"no tokens", onPath("POST", "/api/v1/tokens"), nil, withStatus(http.StatusInternalServerError, "{}"), []string{"token", "customer"}},
		{"changed charts", onPath("GET", "/charts/.*tgz"), nil, withStatus(http.StatusOK, "x"), []string{"chart", "paths"}},
		{"changed manifests", onPath("GET", manifest), nil, replacing("schemaVersion", "x"), []string{"image"}},
		{"wrong date", onPath("POST", "/v1/capabilities/extract"), nil, replacing("2026-03-03", "2026-03-04"), []string{"extraction"}},
		{"no route with a slash", onPath("GET", "/v2/"), nil, missing, []string{"registry"}},
		{"no challenge", onPath("GET", "/v2/"), nil, withoutHeader("Www-Authenticate"), []string{"registry"}},
		{"entitlements without effect", onPath("POST", "/v1/customers/.*/entitlements"), intoNothing, withStatus(http.StatusCreated, "{}"),
			[]string{"customer"}},
		{"no catalog", onPath("GET", "/v2/_catalog"), nil, missing, []string{"catalog"}},
		{"empty catalog", onPath("GET", "/v2/_catalog"), nil, replacing(`"acme/probe"`, ""), []string{"catalog"}},
		{"catalog for all", onPath("GET", "/v2/_catalog"), nil, replacing(`"acme/probe"`, `"acme/probe","acme/secret"`), []string{"catalog"}},
		{"no image list", onPath("GET", "/v1/images"), nil, missing, []string{"image list"}},
		{"image list for all", onPath("GET", "/v1/images"), nil, replacing(`"data":[`, `"data":[{"repository":"x"},`), []string{"image list"}},
		{"HEAD without a length", onPath("HEAD", manifest), nil, func(response *http.Response) {
			response.Header.Del("Content-Length")
			response.ContentLength = -1
		}, []string{"heads"}},
		{"HEAD with the length 0", onPath("HEAD", "/v2/acme/probe/blobs/.*"), nil, withStatus(http.StatusOK, ""), []string{"heads"}},
		{"HEAD without a digest", onPath("HEAD", manifest), nil, withoutHeader("Docker-Content-Digest"), []string{"heads"}},
		{"%2F is not decoded", onPath("", ".*%2F.*"), replacingPath("%2F", "%252F"), nil, []string{"paths"}},
		{"%2F is decoded twice", onPath("", ".*%252F.*"), replacingPath("%252F", "%2F"), nil, []string{"paths"}},
		{"%3F does not end a path", onPath("", ".*%3F.*"), replacingPath("%3F", "-"), nil, []string{"paths"}},
		{"%25 is refused", onPath("", ".*%25"), nil, withStatus(http.StatusBadGateway, "{}"), []string{"paths"}},
		{"+ is a space", onPath("", `.*\+.*`), replacingPath("+", "%20"), nil, []string{"paths"}},
		{"%2B is a space", onPath("", ".*%2B.*"), replacingPath("%2B", "%20"), nil, []string{"paths"}},
		{"SES refuses", onPath("GET", "/v1/users/.*/invitation"), nil, replacing(`"sent"`, `"waiting"`), []string{"mail"}},
		{"each token is exchanged", onPath("POST", "/api/v1/token-exchange"), nil, func(response *http.Response) { response.StatusCode = http.StatusOK },
			[]string{"exchange"}},
		{"no token is exchanged", onPath("POST", "/api/v1/token-exchange"), nil, withStatus(http.StatusBadRequest, "{}"), []string{"exchange"}},
		{"exchanged tokens do not work", onPath("POST", "/api/v1/token-exchange"), nil, replacing("pst_", "pst_x"), []string{"exchange"}},
		{"no pull log", onPath("GET", "/api/v1/pulls"), nil, missing, []string{"pull log"}},
		{"no policy of the portal", onPath("GET", "/portal/.*"), nil, withoutHeader("Content-Security-Policy"), []string{"hosts"}},
	}
}

// intoNothing makes the service refuse a request, so that it has no effect.
func intoNothing(r *http.Request) { r.Header.Del("X-Api-Key") }

func replacingPath(before, after string) func(*http.Request) {
	return func(r *http.Request) {
		path := strings.Replace(r.URL.EscapedPath(), before, after, 1)
		r.URL.RawPath = path
		r.URL.Path, _ = url.PathUnescape(path) // both are valid
	}
}

// broken serves the stack with one behavior broken.
func (b breakage) broken(t *testing.T, p firstHourStack) (address string) {
	t.Helper()
	target, err := url.Parse(p.Info.API)
	if err != nil {
		t.Fatal(err)
	}
	type matched struct{}
	proxy := &httputil.ReverseProxy{
		Transport: p.Conns,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = target.Scheme, target.Host, target.Host
			if b.matches(r.In) {
				r.Out = r.Out.WithContext(context.WithValue(r.Out.Context(), matched{}, true))
				if b.request != nil {
					b.request(r.Out)
				}
			}
		},
		ModifyResponse: func(response *http.Response) error {
			if b.response != nil && response.Request.Context().Value(matched{}) != nil {
				b.response(response)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Method == http.MethodPost {
				t.Errorf("the command gave up %s: %v", r.URL.Path, err)
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

// testBrokenFirstHours runs the command against proxies, each of which breaks one behavior of the stack. Exactly the
// steps for it fail.
func testBrokenFirstHours(t *testing.T, p firstHourStack) {
	t.Helper()
	isFound := map[string]bool{}
	t.Run("runs", func(t *testing.T) {
		for i, b := range breakages() {
			for _, step := range b.failed {
				isFound[step] = true
			}
			t.Run(b.name, func(t *testing.T) {
				t.Parallel()
				got := p.run(t, fmt.Sprint("operator-", i), "--url", b.broken(t, p))
				if failed := got.outcomes["failed"]; got.code != 1 || !slices.Equal(failed, b.failed) {
					t.Errorf("exit code %d, the steps %q failed, want %q\n%s%s", got.code, failed, b.failed, got.stdout, got.stderr)
				}
				if !strings.Contains(got.stdout, "; next: ") ||
					!strings.Contains(got.stderr, "steps failed: "+strings.Join(b.failed, ", ")) {
					t.Errorf("%s%s", got.stdout, got.stderr)
				}
			})
		}
	})
	for _, step := range firstHourSteps[1:] { // TestSmokeTest is about health
		if !isFound[step] && !slices.Contains(skippedLocally, step) {
			t.Errorf("no breakage fails the step %q", step)
		}
	}
}

func testFirstHourWithDomain(t *testing.T, p firstHourStack) {
	t.Helper()
	for status, outcome := range map[int]string{http.StatusOK: "failed", http.StatusNotFound: "ok",
		http.StatusForbidden: "ok", 0: "failed"} {
		gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		if status == 0 {
			gateway.Close()
		}
		got := p.run(t, fmt.Sprint("operator-", status), "--execute-api", gateway.URL)
		if !slices.Contains(got.outcomes[outcome], "old address") {
			t.Errorf("with the status %d: %s%s", status, got.stdout, got.stderr)
		}
		gateway.Close()
	}
}

func testFirstHourWithTakenAddress(t *testing.T, p firstHourStack) {
	t.Helper()
	p.Users.Create(t, "ada", "viewer")
	got := p.run(t, "ada")
	const advice = "next: pass an address that no user has with --mail-to"
	if !slices.Equal(got.outcomes["failed"], []string{"mail"}) || !strings.Contains(got.stdout, advice) {
		t.Errorf("%s%s", got.stdout, got.stderr)
	}
	p.Admin(t).Get("/v1/users?email="+url.QueryEscape(p.Email("ada"))).WantValue("pagination.total", 1)
}

// testStoppedFirstHours presses Ctrl-C in the middle of requests that create something, and of one that does not. The
// service gets the request only after the command has begun to stop. A command that gives up a change could leave
// something behind.
func testStoppedFirstHours(t *testing.T, p firstHourStack) {
	t.Helper()
	for _, at := range []func(*http.Request) bool{
		onPath("POST", "/v1/customers"), onPath("POST", "/v1/customers/.*/trust-policies"), onPath("POST", "/v1/users"),
		onPath("POST", "/api/v1/token-exchange"), onPath("GET", "/charts/index.yaml"),
	} {
		got := p.interrupt(t, at)
		if got.code != 130 || strings.Contains(got.stdout, "What remains") {
			t.Errorf("exit code %d, %s%s", got.code, got.stdout, got.stderr)
		}
		p.wantNothingLeft(t)
	}
}

// interrupt runs the command and interrupts it at the first request that matches.
func (p firstHourStack) interrupt(t *testing.T, at func(*http.Request) bool) firstHour {
	t.Helper()
	var command *exec.Cmd
	var once sync.Once
	started, stopping := make(chan struct{}), make(chan struct{})
	b := breakage{matches: func(r *http.Request) bool {
		if at(r) {
			once.Do(func() {
				<-started
				if err := command.Process.Signal(os.Interrupt); err != nil {
					t.Error(err)
				}
				select {
				case <-stopping:
				case <-r.Context().Done(): // it has ended otherwise
				}
			})
		}
		return false
	}}
	command = p.command(t, "operator", "--url", b.broken(t, p))
	var stdout bytes.Buffer
	stderr := &announcer{text: "stopping:", found: stopping}
	command.Stdout, command.Stderr = &stdout, stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	close(started)
	_ = command.Wait() // the exit code says it
	return readFirstHour(stdout.String(), stderr.got.String(), command.ProcessState.ExitCode())
}

// announcer keeps the written bytes, and closes found when they contain text.
type announcer struct {
	got   bytes.Buffer
	text  string
	found chan struct{}
}

// Write implements io.Writer. Only one goroutine of os/exec calls it.
func (a *announcer) Write(p []byte) (int, error) {
	had := strings.Contains(a.got.String(), a.text)
	a.got.Write(p)
	if !had && strings.Contains(a.got.String(), a.text) {
		close(a.found)
	}
	return len(p), nil
}
