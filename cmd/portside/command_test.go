package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/projects"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// office is an operator with a local stack, which is the test's engine.
type office struct {
	t      *testing.T
	dir    string // DATA
	client *dynamodb.Client
	names  tableNames
	tables *tables
	clock  time.Time
}

// now is the clock of the commands that the office runs. It stands still.
func (o *office) now() time.Time { return o.clock }

func newOffice(t *testing.T) *office {
	t.Helper()
	client := awstest.DynamoDB(t)
	o := &office{t: t, dir: t.TempDir(), client: client, names: tableNames{
		users: awstest.Table(t, client, "UsersTable"), credentials: awstest.Table(t, client, "CredentialsTable"),
		projects: awstest.Table(t, client, "ProjectsTable"), analytics: awstest.Table(t, client, "AnalyticsTable"),
	}, clock: time.Date(2028, 3, 1, 15, 4, 5, 0, time.UTC)} // yesterday is a leap day
	o.tables = o.over(client)
	o.writeStack(localStack{
		API: "http://127.0.0.1:3999", DynamoDB: aws.ToString(client.Options().BaseEndpoint), Region: "us-east-1",
		AccessKeyID: "test", SecretAccessKey: "test",
		Tables: o.tableNames(),
	})
	holdLock(t, o.dir)
	return o
}

// over returns the stores over another client, such as one that fails.
func (o *office) over(client *dynamodb.Client) *tables {
	keys := credentialsdynamo.New(client, o.names.credentials)
	days := daycounts.In(o.names.analytics)
	return &tables{
		users: usersdynamo.New(client, o.names.users, keys, days), projects: projectsdynamo.New(client, o.names.projects, days),
		credentials: keys,
	}
}

// tableNames are the tables of the office's stack by their names in the template.
func (o *office) tableNames() map[string]string {
	return map[string]string{
		"UsersTable": o.names.users, "ProjectsTable": o.names.projects,
		"CredentialsTable": o.names.credentials, "AnalyticsTable": o.names.analytics,
	}
}

func (o *office) writeStack(stack localStack) {
	o.t.Helper()
	text, err := json.Marshal(stack)
	if err != nil {
		o.t.Fatal(err)
	}
	o.write("stack.json", string(text))
}

// holdLock stands for the running stack.
func holdLock(t *testing.T, dir string) {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
}

func (o *office) write(name, text string) (path string) {
	o.t.Helper()
	path = filepath.Join(o.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		o.t.Fatal(err)
	}
	return path
}

func (o *office) read(name string) string {
	o.t.Helper()
	text, err := os.ReadFile(filepath.Join(o.dir, name))
	if err != nil {
		o.t.Fatal(err)
	}
	return string(text)
}

// drop removes an item of a table.
func (o *office) drop(table, pk, sk string) {
	o.t.Helper()
	if _, err := o.client.DeleteItem(o.t.Context(), &dynamodb.DeleteItemInput{TableName: &table, Key: items.Key(pk, sk)}); err != nil {
		o.t.Fatal(err)
	}
}

// outcome is what a run of the command leaves.
type outcome struct {
	code           int
	stdout, stderr string
}

// run runs the command on the office's stack.
func (o *office) run(args ...string) outcome {
	o.t.Helper()
	return o.runWith(o.t.Context(), strings.NewReader(""), append(args, "--local", o.dir)...)
}

func (o *office) runWith(ctx context.Context, stdin io.Reader, args ...string) outcome {
	o.t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(ctx, process{
		program: ".local/bin/portside", args: args, lookup: func(string) (string, bool) { return "", false },
		stdin: stdin, stdout: &stdout, stderr: &stderr, now: o.now,
	})
	return outcome{code, stdout.String(), stderr.String()}
}

// expect fails the test unless the command ended so and said so on stderr.
func (o *office) expect(got outcome, code int, said string) outcome {
	o.t.Helper()
	if got.code != code || !strings.Contains(got.stderr, said) {
		o.t.Fatalf("exit code %d, want %d; stderr, which should contain %q:\n%s", got.code, code, said, got.stderr)
	}
	return got
}

