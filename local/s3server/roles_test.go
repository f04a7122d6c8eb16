package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/local/iam"
	"portside/testclient"
)

const arn = "arn:aws:s3:::" + bucket

// readerRole reads and writes below open/, and may not list. listerRole may only list and read.
var testRoles = []iam.Role{
	{ID: "ReaderRole", Statements: []iam.Statement{
		{Actions: []string{"s3:GetObject", "s3:PutObject"}, Resources: []string{arn + "/open/*"}},
		{Actions: []string{"s3:PutObject", "s3:DeleteObject"}, Resources: []string{arn + "/writeonly/*"}},
	}},
	{ID: "ListerRole", Statements: []iam.Statement{
		{Actions: []string{"s3:ListBucket"}, Resources: []string{arn}},
		{Actions: []string{"s3:GetObject"}, Resources: []string{arn + "/*"}},
	}},
}

// roleTest is a server that asks an authorizer about testRoles.
type roleTest struct {
	*testing.T
	server
	mu  sync.Mutex
	log []string
}

func newRoleTest(t *testing.T) *roleTest {
	t.Helper()
	r := &roleTest{T: t}
	authorizer := iam.NewAuthorizer("000000000000", func(line string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.log = append(r.log, line)
	})
	authorizer.SetRoles(testRoles)
	stack := httptest.NewServer(authorizer)
	t.Cleanup(stack.Close)
	r.server = startServer(t, t.TempDir(), "-authorize-url", stack.URL)
	root := withBucket(t, r.server)
	for _, key := range []string{"open/a", "closed/a", "writeonly/a"} {
		put(t, root, key, "x")
	}
	return r
}

func (r *roleTest) session(role string) *s3.Client {
	s := iam.NewSession(role)
	return r.with(s.AccessKeyID, s.SessionToken)
}

func (r *roleTest) with(key, token string) *s3.Client {
	return s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(r.url), UsePathStyle: true, RetryMaxAttempts: 1,
		HTTPClient:  testclient.SDKClient{},
		Credentials: credentials.NewStaticCredentialsProvider(key, "local-secret", token),
	})
}

func (r *roleTest) get(client *s3.Client, key string) error {
	out, err := client.GetObject(r.Context(), &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String(key)})
	if err == nil {
		_ = out.Body.Close()
	}
	return err
}

func (r *roleTest) put(client *s3.Client, in s3.PutObjectInput) error {
	in.Bucket, in.Body = aws.String(bucket), strings.NewReader("y")
	_, err := client.PutObject(r.Context(), &in)
	return err
}

// mustDeny checks the error and that the log has one line about it.
func (r *roleTest) mustDeny(err error, action, resource string) {
	r.Helper()
	expectCode(r.T, err, "AccessDenied")
	line := "access denied: ReaderRole in template.yaml does not allow " + action + " on " + resource
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.log) != 1 || r.log[0] != line {
		r.Errorf("the log is %q, want %q", r.log, line)
	}
	r.log = nil
}

func (r *roleTest) mustAllow(err error) {
	r.Helper()
	if err != nil {
		r.Error(err)
	}
}

func TestRolesLimitSessions(t *testing.T) {
	r := newRoleTest(t)
	reader := r.session("ReaderRole")
	r.mustAllow(r.get(reader, "open/a"))
	r.mustAllow(r.put(reader, s3.PutObjectInput{Key: aws.String("open/b")}))
	r.mustDeny(r.get(reader, "closed/a"), "s3:GetObject", arn+"/closed/a")
	r.mustDeny(r.put(reader, s3.PutObjectInput{Key: aws.String("closed/a")}), "s3:PutObject", arn+"/closed/a")
	_, err := reader.DeleteObject(t.Context(),
		&s3.DeleteObjectInput{Bucket: aws.String(bucket), Key: aws.String("open/a")})
	r.mustDeny(err, "s3:DeleteObject", arn+"/open/a")
	_, err = reader.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: aws.String(bucket)})
	r.mustDeny(err, "s3:ListBucket", arn)
	_, err = reader.CopyObject(t.Context(), &s3.CopyObjectInput{
		Bucket: aws.String(bucket), Key: aws.String("open/c"), CopySource: aws.String(bucket + "/closed/a"),
	})
	r.mustDeny(err, "s3:GetObject", arn+"/closed/a")
}

