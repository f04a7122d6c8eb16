package engines_test

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"portside/local/engines"
	"portside/local/template"
	"portside/testclient"
)

const stopTimeout = time.Minute

// dynoxide returns the path of the binary that make installs.
func dynoxide(tb testing.TB) string {
	tb.Helper()
	path, err := filepath.Abs("../../.local/bin/dynoxide")
	if err != nil {
		tb.Fatal(err)
	}
	path, err = engines.Dynoxide{Path: path, Binary: os.Getenv("DYNOXIDE")}.Install(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// s3server builds the server. With a build cache, that takes a second.
func s3server(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "s3server")
	out, err := exec.CommandContext(tb.Context(), "go", "build", "-o", path, "../s3server").CombinedOutput()
	if err != nil {
		tb.Fatalf("build s3server: %v\n%s", err, out)
	}
	return path
}

func startDynamoDB(tb testing.TB, c engines.DynamoDB) *engines.Process {
	tb.Helper()
	if c.Binary == "" {
		c.Binary = dynoxide(tb)
	}
	p, err := engines.StartDynamoDB(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { p.Stop(stopTimeout) })
	return p
}

func dynamoDB(endpoint string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: engines.Region, BaseEndpoint: aws.String(endpoint),
		Credentials: credentials.NewStaticCredentialsProvider("x", "y", ""),
	})
}

func usersTable() template.Table {
	return template.Table{
		Name:       "portside-UsersTable",
		Attributes: []template.Attribute{{Name: "pk", Type: "S"}, {Name: "sk", Type: "S"}, {Name: "n", Type: "N"}},
		Keys:       []template.Key{{Name: "pk", Type: "HASH"}, {Name: "sk", Type: "RANGE"}},
		Global: []template.Index{
			{Name: "byNumber", Keys: []template.Key{{Name: "n", Type: "HASH"}}, Projection: "INCLUDE", NonKey: []string{"b", "a"}},
			{Name: "bySort", Keys: []template.Key{{Name: "sk", Type: "HASH"}, {Name: "n", Type: "RANGE"}}, Projection: "ALL"},
		},
		Local: []template.Index{
			{Name: "local", Keys: []template.Key{{Name: "pk", Type: "HASH"}, {Name: "n", Type: "RANGE"}}, Projection: "KEYS_ONLY"},
		},
		TTLAttribute: "purgeAt",
	}
}

func TestCreateTablesKeepsExistingTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dynamodb.db")
	p := startDynamoDB(t, engines.DynamoDB{DBPath: path})
	tables := []template.Table{usersTable(), {
		Name:       "other",
		Attributes: []template.Attribute{{Name: "id", Type: "B"}},
		Keys:       []template.Key{{Name: "id", Type: "HASH"}},
	}}
	for range 2 {
		if err := engines.CreateTables(t.Context(), p.Endpoint, tables); err != nil {
			t.Fatal(err)
		}
	}
	name := aws.String("portside-UsersTable")
	value := &types.AttributeValueMemberS{Value: "a"}
	item := map[string]types.AttributeValue{"pk": value, "sk": value}
	if _, err := dynamoDB(p.Endpoint).PutItem(t.Context(),
		&dynamodb.PutItemInput{TableName: name, Item: item}); err != nil {
		t.Fatal(err)
	}
	p.Stop(stopTimeout)
	p = startDynamoDB(t, engines.DynamoDB{DBPath: path})
	if err := engines.CreateTables(t.Context(), p.Endpoint, tables); err != nil {
		t.Fatal(err)
	}
	out, err := dynamoDB(p.Endpoint).GetItem(t.Context(), &dynamodb.GetItemInput{TableName: name, Key: item})
	if err != nil || len(out.Item) != 2 {
		t.Errorf("after a restart: %v, %v", out, err)
	}
}

func TestCreateTablesRefusesChangedDefinitions(t *testing.T) {
	p := startDynamoDB(t, engines.DynamoDB{})
	if err := engines.CreateTables(t.Context(), p.Endpoint, []template.Table{usersTable()}); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*template.Table){
		"the key (pk S HASH, sk S RANGE), template.yaml has (pk S HASH)": func(u *template.Table) { u.Keys = u.Keys[:1] },
		"template.yaml has (pk S HASH, sk N RANGE)":                      func(u *template.Table) { u.Attributes[1].Type = "N" },
		"an index bySort that template.yaml does not have":               func(u *template.Table) { u.Global = u.Global[:1] },
		"no index third, which template.yaml has": func(u *template.Table) {
			u.Global = append(u.Global, template.Index{Name: "third", Keys: u.Keys, Projection: "ALL"})
		},
		"template.yaml has (local pk S HASH, n N RANGE projecting ALL)": func(u *template.Table) { u.Local[0].Projection = "ALL" },
		"projecting INCLUDE a b)": func(u *template.Table) { u.Global[0].NonKey = []string{"c"} },
	} {
		table := usersTable()
		change(&table)
		err := engines.CreateTables(t.Context(), p.Endpoint, []template.Table{table})
		if err == nil || !strings.HasPrefix(err.Error(), "table portside-UsersTable: the data has ") ||
			!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "(DATA)") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestCreateTablesRequiresExternalTables(t *testing.T) {
	p := startDynamoDB(t, engines.DynamoDB{})
	external := usersTable()
	external.External = true
	err := engines.CreateTables(t.Context(), p.Endpoint, []template.Table{external})
	if err == nil || !strings.HasPrefix(err.Error(), "table portside-UsersTable: it does not exist") {
		t.Errorf("got %v, want an error about the missing table", err)
	}
	for _, table := range []template.Table{usersTable(), external} {
		if err := engines.CreateTables(t.Context(), p.Endpoint, []template.Table{table}); err != nil {
			t.Error(err)
		}
	}
}

