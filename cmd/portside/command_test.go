package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/customers"
	"portside/shared/customers/customersdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/projects"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// testStack looks to the command like a local stack that runs on the engines of the tests.
type testStack struct {
	t      *testing.T
	dir    string // the DATA folder
	client *dynamodb.Client
	names  tableNames
	tables *tables
	clock  time.Time
}

// now is the clock of the commands that the stack runs. It stands still.
func (o *testStack) now() time.Time { return o.clock }

func newTestStack(t *testing.T) *testStack {
	t.Helper()
	client := awstest.DynamoDB(t)
	o := &testStack{t: t, dir: t.TempDir(), client: client, names: tableNames{
		users: awstest.Table(t, client, "UsersTable"), credentials: awstest.Table(t, client, "CredentialsTable"),
		counts: awstest.Table(t, client, "RequestCountsTable"), customers: awstest.Table(t, client, "CustomersTable"),
		projects: awstest.Table(t, client, "ProjectsTable"), analytics: awstest.Table(t, client, "AnalyticsTable"),
		audit: awstest.Table(t, client, "AuditTable"),
	}, clock: time.Date(2028, 3, 1, 15, 4, 5, 0, time.UTC)} // the day after a leap day
	o.tables = o.tablesOver(client)
	o.writeStack(localStack{
		API: "http://127.0.0.1:3999", Portal: "http://localhost:3999", DynamoDB: aws.ToString(client.Options().BaseEndpoint), Region: "us-east-1",
		AccessKeyID: "test", SecretAccessKey: "test",
		Tables: o.tableNames(),
	})
	holdLock(t, o.dir)
	return o
}

// tablesOver returns the stores with another client, such as one that fails.
func (o *testStack) tablesOver(client *dynamodb.Client) *tables {
	auditLog := auditlog.New(o.names.audit, awstest.RealTime)
	keys := credentialsdynamo.New(client, o.names.credentials, o.names.counts).Audited(auditLog)
	days := daycounts.In(o.names.analytics)
	return &tables{
		client: client, names: o.names,
		users: usersdynamo.New(client, o.names.users, keys, days), projects: projectsdynamo.New(client, o.names.projects, days).Audited(auditLog),
		customers: customersdynamo.New(client, o.names.customers, keys.Customers, auditLog), credentials: keys, log: auditLog,
	}
}

// tableNames returns the names of the tables by their logical IDs.
func (o *testStack) tableNames() map[string]string {
	return map[string]string{
		"UsersTable": o.names.users, "CustomersTable": o.names.customers, "ProjectsTable": o.names.projects,
		"CredentialsTable": o.names.credentials, "RequestCountsTable": o.names.counts, "AnalyticsTable": o.names.analytics,
		"AuditTable": o.names.audit,
	}
}

func (o *testStack) writeStack(stack localStack) {
	o.t.Helper()
	text, err := json.Marshal(stack)
	if err != nil {
		o.t.Fatal(err)
	}
	o.write("stack.json", string(text))
}

// holdLock locks the folder as a running stack does.
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

func (o *testStack) write(name, text string) (path string) {
	o.t.Helper()
	path = filepath.Join(o.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		o.t.Fatal(err)
	}
	return path
}

func (o *testStack) read(name string) string {
	o.t.Helper()
	text, err := os.ReadFile(filepath.Join(o.dir, name))
	if err != nil {
		o.t.Fatal(err)
	}
	return string(text)
}

// deleteItem deletes an item of a table.
func (o *testStack) deleteItem(table, pk, sk string) {
	o.t.Helper()
	if _, err := o.client.DeleteItem(o.t.Context(), &dynamodb.DeleteItemInput{TableName: &table, Key: items.Key(pk, sk)}); err != nil {
		o.t.Fatal(err)
	}
}

// outcome is the result of a run of the command.
type outcome struct {
	code           int
	stdout, stderr string
}

// run runs the command on the stack.
func (o *testStack) run(args ...string) outcome {
	o.t.Helper()
	return o.runWith(o.t.Context(), strings.NewReader(""), append(args, "--local", o.dir)...)
}

func (o *testStack) runWith(ctx context.Context, stdin io.Reader, args ...string) outcome {
	o.t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(ctx, process{
		program: ".local/bin/portside", args: args, lookup: func(string) (string, bool) { return "", false },
		stdin: stdin, stdout: &stdout, stderr: &stderr, now: o.now,
	})
	return outcome{code, stdout.String(), stderr.String()}
}

