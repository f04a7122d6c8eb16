package chartss3_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/charts"
	"portside/shared/charts/chartss3"
	"portside/shared/core/fault"
	"portside/shared/testkit/awstest"
)

func put(tb testing.TB, bucket, key, contents string) {
	tb.Helper()
	input := &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader(contents)}
	if _, err := awstest.S3(tb).PutObject(tb.Context(), input); err != nil {
		tb.Fatal(err)
	}
}

func TestIndexReturnsNewVersions(t *testing.T) {
	bucket := awstest.Bucket(t)
	reader := chartss3.NewReader(awstest.S3(t), bucket)
	if _, err := reader.Index(t.Context(), ""); !errors.Is(err, charts.ErrNoIndex) {
		t.Errorf("Index without an index: %v", err)
	}
	put(t, bucket, charts.IndexKey, "one")
	first, err := reader.Index(t.Context(), "")
	if err != nil || string(first.Contents) != "one" || first.Version == "" {
		t.Fatalf("Index = %+v, %v", first, err)
	}
	if _, err := reader.Index(t.Context(), first.Version); !errors.Is(err, charts.ErrSame) {
		t.Errorf("Index with the current version: %v", err)
	}
	put(t, bucket, charts.IndexKey, "two")
	second, err := reader.Index(t.Context(), first.Version)
	if err != nil || string(second.Contents) != "two" || second.Version == first.Version {
		t.Errorf("next Index = %+v, %v", second, err)
	}
}

func TestMissingBucketIsAnError(t *testing.T) {
	reader := chartss3.NewReader(awstest.S3(t), "missing-bucket")
	if _, err := reader.Index(t.Context(), ""); err == nil || errors.Is(err, charts.ErrNoIndex) || fault.As(err) != nil {
		t.Errorf("index of a missing bucket: %v", err)
	}
}

func TestStatAndOpen(t *testing.T) {
	bucket := awstest.Bucket(t)
	reader := chartss3.NewReader(awstest.S3(t), bucket)
	put(t, bucket, "charts/a-1.0.0+b.tgz.prov", "signed")
	for key, want := range map[string]int64{"charts/a-1.0.0+b.tgz.prov": 6, "charts/a-1.0.0+b.tgz": 0, "charts/": 0} {
		if size, found, err := reader.Stat(t.Context(), key); err != nil || found != (want > 0) || size != want {
			t.Errorf("%s: found %v with %d bytes, want %d (%v)", key, found, size, want, err)
		}
		opened, err := reader.Open(t.Context(), key)
		if want == 0 {
			if !errors.Is(err, charts.ErrNoObject) || fault.As(err) != nil {
				t.Errorf("open the missing object %s: %v", key, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(opened.Body)
		if err := errors.Join(err, opened.Body.Close()); err != nil || string(content) != "signed" || opened.Size != want {
			t.Errorf("%s contains %q (%d bytes), %v", key, content, opened.Size, err)
		}
	}
}

//proves:docs/security.md
func TestLinkWorksForOneMethod(t *testing.T) {
	bucket := awstest.Bucket(t)
	reader := chartss3.NewReader(awstest.S3(t), bucket)
	put(t, bucket, "archives/a.tgz", "archive")
	for _, c := range []struct {
		head   bool
		method string
		status int
	}{{false, http.MethodGet, 200}, {false, http.MethodHead, 403}, {true, http.MethodHead, 200},
		{true, http.MethodGet, 403}} {
		t.Run(fmt.Sprintf("%s with a link for HEAD (%v)", c.method, c.head), func(t *testing.T) {
			link, err := reader.Link(t.Context(), charts.Request{Key: "archives/a.tgz", Head: c.head, Type: "application/gzip"})
			if err != nil {
				t.Fatal(err)
			}
			r, err := http.NewRequestWithContext(t.Context(), c.method, link, nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.StatusCode != c.status {
				t.Errorf("status %d, want %d", answer.StatusCode, c.status)
			}
		})
	}
}

// transport responds in place of S3.
type transport func(*http.Request) (*http.Response, error)

// Do implements s3.HTTPClient.
func (f transport) Do(r *http.Request) (*http.Response, error) { return f(r) }

func TestOutagesAreErrUnavailable(t *testing.T) {
	for name, c := range map[string]struct {
		broken transport
		away   bool
	}{
		"no connection": {func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }, true},
		"slow down":     {func(*http.Request) (*http.Response, error) { return answer(503, strings.NewReader("")), nil }, true},
		"no time left":  {func(*http.Request) (*http.Response, error) { return nil, context.DeadlineExceeded }, true},
		"not allowed":   {func(*http.Request) (*http.Response, error) { return answer(403, strings.NewReader("")), nil }, false},
	} {
		t.Run(name, func(t *testing.T) {
			reader := chartss3.NewReader(s3.New(awstest.S3(t).Options(), func(o *s3.Options) { o.HTTPClient = c.broken }), "bucket")
			_, ofIndex := reader.Index(t.Context(), "")
			_, _, ofStat := reader.Stat(t.Context(), "key")
			_, ofOpen := reader.Open(t.Context(), "key")
			for _, err := range []error{ofIndex, ofStat, ofOpen} {
				if err == nil || errors.Is(err, charts.ErrUnavailable) != c.away {
					t.Errorf("%s: %v; want ErrUnavailable: %v", name, err, c.away)
				}
			}
		})
	}
}

func TestTruncatedIndexIsErrUnavailable(t *testing.T) {
	cut := transport(func(*http.Request) (*http.Response, error) {
		return answer(200, io.MultiReader(strings.NewReader("half"), brokenBody{})), nil
	})
	reader := chartss3.NewReader(s3.New(awstest.S3(t).Options(), func(o *s3.Options) { o.HTTPClient = cut }), "bucket")
	if stored, err := reader.Index(t.Context(), ""); !errors.Is(err, charts.ErrUnavailable) {
		t.Errorf("truncated index: %+v, %v", stored, err)
	}
}

type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func answer(status int, body io.Reader) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Etag": {`"1"`}}, Body: io.NopCloser(body),
		ContentLength: -1}
}

func TestLinkFailsWithoutCredentials(t *testing.T) {
	client := s3.New(awstest.S3(t).Options(), func(o *s3.Options) {
		o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{}, context.DeadlineExceeded
		})
	})
	link, err := chartss3.NewReader(client, "bucket").Link(t.Context(), charts.Request{Key: "key", Type: "text/plain"})
	if link != "" || !errors.Is(err, charts.ErrUnavailable) {
		t.Errorf("Link = %q, %v", link, err)
	}
}