// list returns the users' addresses in the order of creation.
func (o *office) list() []string {
	o.t.Helper()
	var all []string
	for {
		page, err := o.tables.users.List(o.t.Context(), users.Query{Limit: users.MaxLimit, Offset: int64(len(all))})
		if err != nil {
			o.t.Fatal(err)
		}
		if len(page.Users) == 0 {
			if page.Total != int64(len(all)) {
				o.t.Errorf("the total is %d, the pages have %d users", page.Total, len(all))
			}
			return all
		}
		for _, u := range page.Users {
			all = append(all, u.Email)
		}
	}
}

// authenticate returns the id of the user whom the key lets in.
func (o *office) authenticate(key string) (string, error) {
	caller, _, err := credentials.NewAuthenticator(o.tables.credentials, 0, o.now).
		Authenticate(o.t.Context(), strings.TrimSpace(key), credentials.APIKey)
	return caller.UserID, err
}

func TestUsage(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	if err := os.Mkdir(filepath.Join(o.dir, "lists.csv"), 0o700); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name   string
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{"nothing", nil, 0, "rebuild-ranks", ""},
		{"help", []string{"help"}, 0, "import-users", ""},
		{"help of a command", []string{"help", "bootstrap"}, 0, "--key-file FILE              write the key to this FILE; without it, to stdout\n", ""},
		{"-h of a command", []string{"import-users", "-h"}, 0, "Usage: portside import-users [flags] FILE", ""},
		{"version", []string{"version"}, 0, "portside ", ""},
		{"unknown command", []string{"frobnicate"}, 2, "", "there is no command \"frobnicate\"; `.local/bin/portside help` lists them"},
		{"unknown flag", []string{"version", "--wat"}, 2, "", "portside version: flag provided but not defined: -wat; `.local/bin/portside version -h` explains"},
		{"stray argument", []string{"rebuild-ranks", "x"}, 2, "", `"x" is not expected here`},
		{"no settings", []string{"rebuild-ranks"}, 2, "", "set USERS_TABLE, PROJECTS_TABLE, CREDENTIALS_TABLE and ANALYTICS_TABLE"},
		{"address without a stack", []string{"rebuild-ranks", "--addr", "127.0.0.1:1"}, 2, "", "--addr needs --local"},
		{"no file", []string{"import-users"}, 2, "", "name one file"},
		{"folder", []string{"import-users", o.dir}, 1, "", "is a folder: name a file in it"},
		{"folder named as a file", []string{"import-users", filepath.Join(o.dir, "lists.csv"), "--local", o.dir}, 1, "", "is a folder"},
		{"unknown kind of file", []string{"import-users", "x.txt"}, 2, "", "--format"},
		{"mail without an address", []string{"import-users", "x.csv", "--send-activation-email"}, 2, "", "set USERS_TABLE"},
		{"no e-mail", []string{"bootstrap", "--name", "x"}, 2, "", "--email and --name"},
		{"no limit", []string{"set-rate-limit", "--credential", "x"}, 2, "", "--per-minute"},
		{"no such folder", []string{"rebuild-ranks", "--local", "/nonexistent"}, 1, "", "no local stack runs in /nonexistent: start one with `make run"},
		{"another address", []string{"rebuild-ranks", "--local", o.dir, "--addr", "127.0.0.1:1"}, 1, "", "serves 127.0.0.1:3999, not 127.0.0.1:1"},
		{"missing file", []string{"import-users", "/nonexistent.csv", "--local", o.dir}, 1, "", "no such file"},
	}
	for _, c := range cases {
		got := o.runWith(t.Context(), strings.NewReader(""), c.args...)
		if got.code != c.code || !strings.Contains(got.stdout, c.stdout) || !strings.Contains(got.stderr, c.stderr) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q; want %d, %q, %q", c.name, got.code, got.stdout, got.stderr, c.code, c.stdout, c.stderr)
		}
		if c.code != 0 && strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: the error is not one line: %q", c.name, got.stderr)
		}
	}
}

