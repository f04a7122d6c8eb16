// Package portsidetest runs commands for operators on the engines of the tests.
package portsidetest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/credentials"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
)

// Stack looks to the command like a local stack that runs on the engines of the tests.
type Stack struct {
	// Main runs a command and returns its exit code.
	Main   func(context.Context, operator.Process) int
	T      *testing.T
	Dir    string // the DATA folder
	Client *dynamodb.Client
	Names  installation.TableNames
	Tables *installation.Tables
	Clock  time.Time // see Now

	tables map[string]string // the names of the tables by their logical IDs
}

// Now is the clock of the commands that the stack runs. It stands still.
func (o *Stack) Now() time.Time { return o.Clock }

// New returns a stack with empty tables that runs the commands.
func New(t *testing.T, commands ...[]operator.Command) *Stack {
	t.Helper()
	client := awstest.DynamoDB(t)
	o := &Stack{
		Main: oneOf(slices.Concat(commands...)), T: t, Dir: t.TempDir(), Client: client, tables: map[string]string{},
		Clock: time.Date(2028, 3, 1, 15, 4, 5, 0, time.UTC), // the day after a leap day
	}
	o.Names = installation.NamesOf(func(id string) string {
		o.tables[id] = awstest.Table(t, client, id)
		return o.tables[id]
	})
	o.Tables = o.TablesOver(client)
	o.WriteStack(installation.LocalStack{
		API: "http://127.0.0.1:3999", Portal: "http://localhost:3999", DynamoDB: aws.ToString(client.Options().BaseEndpoint), Region: "us-east-1",
		AccessKeyID: "test", SecretAccessKey: "test",
		Tables: o.TableNames(),
	})
	HoldLock(t, o.Dir)
	return o
}

// oneOf returns a function that runs the command that the first argument names.
func oneOf(commands []operator.Command) func(context.Context, operator.Process) int {
	return func(ctx context.Context, p operator.Process) int {
		i := slices.IndexFunc(commands, func(c operator.Command) bool { return c.Name == p.Args[0] })
		return commands[i].Run(ctx, p, p.Args[1:])
	}
}

// TablesOver returns the stores with another client, such as one that fails.
func (o *Stack) TablesOver(client *dynamodb.Client) *installation.Tables {
	return installation.NewTables(client, o.Names, auditlog.New(o.Names.Audit, awstest.RealTime))
}

// TableNames returns the names of the tables by their logical IDs.
func (o *Stack) TableNames() map[string]string { return maps.Clone(o.tables) }

// WriteStack replaces the description of the stack.
func (o *Stack) WriteStack(stack installation.LocalStack) {
	o.T.Helper()
	text, err := json.Marshal(stack)
	if err != nil {
		o.T.Fatal(err)
	}
	o.Write("stack.json", string(text))
}

// HoldLock locks the folder as a running stack does.
func HoldLock(t *testing.T, dir string) {
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

func (o *Stack) Write(name, text string) (path string) {
	o.T.Helper()
	path = filepath.Join(o.Dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		o.T.Fatal(err)
	}
	return path
}

func (o *Stack) Read(name string) string {
	o.T.Helper()
	text, err := os.ReadFile(filepath.Join(o.Dir, name))
	if err != nil {
		o.T.Fatal(err)
	}
	return string(text)
}

// DeleteItem deletes an item of a table.
func (o *Stack) DeleteItem(table, pk, sk string) {
	o.T.Helper()
	if _, err := o.Client.DeleteItem(o.T.Context(), &dynamodb.DeleteItemInput{TableName: &table, Key: items.Key(pk, sk)}); err != nil {
		o.T.Fatal(err)
	}
}

// Outcome is the result of a run of the command.
type Outcome struct {
	Code           int
	Stdout, Stderr string
}

// Run runs the command on the stack.
func (o *Stack) Run(args ...string) Outcome {
	o.T.Helper()
	return o.RunWith(o.T.Context(), strings.NewReader(""), append(args, "--local", o.Dir)...)
}

// RunWith runs a command with an input. It does not name the stack.
func (o *Stack) RunWith(ctx context.Context, stdin io.Reader, args ...string) Outcome {
	o.T.Helper()
	var stdout, stderr bytes.Buffer
	code := o.Main(ctx, operator.Process{
		Program: ".local/bin/portside", Args: args, Lookup: func(string) (string, bool) { return "", false },
		Stdin: stdin, Stdout: &stdout, Stderr: &stderr, Now: o.Now,
	})
	return Outcome{code, stdout.String(), stderr.String()}
}

// Expect fails the test unless the command exited with the code and wrote the text to stderr.
func (o *Stack) Expect(got Outcome, code int, want string) Outcome {
	o.T.Helper()
	if got.Code != code || !strings.Contains(got.Stderr, want) {
		o.T.Fatalf("exit code %d, want %d; stderr, which should contain %q:\n%s", got.Code, code, want, got.Stderr)
	}
	return got
}

// UserEmails returns the addresses of all users in the order of their creation.
func (o *Stack) UserEmails() []string {
	o.T.Helper()
	var all []string
	for {
		page, err := o.Tables.Users.List(o.T.Context(), users.Query{Limit: users.MaxLimit, Offset: int64(len(all))})
		if err != nil {
			o.T.Fatal(err)
		}
		if len(page.Users) == 0 {
			if page.Total != int64(len(all)) {
				o.T.Errorf("the total is %d, but the pages have %d users", page.Total, len(all))
			}
			return all
		}
		for _, u := range page.Users {
			all = append(all, u.Email)
		}
	}
}

// Authenticate returns the ID of the user that the key belongs to.
func (o *Stack) Authenticate(key string) (string, error) {
	caller, _, err := credentials.NewAuthenticator(o.Tables.Credentials.Requests, 0, o.Now).
		Authenticate(o.T.Context(), strings.TrimSpace(key), credentials.APIKey)
	return caller.UserID, err
}

// SetLayout changes the mark that bootstrap has written.
func (o *Stack) SetLayout(version int64) {
	o.T.Helper()
	_, err := o.Client.UpdateItem(o.T.Context(), &dynamodb.UpdateItemInput{
		TableName: &o.Names.Users, Key: items.Key("layout", "layout"), UpdateExpression: aws.String("SET version = :version"),
		ConditionExpression: aws.String("attribute_exists(pk)"), ExpressionAttributeValues: items.Map{":version": items.Number(version)},
	})
	if err != nil {
		o.T.Fatal(err)
	}
}

// Bootstrap creates the first admin, with a key in a file.
func (o *Stack) Bootstrap(more ...string) Outcome {
	o.T.Helper()
	keyFile := filepath.Join(o.Dir, "keys", "admin-key")
	return o.Run(append([]string{"bootstrap", "--email", " Ada@Example.com", "--name", "Ada", "--key-file", keyFile}, more...)...)
}
