package medias3_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/jobs"
	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
)

const (
	ada = "0192f3a1-0000-7000-8000-000000000001"
	bob = "0192f3a1-0000-7000-8000-000000000002"
)

// testStore is a Store on a real S3. Its clock is the engine's, plus the time by which a test advances it.
type testStore struct {
	*medias3.Store
	advance time.Duration
}

func newTestStore(tb testing.TB) *testStore {
	tb.Helper()
	c := &testStore{}
	c.Store = medias3.New(awstest.S3(tb), awstest.Bucket(tb), func() time.Time { return awstest.RealTime().Add(c.advance) })
	return c
}

func source(text string) documents.Source {
	return documents.FromBytes([]byte(text))
}

func (c *testStore) read(t *testing.T, id string) string {
	t.Helper()
	file, closeFile, err := c.OpenUpload(t.Context(), ada, id)
	if err != nil {
		t.Fatal(err)
	}
	defer closeFile()
	text, err := io.ReadAll(io.NewSectionReader(file, 0, file.Size))
	if err != nil || file.Sum != sha256.Sum256(text) {
		t.Fatalf("error %v, or wrong checksum", err)
	}
	return string(text)
}

//proves:docs/security.md
func TestUploadBelongsToItsOwner(t *testing.T) {
	c, id := newTestStore(t), uuid.NewString()
	if err := c.SaveUpload(t.Context(), ada, id, source("an invoice")); err != nil {
		t.Fatal(err)
	}
	if got := c.read(t, id); got != "an invoice" {
		t.Errorf("got %q", got)
	}
	for _, other := range []struct{ owner, id string }{{bob, id}, {ada, uuid.NewString()}, {ada, ""}, {ada, "../" + bob + "/" + id}} {
		if _, _, err := c.OpenUpload(t.Context(), other.owner, other.id); !errors.Is(err, jobs.ErrNoUpload) {
			t.Errorf("%v: %v", other, err)
		}
	}
	c.advance = media.Retention
	if _, _, err := c.OpenUpload(t.Context(), ada, id); !errors.Is(err, jobs.ErrNoUpload) {
		t.Errorf("after a day: error %v, want ErrNoUpload", err)
	}
}

func TestOfferAcceptsFileOfItsOwner(t *testing.T) {
	c := newTestStore(t)
	offer, err := c.Offer(t.Context(), ada, medias3.MaxUploadBytes, nil)
	if err != nil {
		t.Fatal(err)
	}
	if status := post(t, offer, "a large recording"); status != http.StatusNoContent {
		t.Fatalf("status %d", status)
	}
	if got := c.read(t, offer.ID); got != "a large recording" {
		t.Errorf("got %q", got)
	}
	offer.Fields["key"] = strings.Replace(offer.Fields["key"], ada, bob, 1)
	if status := post(t, offer, "for somebody else"); status < http.StatusBadRequest {
		t.Errorf("post to the key of another user: status %d", status)
	}
}

// An offer does not accept a file that is too large to be read.
//
//proves:docs/security.md
func TestUploadSizeIsLimited(t *testing.T) {
	c, id := newTestStore(t), uuid.NewString()
	offer, err := c.Offer(t.Context(), ada, medias3.MaxUploadBytes, nil)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := base64.StdEncoding.DecodeString(offer.Fields["policy"])
	if err != nil || !strings.Contains(string(policy), `["content-length-range",1,209715200]`) {
		t.Errorf("policy %s, error %v", policy, err)
	}
	if err := c.SaveUpload(t.Context(), ada, id, source("too much")); err != nil {
		t.Fatal(err)
	}
	c.SetMaxUpload(8)
	if got := c.read(t, id); got != "too much" {
		t.Errorf("got %q", got)
	}
	c.SetMaxUpload(7)
	_, _, err = c.OpenUpload(t.Context(), ada, id)
	if !errors.Is(err, documents.ErrTooMuch) || !strings.HasPrefix(fault.As(err).Detail, "The upload has more than 200 MB") {
		t.Errorf("got %v", err)
	}
}

// A failure of the disk is an internal error, because a repeated request would not help.
func TestOpenUploadReportsDiskFailure(t *testing.T) {
	c, id := newTestStore(t), uuid.NewString()
	if err := c.SaveUpload(t.Context(), ada, id, source("an invoice")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "gone"))
	if _, _, err := c.OpenUpload(t.Context(), ada, id); err == nil || fault.As(err) != nil {
		t.Errorf("got %v", err)
	}
}