func TestConcurrentStarts(t *testing.T) {
	binary := dynoxide(t)
	endpoints := make([]string, 8)
	var all sync.WaitGroup
	for i := range endpoints {
		all.Go(func() { endpoints[i] = startDynamoDB(t, engines.DynamoDB{Binary: binary}).Endpoint })
	}
	all.Wait()
	for i, endpoint := range endpoints {
		if err := engines.CreateTables(t.Context(), endpoint, []template.Table{usersTable()}); err != nil {
			t.Errorf("engine %d at %s: %v", i, endpoint, err)
		}
	}
}

func TestStartDynamoDBReportsFailures(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = busy.Close() })
	notDB := filepath.Join(t.TempDir(), "notes.db")
	if err := os.WriteFile(notDB, bytes.Repeat([]byte("not a database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	binary := dynoxide(t)
	for want, c := range map[string]engines.DynamoDB{
		"no such file":        {Binary: filepath.Join(t.TempDir(), "none")},
		"in use by another":   {Binary: binary, Addr: busy.Addr().String()},
		"must be host:port":   {Binary: binary, Addr: "8000"},
		"not a valid SQLite":  {Binary: binary, DBPath: notDB},
		"it exited at once (": {Binary: "/bin/false"},
	} {
		t.Run(want, func(t *testing.T) {
			out := &testclient.Log{}
			c.Log = out
			_, err := engines.StartDynamoDB(t.Context(), c)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

func TestStartDynamoDBObeysContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	script := filepath.Join(t.TempDir(), "silent")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho started\nexec sleep 1000\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := engines.StartDynamoDB(ctx, engines.DynamoDB{Binary: script, Log: onWrite(cancel)})
	if err == nil || !strings.Contains(err.Error(), "context canceled; its output: started") {
		t.Errorf("got %v", err)
	}
}

type onWrite func()

func (f onWrite) Write(p []byte) (int, error) { f(); return len(p), nil }

func TestStartS3AndCreateBuckets(t *testing.T) {
	binary := s3server(t)
	dir := filepath.Join(t.TempDir(), "s3")
	buckets := []template.Bucket{{Name: "portside-charts-bucket"}, {Name: "portside-media-bucket"}}
	for range 2 { // everything exists the second time
		p, err := engines.StartS3(t.Context(), engines.S3{Binary: binary, Dir: dir, AccessKey: "local", SecretKey: "secret"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Kill)
		if !strings.HasPrefix(p.Endpoint, "http://localhost:") {
			t.Errorf("the endpoint is %s", p.Endpoint)
		}
		access := engines.S3Access{Endpoint: p.Endpoint, AccessKey: "local", SecretKey: "secret"}
		for range 2 {
			if err := engines.CreateBuckets(t.Context(), access, buckets); err != nil {
				t.Fatal(err)
			}
		}
		expectBuckets(t, access, buckets)
		access.SecretKey = "wrong"
		err = engines.CreateBuckets(t.Context(), access, buckets)
		if err == nil || !strings.HasPrefix(err.Error(), "bucket portside-charts-bucket: ") {
			t.Errorf("with a wrong secret: %v", err)
		}
		p.Stop(stopTimeout)
		if p.Err() != nil {
			t.Errorf("the server exited with %v: %s", p.Err(), p.Tail())
		}
	}
}

func TestBucketAnswersItsCORSRules(t *testing.T) {
	const origin, other = "https://portal.example.com", "https://other.example.com"
	p, err := engines.StartS3(t.Context(), engines.S3{
		Binary: s3server(t), Dir: filepath.Join(t.TempDir(), "s3"), AccessKey: "local", SecretKey: "secret",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	access := engines.S3Access{Endpoint: p.Endpoint, AccessKey: "local", SecretKey: "secret"}
	rule := template.CORSRule{AllowedOrigins: []string{origin}, AllowedMethods: []string{http.MethodPost}, MaxAge: 600}
	for _, test := range []struct {
		rules []template.CORSRule
		from  string
		want  string // Access-Control-Allow-Origin
	}{
		{nil, origin, ""},
		{[]template.CORSRule{rule}, origin, origin},
		{[]template.CORSRule{rule}, other, ""},
		{nil, origin, ""}, // a rule that the template no longer has
	} {
		if err := engines.CreateBuckets(t.Context(), access, []template.Bucket{{Name: "uploads", CORS: test.rules}}); err != nil {
			t.Fatal(err)
		}
		for _, method := range []string{http.MethodOptions, http.MethodPost} {
			if got := allowedOrigin(t, method, p.Endpoint+"/uploads", test.from); got != test.want {
				t.Errorf("%s from %s with %v: the bucket allows %q, want %q", method, test.from, test.rules, got, test.want)
			}
		}
	}
}

// allowedOrigin sends a preflight request, or a post without the form that would make it succeed.
func allowedOrigin(t *testing.T, method, url, origin string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", origin)
	if method == http.MethodOptions {
		r.Header.Set("Access-Control-Request-Method", http.MethodPost)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.Header.Get("Access-Control-Allow-Origin")
}

func expectBuckets(t *testing.T, a engines.S3Access, want []template.Bucket) {
	t.Helper()
	client := s3.New(s3.Options{
		Region: engines.Region, BaseEndpoint: aws.String(a.Endpoint), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(a.AccessKey, a.SecretKey, ""),
	})
	out, err := client.ListBuckets(t.Context(), &s3.ListBucketsInput{})
	if err != nil {
		t.Fatal(err)
	}
	var got []template.Bucket
	for _, b := range out.Buckets {
		got = append(got, template.Bucket{Name: *b.Name})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
