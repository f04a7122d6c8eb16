package operations

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

	"portside/local/e2e/e2etest"
	"portside/local/stack"
)

// TestRestoreDrill is the drill of docs/operations.md: it backs up a stack with a history, restores
// the backup beside another stack, and switches that stack to the restored tables.
func TestRestoreDrill(t *testing.T) {
	t.Parallel()
	old, restored := e2etest.New(t), e2etest.New(t)
	restored.Secrets = old.Secrets
	d := drill{Stack: restored, backup: filepath.Join(t.TempDir(), "backup")}
	stop := d.fill(t, old)
	old.Operator.Run(t, "backup", d.backup, "--buckets")
	stop()

	stop = restored.Run(t, noRateLimit)
	restored.Operator.Run(t, "restore", d.backup, "--buckets", "--create", "--table-suffix", "-r1")
	restored.Operator.Run(t, "rebuild-ranks", "--table-suffix", "-r1")
	restored.Operator.Run(t, "reconcile", "--table-suffix", "-r1")
	restored.Operator.Run(t, "reindex-charts")
	stop()

	stop = d.switchTables(t, "-r1")
	d.checkData(t)
	stop()
	d.switchTables(t, "")() // back to the first tables of the stack
	d.checkRefusals(t)
	d.checkBackup(t)
}

// noRateLimit are the options of a stack without a rate limit.
var noRateLimit = stack.Options{RateLimit: new(int)}

// drill has the credentials with which the restored stack must work.
type drill struct {
	*e2etest.Stack // the stack that is restored

	backup string // folder
	admin  string // key of the first admin
	key    string // of a user
	path   string // of that user
	email  string // of that user
	token  string // with access to charts
	users  any    // total number of users
}

// fill gives a stack a history. It restarts the stack without requests, so that all log lines are counted.
func (d *drill) fill(t *testing.T, p *e2etest.Stack) (stop func()) {
	t.Helper()
	stop = p.Run(t, noRateLimit)
	p.Operator.Run(t, "demo-data", "--days", "30")
	p.Operator.Demo(t)
	d.email = p.Email("ada")
	d.path, d.key = p.Users.Create(t, "ada", "user")
	d.admin, d.token = p.Operator.Line(t, "admin-key"), p.Operator.Line(t, "demo-token")
	d.users = p.Admin(t).Get("/v1/users").JSON("pagination.total")
	stop()
	return p.Run(t, noRateLimit)
}

// switchTables starts the restored stack with existing tables.
func (d *drill) switchTables(t *testing.T, suffix string) (stop func()) {
	t.Helper()
	return d.Run(t, stack.Options{
		RateLimit: new(int), Parameters: map[string]string{"TableSuffix": suffix, "CreateTables": "false"},
	})
}

func (d *drill) checkData(t *testing.T) {
	t.Helper()
	d.As(t, d.key).Get(d.path).WantStatus(http.StatusOK).WantValue("data.email", d.email)
	d.As(t, d.admin).Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", d.users)
	customer := d.WithToken(t, d.token)
	index := customer.Get("/charts/index.yaml").WantStatus(http.StatusOK)
	if !strings.Contains(string(index.Body), "hello-1.0.0.tgz") {
		t.Errorf("the index lacks the chart:\n%s", index.Body)
	}
	archive := customer.Get("/charts/hello-1.0.0.tgz")
	reply := e2etest.Fetch(t, http.MethodGet, archive.Header.Get("Location"), "")
	if reply.StatusCode != http.StatusOK || reply.ContentLength < 100 {
		t.Errorf("the archive: status %d, %d bytes", reply.StatusCode, reply.ContentLength)
	}
}

// checkRefusals checks that the stack starts neither without its tables nor on a newer data layout.
func (d *drill) checkRefusals(t *testing.T) {
	t.Helper()
	d.wantStartError(t, map[string]string{"TableSuffix": "-r9", "CreateTables": "false"},
		"portside-UsersTable-r9: it does not exist")
	stop := d.Run(t, noRateLimit)
	key := &types.AttributeValueMemberS{Value: "layout"}
	_, err := d.Operator.DynamoDB().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(d.Info.Tables["UsersTable"]), Key: map[string]types.AttributeValue{"pk": key, "sk": key},
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
		d.Secrets.CheckNotIn(t, path, text)
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
		Addr: "127.0.0.1:0", RepoDir: e2etest.Repository, DataDir: d.Data, Log: d.Log, Parameters: parameters,
	})
	if err == nil {
		t.Fatal("the stack started", s.Stop(t.Context()))
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