// post sends a form as docs/media.md has curl do it.
func post(t *testing.T, offer medias3.Offer, content string) int {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range offer.Fields {
		if err := form.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	file, err := form.CreateFormFile("file", "recording.mp3")
	if err == nil {
		_, err = io.WriteString(file, content)
	}
	if err = errors.Join(err, form.Close()); err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, offer.URL, &body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}

//proves:docs/security.md
func TestJobBelongsToItsOwner(t *testing.T) {
	c := newTestStore(t)
	job := jobs.Job{
		ID: uuid.NewString(), Owner: ada, Status: jobs.Queued, Uploads: []string{uuid.NewString()}, CreatedAt: awstest.RealTime().UTC(),
		Question: media.Question{Task: media.Extract, Variables: []answers.Variable{{Name: "total", Type: answers.Number}}},
	}
	if err := c.StartJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	job.Status, job.Answer = jobs.Succeeded, &media.Answer{Extracted: map[string]any{"total": json.Number("1234.50")}, Warnings: []string{}}
	save(t, c.Store, job)
	got, err := c.Job(t.Context(), ada, job.ID)
	job.Version, job.SavedAt = got.Version, got.SavedAt
	if diff := cmp.Diff(job, got, cmpopts.IgnoreUnexported(media.Answer{})); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, other := range []struct{ owner, id string }{{bob, job.ID}, {ada, uuid.NewString()}, {ada, "x/../" + job.ID}} {
		if _, err := c.Job(t.Context(), other.owner, other.id); !errors.Is(err, jobs.ErrNoJob) {
			t.Errorf("%v: %v", other, err)
		}
	}
}

// If equal requests start a job at the same time, one of them succeeds.
func TestStartJobSucceedsOnce(t *testing.T) {
	c := newTestStore(t)
	job := jobs.Job{ID: uuid.NewString(), Owner: ada, Status: jobs.Queued, Uploads: []string{}, CreatedAt: awstest.RealTime().UTC()}
	for round := range 2 { // without a stored job, and over one that has ended
		var started atomic.Int32
		var running sync.WaitGroup
		for range 8 {
			running.Go(func() {
				switch err := c.StartJob(t.Context(), job); {
				case err == nil:
					started.Add(1)
				case !errors.Is(err, jobs.ErrAlreadyStarted) && !errors.Is(err, medias3.ErrUnavailable):
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		running.Wait()
		if started.Load() != 1 {
			t.Errorf("round %d: started %d times", round, started.Load())
		}
		known, err := c.Job(t.Context(), ada, job.ID)
		if err != nil || known.Version == "" {
			t.Fatalf("round %d: %+v, %v", round, known, err)
		}
		job.Version, job.Attempts = known.Version, round+1
	}
	job.Version = ""
	if err := c.StartJob(t.Context(), job); !errors.Is(err, jobs.ErrAlreadyStarted) {
		t.Errorf("over a job of unknown version: error %v, want ErrAlreadyStarted", err)
	}
	c.advance = media.Retention
	if err := c.StartJob(t.Context(), job); err != nil {
		t.Errorf("over an expired job: error %v", err)
	}
}

func TestResultExpiresAfterADay(t *testing.T) {
	c := newTestStore(t)
	if _, found, err := c.FindResult(t.Context(), "key"); found || err != nil {
		t.Fatalf("found %v, %v", found, err)
	}
	answer := media.Answer{Summary: "short", Extracted: map[string]any{}, Warnings: []string{"one"}}
	if err := c.SaveResult(t.Context(), "key", answer); err != nil {
		t.Fatal(err)
	}
	got, found, err := c.FindResult(t.Context(), "key")
	if err != nil || !found || got.Summary != "short" || got.Extracted == nil || len(got.Warnings) != 1 {
		t.Errorf("got %+v, %v, %v", got, found, err)
	}
	c.advance = media.Retention
	if _, found, err := c.FindResult(t.Context(), "key"); found || err != nil {
		t.Errorf("after a day: %v, %v", found, err)
	}
}

func TestMissingBucketIsNotAnOutage(t *testing.T) {
	client := awstest.S3(t)
	store := medias3.New(client, "no-such-bucket-"+strings.ToLower(uuid.NewString()), awstest.RealTime)
	err := store.SaveResult(t.Context(), "key", media.Answer{})
	if err == nil || errors.Is(err, medias3.ErrUnavailable) {
		t.Errorf("error %v, want an internal error", err)
	}
}
