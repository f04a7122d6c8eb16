package e2e

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/local/demo"
	"portside/local/stack"
)

// TestRestoreDrill is the drill of docs/operations.md: it backs up a stack with a history, restores
// the backup beside another stack, and switches that stack to the restored tables.
func TestRestoreDrill(t *testing.T) {
	old, restored := newTestStack(t), newTestStack(t)
	restored.secrets = old.secrets
	d := drill{testStack: restored, backup: filepath.Join(t.TempDir(), "backup")}
	stop := d.fill(t, old)
	d.operate(t, old, "backup", d.backup, "--buckets")
	stop()

	stop = restored.start(t, noRateLimit())
	d.operate(t, restored, "restore", d.backup, "--buckets", "--create", "--table-suffix", "-r1")
	d.operate(t, restored, "rebuild-ranks", "--table-suffix", "-r1")
	d.operate(t, restored, "reconcile", "--table-suffix", "-r1")
	d.operate(t, restored, "reindex-charts")
	stop()

	stop = d.switchTables(t, "-r1")
	d.checkData(t)
	stop()
	d.switchTables(t, "")() // back to the first tables of the stack
	d.checkRefusals(t)
	restored.checkNoSecretsLeaked(t)
	d.checkBackup(t)
}

// drill has the credentials with which the restored stack must work.
type drill struct {
	*testStack // the stack that is restored

	backup string // folder
	admin  string // key of the first admin
	key    string // of a user
	path   string // of that user
	token  string // with access to charts
	users  any    // total number of users
}

// operate runs the operator's command on a stack.
func (d *drill) operate(t *testing.T, p *testStack, command string, args ...string) {
	t.Helper()
	path := filepath.Join(repository, ".local", "bin", "portside")
	p.runCommand(t, path, append([]string{command, "--local", p.data}, args...)...)
}

// fill gives a stack a history. It restarts the stack without requests, so that all log lines are counted.
func (d *drill) fill(t *testing.T, p *testStack) (stop func()) {
	t.Helper()
	stop = p.start(t, noRateLimit())
	d.operate(t, p, "demo-data", "--days", "30")
	if err := demo.Run(t.Context(), demo.Options{Repo: repository, Data: p.data, Out: p.log}); err != nil {
		t.Fatal(err)
	}
	d.path, d.key = p.createUser(t, "ada@example.com", "user")
	d.admin, d.token = readText(t, filepath.Join(p.data, "admin-key")), readText(t, filepath.Join(p.data, "demo-token"))
	d.users = p.admin(t).Get("/v1/users").JSON("pagination.total")
	stop()
	return p.start(t, noRateLimit())
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// switchTables starts the restored stack with existing tables.
func (d *drill) switchTables(t *testing.T, suffix string) (stop func()) {
	t.Helper()
	return d.startWith(t, stack.Options{
		RateLimit: noRateLimit(), Parameters: map[string]string{"TableSuffix": suffix, "CreateTables": "false"},
	})
}

func (d *drill) checkData(t *testing.T) {
	t.Helper()
	d.anonymous(t).as(d.key).Get(d.path).WantStatus(http.StatusOK).WantValue("data.email", "ada@example.com")
	d.anonymous(t).as(d.admin).Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", d.users)
	customer := d.anonymous(t).With("Authorization", "Bearer "+d.token)
	index := customer.Get("/charts/index.yaml").WantStatus(http.StatusOK)
	if !strings.Contains(string(index.Body), "hello-1.0.0.tgz") {
		t.Errorf("the index lacks the chart:\n%s", index.Body)
	}
	archive := customer.Get("/charts/hello-1.0.0.tgz")
	reply, err := d.conns.RoundTrip(newGet(t, archive.Header.Get("Location")))
	if err != nil {
		t.Fatal(err)
	}
	_ = reply.Body.Close()
	if reply.StatusCode != http.StatusOK || reply.ContentLength < 100 {
		t.Errorf("the archive: status %d, %d bytes", reply.StatusCode, reply.ContentLength)
	}
}

func newGet(t *testing.T, address string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkRefusals checks that the stack starts neither without its tables nor on a newer data layout.
func (d *drill) checkRefusals(t *testing.T) {
	t.Helper()
	d.wantStartError(t, map[string]string{"TableSuffix": "-r9", "CreateTables": "false"}, "portside-UsersTable-r9: it does not exist")
	stop := d.start(t, noRateLimit())
	db := dynamodb.New(dynamodb.Options{Region: d.info.Region, BaseEndpoint: &d.info.DynamoDB, Credentials: d.engineKeys()})
	key := &types.AttributeValueMemberS{Value: "layout"}
	_, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(d.info.Tables["UsersTable"]), Key: map[string]types.AttributeValue{"pk": key, "sk": key},
		UpdateExpression: aws.String("ADD version :one"), ConditionExpression: aws.String("attribute_exists(pk)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	stop()
	d.wantStartError(t, nil, "use the release that wrote the data")
}

// checkBackup checks that the backup has no secrets in plain text.
func (d *drill) checkBackup(t *testing.T) {
	t.Helper()
	checked := 0
	err := fs.WalkDir(os.DirFS(d.backup), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".gz") {
			return err
		}
		file, err := os.Open(filepath.Join(d.backup, path))
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }() // closing after reading loses nothing
		unpacked, err := gzip.NewReader(file)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(unpacked)
		d.checkNoSecretIn(t, path, text)
		checked++
		return err
	})
	if err != nil || checked == 0 {
		t.Errorf("%d files checked, %v", checked, err)
	}
}

func (d *drill) wantStartError(t *testing.T, parameters map[string]string, want string) {
	t.Helper()
	s, err := stack.Start(t.Context(), stack.Options{
		Addr: "127.0.0.1:0", RepoDir: repository, DataDir: d.data, Log: d.log, Parameters: parameters,
	})
	if err == nil {
		t.Fatal("the stack started", s.Stop(t.Context()))
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
