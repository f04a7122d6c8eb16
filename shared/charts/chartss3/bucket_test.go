package chartss3_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/charts"
	"portside/shared/charts/chartss3"
	"portside/shared/core/versions"
	"portside/shared/testkit/awstest"
)

func TestBucketWritesAreConditional(t *testing.T) {
	bucket := chartss3.NewBucket(awstest.S3(t), awstest.Bucket(t))
	const key = "charts/a b+ü%-1.0.0.tgz"
	put := func(body, over string) error { return bucket.Put(t.Context(), key, []byte(body), over) }
	see := func() charts.Object {
		object, err := bucket.Get(t.Context(), key, 100)
		if err != nil && !errors.Is(err, charts.ErrNoObject) {
			t.Fatal(err)
		}
		return object
	}
	var old charts.Object
	steps := []struct {
		name string
		do   func() error
		want error
		body string
	}{
		{"over a version of nothing", func() error { return put("x", `"0123456789abcdef0123456789abcdef"`) }, versions.ErrStale, ""},
		{"over nothing", func() error { return put("one", charts.Nothing) }, nil, "one"},
		{"over nothing again", func() error { return put("two", charts.Nothing) }, versions.ErrStale, "one"},
		{"over the version", func() error { old = see(); return put("two", old.Version) }, nil, "two"},
		{"over an old version", func() error { return put("three", old.Version) }, versions.ErrStale, "two"},
		{"over anything", func() error { return put("three", charts.Anything) }, nil, "three"},
		{"copy of an old version", func() error { return bucket.Copy(t.Context(), old, "rejected/x") }, versions.ErrStale, "three"},
		{"copy", func() error { return bucket.Copy(t.Context(), see(), "rejected/a b+ü%") }, nil, "three"},
		{"delete of an old version", func() error { return bucket.Delete(t.Context(), old) }, versions.ErrStale, "three"},
		{"delete", func() error { old = see(); return bucket.Delete(t.Context(), old) }, nil, ""},
		{"delete again", func() error { return bucket.Delete(t.Context(), old) }, nil, ""},
		{"copy of nothing", func() error { return bucket.Copy(t.Context(), old, "rejected/x") }, versions.ErrStale, ""},
	}
	for _, step := range steps {
		if err := step.do(); !errors.Is(err, step.want) || step.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", step.name, err, step.want)
		}
		if got := string(see().Body); got != step.body {
			t.Errorf("%s: contents = %q, want %q", step.name, got, step.body)
		}
	}
	all, err := bucket.List(t.Context(), "")
	if err != nil || len(all) != 1 || all[0].Key != "rejected/a b+ü%" || all[0].Size != 5 {
		t.Errorf("List = %+v, %v", all, err)
	}
}

// A copy of tags needs permissions that the indexing function does not have, so a vendor's tags would prevent a
// rejection.
func TestBucketCopiesNoTags(t *testing.T) {
	client, name := awstest.S3(t), awstest.Bucket(t)
	bucket := chartss3.NewBucket(client, name)
	_, err := client.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: &name, Key: aws.String("charts/x"), Body: strings.NewReader("hello"), Tagging: aws.String("team=a"),
	})
	if err != nil {
		t.Fatal(err)
	}
	object, err := bucket.Get(t.Context(), "charts/x", 0)
	if err == nil {
		err = bucket.Copy(t.Context(), object, "rejected/x")
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := client.GetObjectTagging(t.Context(),
		&s3.GetObjectTaggingInput{Bucket: &name, Key: aws.String("rejected/x")})
	if err != nil || len(out.TagSet) != 0 {
		t.Errorf("the copy has %d tags, %v", len(out.TagSet), err)
	}
}

// TestBucketGetRespectsLimit also checks that Get and List describe an object in the same
// way.
func TestBucketGetRespectsLimit(t *testing.T) {
	bucket := chartss3.NewBucket(awstest.S3(t), awstest.Bucket(t))
	if err := bucket.Put(t.Context(), "charts/x", []byte("hello"), charts.Anything); err != nil {
		t.Fatal(err)
	}
	listed, err := bucket.List(t.Context(), "charts/")
	if err != nil || len(listed) != 1 {
		t.Fatal(listed, err)
	}
	for limit, want := range map[int64]string{0: "", 4: "", 5: "hello", 100: "hello"} {
		got, err := bucket.Get(t.Context(), "charts/x", limit)
		if err != nil || string(got.Body) != want {
			t.Errorf("limit %d: %q, %v", limit, got.Body, err)
		}
		if l := listed[0]; got.Version != l.Version || got.Size != l.Size || !got.Modified.Equal(l.Modified) ||
			got.Modified.IsZero() {
			t.Errorf("limit %d: Get = %+v, List = %+v", limit, got, l)
		}
	}
}

// TestConflictOfTwoWrites uses a server that returns 409, as S3 does for one of two simultaneous writes, because
// no local engine does.
func TestConflictOfTwoWrites(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(`<Error><Code>ConditionalRequestConflict</Code></Error>`))
	}))
	t.Cleanup(server.Close)
	client := s3.New(awstest.S3(t).Options(), func(o *s3.Options) { o.BaseEndpoint = &server.URL })
	err := chartss3.NewBucket(client, "bucket").Put(t.Context(), "index.yaml", []byte("x"), charts.Nothing)
	if !errors.Is(err, versions.ErrStale) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error = %v, want ErrStale", err)
	}
}
