package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/cmd/portside/portsidetest"
)

func TestRunReportsUsageErrors(t *testing.T) {
	t.Parallel()
	o := newStack(t)
	if err := os.Mkdir(filepath.Join(o.Dir, "lists.csv"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
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
		{"no settings", []string{"rebuild-ranks"}, 2, "", "set USERS_TABLE, CUSTOMERS_TABLE, PROJECTS_TABLE, "},
		{"address without a stack", []string{"rebuild-ranks", "--addr", "127.0.0.1:1"}, 2, "", "--addr needs --local"},
		{"no file", []string{"import-users"}, 2, "", "pass one file"},
		{"folder", []string{"import-users", o.Dir}, 1, "", "is a folder; give a file"},
		{"folder named as a file", []string{"import-users", filepath.Join(o.Dir, "lists.csv"), "--local", o.Dir}, 1, "", "is a folder"},
		{"unknown kind of file", []string{"import-users", "x.txt"}, 2, "", "--format"},
		{"mail without an address", []string{"import-users", "x.csv", "--send-activation-email"}, 2, "", "set USERS_TABLE"},
		{"no email", []string{"bootstrap", "--name", "x"}, 2, "", "--email and --name"},
		{"no limit", []string{"set-rate-limit", "--credential", "x"}, 2, "", "--per-minute"},
		{"no number", []string{"demo-data", "--days", "abc"}, 2, "", `invalid value "abc" for flag -days: must be a whole number; see`},
		{"no such folder", []string{"rebuild-ranks", "--local", "/nonexistent"}, 1, "", "no local stack runs in /nonexistent: start one with `make run"},
		{"another address", []string{"rebuild-ranks", "--local", o.Dir, "--addr", "127.0.0.1:1"}, 1, "", "serves 127.0.0.1:3999, not 127.0.0.1:1"},
		{"missing file", []string{"import-users", "/nonexistent.csv", "--local", o.Dir}, 1, "", "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := o.RunWith(t.Context(), strings.NewReader(""), c.args...)
			if got.Code != c.code || !strings.Contains(got.Stdout, c.stdout) || !strings.Contains(got.Stderr, c.stderr) {
				t.Errorf("exit code %d, stdout %q, stderr %q; want %d, %q, %q", got.Code, got.Stdout, got.Stderr, c.code, c.stdout, c.stderr)
			}
			if c.code != 0 && strings.Count(got.Stderr, "\n") != 1 {
				t.Errorf("the error is not one line: %q", got.Stderr)
			}
		})
	}
}

func TestLocalStackIsNotUsedAfterItWasKilled(t *testing.T) {
	t.Parallel()
	o := newStack(t)
	o.Dir = t.TempDir()
	o.WriteStack(installation.LocalStack{
		DynamoDB: "http://127.0.0.1:1", AccessKeyID: "test", SecretAccessKey: "test", Region: "us-east-1",
		Tables: map[string]string{"UsersTable": "x"},
	})
	o.Expect(o.Run("rebuild-ranks"), 1, "no local stack runs in")
	o.Write("lock", "1234")
	o.Expect(o.Run("rebuild-ranks"), 1, "no local stack runs in")
	portsidetest.HoldLock(t, o.Dir)
	o.Expect(o.Run("rebuild-ranks"), 1, "DynamoDB refused the connection")
	o.Write("stack.json", "{")
	o.Expect(o.Run("rebuild-ranks"), 1, "does not describe a local stack")
}

func TestSettingsFromTheEnvironment(t *testing.T) {
	o := newStack(t)
	t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", aws.ToString(o.Client.Options().BaseEndpoint))
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	settings := map[string]string{}
	for id, name := range o.TableNames() {
		settings[installation.SettingOf(id)] = name
	}
	delete(settings, "REQUEST_COUNTS_TABLE")
	lookup := func(name string) (string, bool) { value, set := settings[name]; return value, set }
	var stdout, stderr bytes.Buffer
	p := operator.Process{Args: []string{"rebuild-ranks"}, Lookup: lookup, Stdout: &stdout, Stderr: &stderr, Now: o.Now}
	if code := run(t.Context(), p); code != 0 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	settings["PULLS_TABLE"], settings["ANALYTICS_BUCKET"] = "pulls", "lines"
	p.Args = []string{"demo-data", "--days", "1"}
	if code := run(t.Context(), p); code != 2 || !strings.Contains(stderr.String(), "REQUEST_COUNTS_TABLE") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	p.Args = []string{"rebuild-ranks"}
	settings["USERS_TABLE"] = "no-such-table"
	if code := run(t.Context(), p); code != 1 || !strings.Contains(stderr.String(), "the table does not exist") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
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
		existing = append(existing, c.Name)
	}
	slices.Sort(documented)
	slices.Sort(existing)
	if !slices.Equal(documented, existing) {
		t.Errorf("docs/operations.md lists the commands\n%q\nwant\n%q", documented, existing)
	}
}
