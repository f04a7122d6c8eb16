package chartss3_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

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

func TestIndexByVersion(t *testing.T) {
	bucket := awstest.Bucket(t)
	shelf := chartss3.NewShelf(awstest.S3(t), bucket)
	if _, err := shelf.Index(t.Context(), ""); !errors.Is(err, charts.ErrNoIndex) {
		t.Errorf("no index: %v", err)
	}
	put(t, bucket, charts.IndexKey, "one")
	first, err := shelf.Index(t.Context(), "")
	if err != nil || string(first.Contents) != "one" || first.Version == "" || time.Since(first.Modified).Abs() > time.Hour {
		t.Fatalf("the index is %+v (%v)", first, err)
	}
	if _, err := shelf.Index(t.Context(), first.Version); !errors.Is(err, charts.ErrSame) {
		t.Errorf("the same index: %v", err)
	}
	put(t, bucket, charts.IndexKey, "two")
	second, err := shelf.Index(t.Context(), first.Version)
	if err != nil || string(second.Contents) != "two" || second.Version == first.Version {
		t.Errorf("the next index is %+v (%v)", second, err)
	}
}

func TestMissingBucketIsNoEmptyRepository(t *testing.T) {
	shelf := chartss3.NewShelf(awstest.S3(t), "there-is-no-such-bucket")
	if _, err := shelf.Index(t.Context(), ""); err == nil || errors.Is(err, charts.ErrNoIndex) || fault.As(err) != nil {
		t.Errorf("the index of a bucket that is not there: %v", err)
	}
}

func TestHas(t *testing.T) {
	bucket := awstest.Bucket(t)
	shelf := chartss3.NewShelf(awstest.S3(t), bucket)
	put(t, bucket, "charts/a-1.0.0+b.tgz.prov", "signed")
	for key, want := range map[string]bool{"charts/a-1.0.0+b.tgz.prov": true, "charts/a-1.0.0+b.tgz": false, "charts/": false} {
		if has, err := shelf.Has(t.Context(), key); err != nil || has != want {
			t.Errorf("has %s: %v, want %v (%v)", key, has, want, err)
		}
	}
}

func TestLinkIsForOneMethod(t *testing.T) {
	bucket := awstest.Bucket(t)
	shelf := chartss3.NewShelf(awstest.S3(t), bucket)
	put(t, bucket, "archives/a.tgz", "archive")
	for _, c := range []struct {
		head   bool
		method string
		status int
	}{{false, http.MethodGet, 200}, {false, http.MethodHead, 403}, {true, http.MethodHead, 200}, {true, http.MethodGet, 403}} {
		link, err := shelf.Link(t.Context(), charts.Request{Key: "archives/a.tgz", Head: c.head, Type: "application/gzip"})
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
			t.Errorf("%s with a link for HEAD (%v): status %d, want %d", c.method, c.head, answer.StatusCode, c.status)
		}
	}
}

// transport responds in place of S3.
type transport func(*http.Request) (*http.Response, error)

// Do implements s3.HTTPClient.
func (f transport) Do(r *http.Request) (*http.Response, error) { return f(r) }

func TestOutagesAreTold(t *testing.T) {
	for name, c := range map[string]struct {
		broken transport
		away   bool
	}{
		"no connection": {func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }, true},
		"slow down":     {func(*http.Request) (*http.Response, error) { return answer(503, strings.NewReader("")), nil }, true},
		"no time left":  {func(*http.Request) (*http.Response, error) { return nil, context.DeadlineExceeded }, true},
		"not allowed":   {func(*http.Request) (*http.Response, error) { return answer(403, strings.NewReader("")), nil }, false},
	} {
		shelf := chartss3.NewShelf(s3.New(awstest.S3(t).Options(), func(o *s3.Options) { o.HTTPClient = c.broken }), "bucket")
		_, ofIndex := shelf.Index(t.Context(), "")
		_, ofHas := shelf.Has(t.Context(), "key")
		for _, err := range []error{ofIndex, ofHas} {
			if err == nil || errors.Is(err, charts.ErrUnavailable) != c.away {
				t.Errorf("%s: %v; want it away: %v", name, err, c.away)
			}
		}
	}
}

func TestIndexCutShort(t *testing.T) {
	cut := transport(func(*http.Request) (*http.Response, error) {
		return answer(200, io.MultiReader(strings.NewReader("half"), broken{})), nil
	})
	shelf := chartss3.NewShelf(s3.New(awstest.S3(t).Options(), func(o *s3.Options) { o.HTTPClient = cut }), "bucket")
	if stored, err := shelf.Index(t.Context(), ""); !errors.Is(err, charts.ErrUnavailable) {
		t.Errorf("half an index: %+v, %v", stored, err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func answer(status int, body io.Reader) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Etag": {`"1"`}}, Body: io.NopCloser(body), ContentLength: -1}
}

func TestLinkWithoutKeysIsNone(t *testing.T) {
	client := s3.New(awstest.S3(t).Options(), func(o *s3.Options) {
		o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{}, context.DeadlineExceeded
		})
	})
	link, err := chartss3.NewShelf(client, "bucket").Link(t.Context(), charts.Request{Key: "key", Type: "text/plain"})
	if link != "" || !errors.Is(err, charts.ErrUnavailable) {
		t.Errorf("a link %q, and %v", link, err)
	}
}