// expect fails the test unless the command exited with the code and wrote the text to stderr.
func (o *testStack) expect(got outcome, code int, want string) outcome {
	o.t.Helper()
	if got.code != code || !strings.Contains(got.stderr, want) {
		o.t.Fatalf("exit code %d, want %d; stderr, which should contain %q:\n%s", got.code, code, want, got.stderr)
	}
	return got
}

// userEmails returns the addresses of all users in the order of their creation.
func (o *testStack) userEmails() []string {
	o.t.Helper()
	var all []string
	for {
		page, err := o.tables.users.List(o.t.Context(), users.Query{Limit: users.MaxLimit, Offset: int64(len(all))})
		if err != nil {
			o.t.Fatal(err)
		}
		if len(page.Users) == 0 {
			if page.Total != int64(len(all)) {
				o.t.Errorf("the total is %d, but the pages have %d users", page.Total, len(all))
			}
			return all
		}
		for _, u := range page.Users {
			all = append(all, u.Email)
		}
	}
}

// authenticate returns the ID of the user that the key belongs to.
func (o *testStack) authenticate(key string) (string, error) {
	caller, _, err := credentials.NewAuthenticator(o.tables.credentials.Requests, 0, o.now).
		Authenticate(o.t.Context(), strings.TrimSpace(key), credentials.APIKey)
	return caller.UserID, err
}

func TestRunReportsUsageErrors(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
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
		{"no arguments", nil, 0, "rebuild-ranks", ""},
		{"help", []string{"help"}, 0, "import-users", ""},
		{"help of a command", []string{"help", "bootstrap"}, 0, "--key-file FILE              write the key to this FILE; default: stdout\n", ""},
		{"-h of a command", []string{"import-users", "-h"}, 0, "Usage: portside import-users [flags] FILE", ""},
		{"version", []string{"version"}, 0, "portside ", ""},
		{"unknown command", []string{"frobnicate"}, 2, "", "unknown command \"frobnicate\"; `.local/bin/portside help` lists the commands"},
		{"unknown flag", []string{"version", "--wat"}, 2, "", "portside version: flag provided but not defined: -wat; see `.local/bin/portside version -h`"},
		{"stray argument", []string{"rebuild-ranks", "x"}, 2, "", `unexpected argument "x"`},
		{"no settings", []string{"rebuild-ranks"}, 2, "", "set USERS_TABLE, CUSTOMERS_TABLE, PROJECTS_TABLE, CREDENTIALS_TABLE, ANALYTICS_TABLE and AUDIT_TABLE"},
		{"address without a stack", []string{"rebuild-ranks", "--addr", "127.0.0.1:1"}, 2, "", "--addr needs --local"},
		{"no file", []string{"import-users"}, 2, "", "pass one file"},
		{"folder", []string{"import-users", o.dir}, 1, "", "is a folder; give a file"},
		{"folder named as a file", []string{"import-users", filepath.Join(o.dir, "lists.csv"), "--local", o.dir}, 1, "", "is a folder"},
		{"unknown kind of file", []string{"import-users", "x.txt"}, 2, "", "--format"},
		{"mail without an address", []string{"import-users", "x.csv", "--send-activation-email"}, 2, "", "set USERS_TABLE"},
		{"no email", []string{"bootstrap", "--name", "x"}, 2, "", "--email and --name"},
		{"no limit", []string{"set-rate-limit", "--credential", "x"}, 2, "", "--per-minute"},
		{"no number", []string{"demo-data", "--days", "abc"}, 2, "", `invalid value "abc" for flag -days: must be a whole number; see`},
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

func TestLocalStackIsNotUsedAfterItWasKilled(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	o.dir = t.TempDir()
	o.writeStack(localStack{
		DynamoDB: "http://127.0.0.1:1", AccessKeyID: "test", SecretAccessKey: "test", Region: "us-east-1",
		Tables: map[string]string{"UsersTable": "x"},
	})
	o.expect(o.run("rebuild-ranks"), 1, "no local stack runs in")
	o.write("lock", "1234")
	o.expect(o.run("rebuild-ranks"), 1, "no local stack runs in")
	holdLock(t, o.dir)
	o.expect(o.run("rebuild-ranks"), 1, "DynamoDB refused the connection")
	o.write("stack.json", "{")
	o.expect(o.run("rebuild-ranks"), 1, "does not describe a local stack")
}

func TestSettingsFromTheEnvironment(t *testing.T) {
	o := newTestStack(t)
	t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", aws.ToString(o.client.Options().BaseEndpoint))
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	settings := map[string]string{
		"USERS_TABLE": o.names.users, "CUSTOMERS_TABLE": o.names.customers, "PROJECTS_TABLE": o.names.projects,
		"CREDENTIALS_TABLE": o.names.credentials, "ANALYTICS_TABLE": o.names.analytics, "AUDIT_TABLE": o.names.audit,
	}
	lookup := func(name string) (string, bool) { value, set := settings[name]; return value, set }
	var stdout, stderr bytes.Buffer
	p := process{args: []string{"rebuild-ranks"}, lookup: lookup, stdout: &stdout, stderr: &stderr, now: o.now}
	if code := run(t.Context(), p); code != 0 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	settings["PULLS_TABLE"], settings["ANALYTICS_BUCKET"] = "pulls", "lines"
	p.args = []string{"demo-data", "--days", "1"}
	if code := run(t.Context(), p); code != 2 || !strings.Contains(stderr.String(), "REQUEST_COUNTS_TABLE") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	p.args = []string{"rebuild-ranks"}
	settings["USERS_TABLE"] = "no-such-table"
	if code := run(t.Context(), p); code != 1 || !strings.Contains(stderr.String(), "the table does not exist") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}

func TestSetRateLimit(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
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
			t.Errorf("the limit is %d with error %v, want %d", stored.RateLimit, err, limit.want)
		}
	}
	o.expect(o.run("set-rate-limit", "--credential", "nobody", "--per-minute", "5"), 1, `no credential has the ID "nobody"`)
}

