package e2e

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// customerStack is a running stack with charts and images for customers.
type customerStack struct {
	*testStack

	upstream         string // host and port of the upstream registry
	upstreamPassword string
	dir              string // has a folder for each machine; podman needs short paths
	machines         atomic.Int32
	images           images
	vendor           machine // has the charts' archives and the keyrings
	customer         client  // a manager, who can create tokens
	customerID       string
}

// startCustomerStack starts a stack and publishes charts and images.
func startCustomerStack(t *testing.T) *customerStack {
	t.Helper()
	p := newTestStack(t)
	p.start(t, noRateLimit())
	password, err := os.ReadFile(filepath.Join(p.data, "registry-password"))
	if err != nil {
		t.Fatal(err)
	}
	at, key := p.activateUser(t, "customer@example.com", "manager")
	m := &customerStack{
		testStack: p, upstream: strings.TrimPrefix(p.info.Registry, "http://"), upstreamPassword: strings.TrimSpace(string(password)),
		customer: p.anonymous(t).as(key), customerID: path.Base(at), dir: t.TempDir(),
	}
	p.secrets.add(m.upstreamPassword)
	m.pushImages(t)
	m.publishCharts(t)
	return m
}

// host returns the service's host and port.
func (m *customerStack) host() string { return strings.TrimPrefix(m.info.API, "http://") }

// login is a user name and password.
type login struct{ name, password string }

// createToken creates an access token, which works with any user name.
func (m *customerStack) createToken(t *testing.T, scopes ...string) login {
	t.Helper()
	body := `{"name":"e2e","scopes":["` + strings.Join(scopes, `","`) + `"],"expiration_days":1}`
	made := m.customer.For(t).Post("/api/v1/tokens", body).WantStatus(http.StatusCreated)
	return login{"any-name", made.Text("data.token")}
}

// requestPassword obtains a user name and password by a credential request, its approval and the
// mailed link.
func (m *customerStack) requestPassword(t *testing.T, level string) login {
	t.Helper()
	const requests, requester = "/api/v1/credential-requests", "customer@example.com"
	made := m.customer.For(t).Post(requests, `{"accessLevel":"`+level+`","justification":"e2e"}`).
		WantStatus(http.StatusCreated)
	m.admin(t).Post(requests+"/"+made.Text("data.id")+"/approve", `{}`).WantStatus(http.StatusOK)
	_, link := m.mailedLink(t, requester)
	got := m.anonymous(t).Post(requests+"/collect", `{"token":"`+link+`"}`).WantStatus(http.StatusOK)
	return login{got.Text("data.username"), got.Text("data.password")}
}

// id returns the public part of a credential.
func (l login) id() string { return strings.Split(l.password, "_")[1] }

func (m *customerStack) revoke(t *testing.T, l login) login {
	t.Helper()
	m.customer.For(t).Delete("/api/v1/tokens/" + l.id()).WantStatus(http.StatusNoContent)
	return l
}

// expire sets the token's expiry to a second ago.
func (m *customerStack) expire(t *testing.T, l login) login {
	t.Helper()
	db := dynamodb.New(dynamodb.Options{Region: m.info.Region, BaseEndpoint: &m.info.DynamoDB, Credentials: m.engineKeys()})
	_, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(m.info.Tables["CredentialsTable"]),
		Key: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "credential#" + l.id()},
			"sk": &types.AttributeValueMemberS{Value: "credential"},
		},
		UpdateExpression: aws.String("SET expires = :past"), ConditionExpression: aws.String("attribute_exists(expires)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":past": &types.AttributeValueMemberN{Value: strconv.FormatInt(now().Add(-time.Second).UnixMilli(), 10)},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// machine is a customer's computer. Its programs do not see the settings of the machine that runs
// the test.
type machine struct {
	*customerStack
	login
	dir   string
	input string // standard input of its programs
}

// machine returns a new computer whose user has the login.
func (m *customerStack) machine(t *testing.T, l login) machine {
	t.Helper()
	c := machine{customerStack: m, login: l, dir: filepath.Join(m.dir, strconv.Itoa(int(m.machines.Add(1))))}
	for name, text := range map[string]string{
		"policy.json":     `{"default":[{"type":"insecureAcceptAnything"}]}`,
		"registries.conf": "",
		"run/none":        "",
		"tmp/none":        "",
	} {
		c.write(t, name, text)
	}
	return c
}

func (c machine) path(name string) string { return filepath.Join(c.dir, name) }

func (c machine) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(c.path(name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (c machine) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(c.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// withPasswordInput passes the password as standard input, so that it is not an argument.
func (c machine) withPasswordInput() machine {
	c.input = c.password
	return c
}

// environment has no proxy and no daemon, so docker itself performs the login.
func (c machine) environment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "TMPDIR=" + c.path("tmp"), "XDG_CONFIG_HOME=" + c.path("config"),
		"XDG_CACHE_HOME=" + c.path("cache"), "XDG_DATA_HOME=" + c.path("data"), "XDG_RUNTIME_DIR=" + c.path("run"),
		"DOCKER_HOST=unix://" + c.path("no-daemon"), "CONTAINERS_REGISTRIES_CONF=" + c.path("registries.conf"),
	}
}

// result is the exit and the standard output of a program.
type result struct {
	exit
	stdout string
}

// run runs a client and checks that its output does not leak internal information.
func (c machine) run(t *testing.T, name string, args ...string) result {
	t.Helper()
	r := c.execute(t, name, args...)
	c.checkNoLeak(t, name, []byte(r.output))
	return r
}

// programTimeout bounds the run of a program. It is long, because several run at the same time, also on a busy machine.
const programTimeout = 5 * time.Minute

func (c machine) execute(t *testing.T, name string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programTimeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, installed(name), args...)
	command.Dir, command.Env, command.Stdin = c.dir, c.environment(), strings.NewReader(c.input)
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	printed := stdout.String() + stderr.String()
	t.Logf("%s %s: %v\n%s", name, strings.Join(args, " "), err, printed)
	if command.ProcessState == nil {
		t.Fatalf("%v: run `make clients` first", err)
	}
	return result{exit{command.ProcessState.ExitCode(), printed}, stdout.String()}
}

// installed returns the path of the client that `make clients` has installed, or the name of the
// machine's.
func installed(name string) string {
	fetched, err := filepath.Abs(filepath.Join(repository, ".local", "bin", name))
	if err == nil {
		if _, err = os.Stat(fetched); err == nil {
			return fetched
		}
	}
	return name
}

// checkNoLeak checks that a text contains neither the upstream's address nor a secret, not even the
// client's own.
func (m *customerStack) checkNoLeak(t *testing.T, what string, text []byte) {
	t.Helper()
	m.checkNoSecretIn(t, what, text)
	text = bytes.ReplaceAll(text, []byte("sha256:"), []byte("sha256 ")) // a digest may begin like a port
	for _, address := range []string{m.info.Registry, m.info.ECR} {
		port := address[strings.LastIndex(address, ":"):]
		if regexp.MustCompile(`[\w.\]]` + port + `\b`).Match(text) { // a number in JSON follows a quote and a colon
			t.Errorf("%s contains the upstream's address %s: %s", what, address, text)
		}
	}
}