func TestLocalStackThatWasKilled(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.dir = t.TempDir()
	o.writeStack(localStack{
		DynamoDB: "http://127.0.0.1:1", AccessKeyID: "test", SecretAccessKey: "test", Region: "us-east-1",
		Tables: map[string]string{"UsersTable": "x"},
	})
	o.expect(o.run("rebuild-ranks"), 1, "no local stack runs in")
	o.write("lock", "1234")
	o.expect(o.run("rebuild-ranks"), 1, "no local stack runs in")
	holdLock(t, o.dir)
	o.expect(o.run("rebuild-ranks"), 1, "DynamoDB does not answer")
	o.write("stack.json", "{")
	o.expect(o.run("rebuild-ranks"), 1, "does not describe a local stack")
}

func TestSettingsFromTheEnvironment(t *testing.T) {
	o := newOffice(t)
	t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", aws.ToString(o.client.Options().BaseEndpoint))
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	settings := map[string]string{
		"USERS_TABLE": o.names.users, "PROJECTS_TABLE": o.names.projects,
		"CREDENTIALS_TABLE": o.names.credentials, "ANALYTICS_TABLE": o.names.analytics,
	}
	lookup := func(name string) (string, bool) { value, set := settings[name]; return value, set }
	var stdout, stderr bytes.Buffer
	p := process{args: []string{"rebuild-ranks"}, lookup: lookup, stdout: &stdout, stderr: &stderr, now: o.now}
	if code := run(t.Context(), p); code != 0 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	settings["USERS_TABLE"] = "no-such-table"
	if code := run(t.Context(), p); code != 1 || !strings.Contains(stderr.String(), "there is no such table") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}

func TestSetRateLimit(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	key, err := credentials.Parse(strings.TrimSpace(o.run("bootstrap", "--email", "ada@example.com", "--name", "Ada").stdout))
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []struct {
		flag string
		want int
	}{{"500", 500}, {"0", 0}} {
		o.expect(o.run("set-rate-limit", "--credential", key.ID(), "--per-minute", limit.flag), 0, key.ID())
		if stored, err := o.tables.credentials.Get(t.Context(), key.ID()); err != nil || stored.RateLimit != limit.want {
			t.Errorf("the limit is %d, %v; want %d", stored.RateLimit, err, limit.want)
		}
	}
	o.expect(o.run("set-rate-limit", "--credential", "nobody", "--per-minute", "5"), 1, `no credential with the id "nobody"`)
}

func TestRebuildRanks(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.expect(o.run("import-users", o.write("users.csv", "email,name,role\na@example.com,A,admin\nb@example.com,B,user\n")), 0, "2 created")
	o.drop(o.names.users, "rank#users#0#", "rank")
	o.drop(o.names.users, "email#b@example.com", "email")
	creation := projects.Creation{Project: projects.Project{ID: "p", Status: projects.Draft}}
	if _, err := o.tables.projects.Create(t.Context(), creation); err != nil {
		t.Fatal(err)
	}
	o.drop(o.names.projects, "list#draft", "0000000000")
	got := o.expect(o.run("rebuild-ranks"), 0, "counts")
	for _, line := range []string{
		"1  users put right", "1  counters of users corrected", "0  sequence", "0  number of active admins",
		"1  projects put right", "0  counters of projects corrected",
	} {
		if !strings.Contains(got.stdout, line) {
			t.Errorf("the summary lacks %q:\n%s", line, got.stdout)
		}
	}
	if all := o.list(); len(all) != 2 {
		t.Errorf("users are %v", all)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	o.expect(o.runWith(stopped, nil, "rebuild-ranks", "--local", o.dir), 1, "stopped; run it again")
}