func TestRebuildRanks(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	o.expect(o.run("import-users", o.write("users.csv", "email,name,role\na@example.com,A,admin\nb@example.com,B,user\n")), 0, "2 created")
	o.deleteItem(o.names.users, "rank#users#1#0", "root")
	o.deleteItem(o.names.users, "email#b@example.com", "email")
	creation := projects.Creation{Project: projects.Project{ID: "p", Status: projects.Draft}}
	if _, err := o.tables.projects.Create(t.Context(), creation); err != nil {
		t.Fatal(err)
	}
	o.deleteItem(o.names.projects, "list#draft", "0000000000")
	customer := customers.Customer{ID: "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12", Slug: "acme", Status: customers.Active}
	if _, err := o.tables.customers.Create(t.Context(), customers.Creation{Customer: customer}); err != nil {
		t.Fatal(err)
	}
	o.deleteItem(o.names.customers, "slug#acme", "slug")
	o.expect(o.run("import-users", o.write("more.csv", "email,name,role,customerId\nc@example.com,C,user,"+customer.ID+"\n")), 0, "1 created")
	o.deleteItem(o.names.users, "rank#users#"+customer.ID+"#1#0", "root")
	got := o.expect(o.run("rebuild-ranks"), 0, "counts")
	for _, line := range []string{
		"1  users repaired", "1  counters of users corrected", "0  sequence", "0  number of active admins",
		"1  customers repaired", "0  counters of customers corrected", "1  numbers of users of customers corrected", "1  projects repaired", "0  counters of projects corrected",
	} {
		if !strings.Contains(got.stdout, line) {
			t.Errorf("the summary lacks %q:\n%s", line, got.stdout)
		}
	}
	if all := o.userEmails(); len(all) != 3 {
		t.Errorf("got the users %v, want three", all)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	o.expect(o.runWith(stopped, nil, "rebuild-ranks", "--local", o.dir), 130, "stopped; run the command again")
}

// TestDocumentedCommands compares the table of docs/operations.md with the commands.
func TestDocumentedCommands(t *testing.T) {
	guide, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented, existing []string
	for _, row := range regexp.MustCompile("(?m)^\\| `portside ([a-z-]+)` \\|").FindAllSubmatch(guide, -1) {
		documented = append(documented, string(row[1]))
	}
	for _, c := range operatorCommands() {
		existing = append(existing, c.name)
	}
	slices.Sort(documented)
	slices.Sort(existing)
	if !slices.Equal(documented, existing) {
		t.Errorf("docs/operations.md lists the commands\n%q\nwant\n%q", documented, existing)
	}
}
