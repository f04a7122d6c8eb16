package e2e

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// market is a running stack with charts and images for customers, who are known by what they present.
type market struct {
	*portal

	upstream         string // the registry behind the gateway: its host and port
	upstreamPassword string
	dir              string // with a folder for each machine; podman wants short names
	machines         atomic.Int32
	images           images
	vendor           machine // with the charts' archives and the keyrings
	customer         client  // with an API key: a manager, who makes tokens
	customerID       string
}

// openMarket starts a stack, and publishes everything.
func openMarket(t *testing.T) *market {
	t.Helper()
	p := newPortal(t)
	p.start(t, new(int))
	password, err := os.ReadFile(filepath.Join(p.data, "registry-password"))
	if err != nil {
		t.Fatal(err)
	}
	at, key := p.user(t, "customer@example.com", "manager")
	m := &market{
		portal: p, upstream: strings.TrimPrefix(p.info.Registry, "http://"), upstreamPassword: strings.TrimSpace(string(password)),
		customer: p.visitor(t).as(key), customerID: path.Base(at), dir: t.TempDir(),
	}
	p.secrets.keep(m.upstreamPassword)
	m.pushImages(t)
	m.publishCharts(t)
	return m
}

// host is the name of the service as container tools know it.
func (m *market) host() string { return strings.TrimPrefix(m.info.API, "http://") }

// login is what a client presents.
type login struct{ name, password string }

// token makes an access token, which takes any user name.
func (m *market) token(t *testing.T, scopes ...string) login {
	t.Helper()
	body := `{"name":"e2e","scopes":["` + strings.Join(scopes, `","`) + `"],"expiration_days":1}`
	made := m.customer.at(t).post("/api/v1/tokens", body).is(http.StatusCreated)
	return login{"any-name", made.text("data.token")}
}

// collected is a user name and password, by request, approval and mail.
func (m *market) collected(t *testing.T, level string) login {
	t.Helper()
	const requests, requester = "/api/v1/credential-requests", "customer@example.com"
	made := m.customer.at(t).post(requests, `{"accessLevel":"`+level+`","justification":"e2e"}`).is(http.StatusCreated)
	m.root(t).post(requests+"/"+made.text("data.id")+"/approve", `{}`).is(http.StatusOK)
	_, link := m.invite(t, requester)
	got := m.visitor(t).post(requests+"/collect", `{"token":"`+link+`"}`).is(http.StatusOK)
	return login{got.text("data.username"), got.text("data.password")}
}

// id is the public part of a credential.
func (l login) id() string { return strings.Split(l.password, "_")[1] }

func (m *market) revoke(t *testing.T, l login) login {
	t.Helper()
	m.customer.at(t).delete("/api/v1/tokens/" + l.id()).is(http.StatusNoContent)
	return l
}

// expire lets a token end a second ago, which would take a day otherwise.
func (m *market) expire(t *testing.T, l login) login {
	t.Helper()
	db := dynamodb.New(dynamodb.Options{Region: m.info.Region, BaseEndpoint: &m.info.DynamoDB, Credentials: m.keys()})
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

// keys are those of the local engines.
func (m *market) keys() aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: m.info.AccessKeyID, SecretAccessKey: m.info.SecretAccessKey}, nil
	})
}

// machine is a customer's computer: nothing of this one's settings reaches the programs that run there.
type machine struct {
	*market
	login
	dir   string
	input string // what its programs read
}

// machine sets up a computer whose user has the login.
func (m *market) machine(t *testing.T, l login) machine {
	t.Helper()
	c := machine{market: m, login: l, dir: filepath.Join(m.dir, strconv.Itoa(int(m.machines.Add(1))))}
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

// typing has the password be the input, so that it is no argument.
func (c machine) typing() machine {
	c.input = c.password
	return c
}

// environment names no proxy, and no daemon: docker then logs in by itself.
func (c machine) environment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "TMPDIR=" + c.path("tmp"), "XDG_CONFIG_HOME=" + c.path("config"),
		"XDG_CACHE_HOME=" + c.path("cache"), "XDG_DATA_HOME=" + c.path("data"), "XDG_RUNTIME_DIR=" + c.path("run"),
		"DOCKER_HOST=unix://" + c.path("no-daemon"), "CONTAINERS_REGISTRIES_CONF=" + c.path("registries.conf"),
	}
}

// ran is what a program did.
type ran struct {
	outcome
	stdout string
}

// run runs a client to its end, and checks that it was told nothing that customers should not know.
func (c machine) run(t *testing.T, name string, args ...string) ran {
	t.Helper()
	r := c.execute(t, name, args...)
	c.unsaid(t, name, []byte(r.printed))
	return r
}

func (c machine) execute(t *testing.T, name string, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
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
	return ran{outcome{command.ProcessState.ExitCode(), printed}, stdout.String()}
}

// installed is the client that `make clients` has fetched, else the machine's.
func installed(name string) string {
	fetched, err := filepath.Abs(filepath.Join(repository, ".local", "bin", name))
	if err == nil {
		if _, err = os.Stat(fetched); err == nil {
			return fetched
		}
	}
	return name
}

// unsaid checks that a text says nothing of the upstream, and no secret at all: a client has no need to print its own.
func (m *market) unsaid(t *testing.T, what string, text []byte) {
	t.Helper()
	m.lookInto(t, what, text)
	text = bytes.ReplaceAll(text, []byte("sha256:"), []byte("sha256 ")) // some digest may begin like a port
	for _, address := range []string{m.info.Registry, m.info.ECR} {
		port := address[strings.LastIndex(address, ":"):]
		if bytes.Contains(text, []byte(port)) {
			t.Errorf("%s has the address %s of the upstream: %s", what, address, text)
		}
	}
}