// S3 hides whether an object exists from callers who may not list the bucket.
func TestMissingObjectsNeedListBucket(t *testing.T) {
	r := newRoleTest(t)
	r.mustDeny(r.get(r.session("ReaderRole"), "open/missing"), "s3:ListBucket", arn)
	expectCode(t, r.get(r.session("ListerRole"), "open/missing"), "NoSuchKey")
	head := &s3.HeadObjectInput{Bucket: aws.String(bucket), Key: aws.String("open/missing")}
	_, err := r.session("ReaderRole").HeadObject(t.Context(), head)
	expectCode(t, err, "Forbidden")
	_, err = r.session("ListerRole").HeadObject(t.Context(), head)
	expectCode(t, err, "NotFound")
}

// A condition on the ETag shows whether an object has a content.
func TestConditionsOnETagNeedGetObject(t *testing.T) {
	r := newRoleTest(t)
	reader, etag := r.session("ReaderRole"), aws.String(`"9dd4e461268c8034f5c8564e155c67a6"`) // of x
	r.mustAllow(r.put(reader, s3.PutObjectInput{Key: aws.String("open/a"), IfMatch: etag}))
	r.mustAllow(r.put(reader, s3.PutObjectInput{Key: aws.String("writeonly/b"), IfNoneMatch: aws.String("*")}))
	r.mustDeny(r.put(reader, s3.PutObjectInput{Key: aws.String("writeonly/a"), IfMatch: etag}), "s3:GetObject",
		arn+"/writeonly/a")
	in := &s3.DeleteObjectInput{Bucket: aws.String(bucket), Key: aws.String("writeonly/a"), IfMatch: etag}
	_, err := reader.DeleteObject(t.Context(), in)
	r.mustDeny(err, "s3:GetObject", arn+"/writeonly/a")
	in.IfMatch = nil
	_, err = reader.DeleteObject(t.Context(), in)
	r.mustAllow(err)
}

func TestSessionsNeedTheirToken(t *testing.T) {
	r := newRoleTest(t)
	reader, lister := iam.NewSession("ReaderRole"), iam.NewSession("ListerRole")
	for name, client := range map[string]*s3.Client{
		"no token":                     r.with(reader.AccessKeyID, ""),
		"token of another role":        r.with(reader.AccessKeyID, lister.SessionToken),
		"token with a permanent key":   r.with("local", reader.SessionToken),
		"token of an unknown role":     r.session("UnknownRole"),
		"a session without a template": r.with("ASIA", ""),
	} {
		if err := r.get(client, "open/a"); err == nil {
			t.Errorf("%s: the request is allowed", name)
		}
	}
}

func TestPresignedURLsOfSessionsCarryTheToken(t *testing.T) {
	r := newRoleTest(t)
	signer := s3.NewPresignClient(r.session("ReaderRole"))
	for key, want := range map[string]int{"open/a": http.StatusOK, "closed/a": http.StatusForbidden} {
		signed, err := signer.PresignGetObject(t.Context(),
			&s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String(key)})
		if err != nil {
			t.Fatal(err)
		}
		if status, body := do(t, request{method: http.MethodGet, address: signed.URL}); status != want {
			t.Errorf("%s: %d %s", key, status, body)
		}
		before, after, found := strings.Cut(signed.URL, "X-Amz-Security-Token=")
		_, rest, _ := strings.Cut(after, "&")
		status, body := do(t, request{method: http.MethodGet, address: before + rest})
		if !found || status/100 != 4 || !strings.Contains(body, "InvalidToken") {
			t.Errorf("%s without the token: %d %s", key, status, body)
		}
	}
}

func TestFormsOfSessionsCarryTheToken(t *testing.T) {
	r := newRoleTest(t)
	signer := s3.NewPresignClient(r.session("ReaderRole"))
	for key, want := range map[string]int{"open/posted": http.StatusNoContent, "closed/posted": http.StatusForbidden} {
		in := &s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String(key)}
		post, err := signer.PresignPostObject(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if status := postForm(t, post.URL, post.Values); status != want {
			t.Errorf("%s: %d, want %d", key, status, want)
		}
		delete(post.Values, "X-Amz-Security-Token")
		delete(post.Values, "x-amz-security-token")
		if status := postForm(t, post.URL, post.Values); status/100 != 4 {
			t.Errorf("%s without the token: %d", key, status)
		}
	}
}
