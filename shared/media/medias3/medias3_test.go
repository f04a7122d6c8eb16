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
	"github.com/google/uuid"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
)

const (
	ada = "0192f3a1-0000-7000-8000-000000000001"
	bob = "0192f3a1-0000-7000-8000-000000000002"
)

// cupboard is a store on a real S3, with a clock that runs with the engine's until the test moves it on.
type cupboard struct {
	*medias3.Store
	ahead time.Duration
}

func newCupboard(tb testing.TB) *cupboard {
	tb.Helper()
	c := &cupboard{}
	c.Store = medias3.New(awstest.S3(tb), awstest.Bucket(tb), func() time.Time { return awstest.RealTime().Add(c.ahead) })
	return c
}

func source(text string) documents.Source {
	return documents.Source{ReaderAt: strings.NewReader(text), Size: int64(len(text))}
}

func (c *cupboard) read(t *testing.T, id string) string {
	t.Helper()
	file, done, err := c.OpenUpload(t.Context(), ada, id)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	text, err := io.ReadAll(io.NewSectionReader(file, 0, file.Size))
	if err != nil || file.Sum != sha256.Sum256(text) {
		t.Fatalf("%v, the sum is another", err)
	}
	return string(text)
}

func TestUploadsAreTheirOwners(t *testing.T) {
	c, id := newCupboard(t), uuid.NewString()
	if err := c.SaveUpload(t.Context(), ada, id, source("an invoice")); err != nil {
		t.Fatal(err)
	}
	if got := c.read(t, id); got != "an invoice" {
		t.Errorf("got %q", got)
	}
	for _, other := range []struct{ owner, id string }{{bob, id}, {ada, uuid.NewString()}, {ada, ""}, {ada, "../" + bob + "/" + id}} {
		if _, _, err := c.OpenUpload(t.Context(), other.owner, other.id); !errors.Is(err, media.ErrNoUpload) {
			t.Errorf("%v: %v", other, err)
		}
	}
	c.ahead = media.Retention
	if _, _, err := c.OpenUpload(t.Context(), ada, id); !errors.Is(err, media.ErrNoUpload) {
		t.Errorf("after a day: %v", err)
	}
}

func TestUploadsAreDropped(t *testing.T) {
	c, id := newCupboard(t), uuid.NewString()
	if err := c.SaveUpload(t.Context(), ada, id, source("an invoice")); err != nil {
		t.Fatal(err)
	}
	if err := c.DeleteUpload(t.Context(), bob, id); err != nil {
		t.Errorf("one that is not there: %v", err)
	}
	if got := c.read(t, id); got != "an invoice" {
		t.Errorf("somebody else's drop leaves %q", got)
	}
	if err := c.DeleteUpload(t.Context(), ada, id); err != nil {
		t.Error(err)
	}
	if _, _, err := c.OpenUpload(t.Context(), ada, id); !errors.Is(err, media.ErrNoUpload) {
		t.Errorf("afterwards: %v", err)
	}
}

func TestOfferTakesOneFile(t *testing.T) {
	c := newCupboard(t)
	offer, err := c.Offer(t.Context(), ada)
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
		t.Errorf("another key: status %d", status)
	}
}

// Nobody is let send what nobody can read.
func TestUploadsAreBounded(t *testing.T) {
	c, id := newCupboard(t), uuid.NewString()
	offer, err := c.Offer(t.Context(), ada)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := base64.StdEncoding.DecodeString(offer.Fields["policy"])
	if err != nil || !strings.Contains(string(policy), `["content-length-range",1,209715200]`) {
		t.Errorf("%v, the policy is %s", err, policy)
	}
	if err := c.SaveUpload(t.Context(), ada, id, source("too much")); err != nil {
		t.Fatal(err)
	}
	c.Bound(8)
	if got := c.read(t, id); got != "too much" {
		t.Errorf("got %q", got)
	}
	c.Bound(7)
	_, _, err = c.OpenUpload(t.Context(), ada, id)
	if !errors.Is(err, documents.ErrTooMuch) || !strings.HasPrefix(fault.As(err).Detail, "The upload has more than 200 MB") {
		t.Errorf("got %v", err)
	}
}

// That S3 may be there another time is no help against a disk of our own.
func TestWithoutADiskIsNoOutageOfS3(t *testing.T) {
	c, id := newCupboard(t), uuid.NewString()
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

func TestJobsAreTheirOwners(t *testing.T) {
	c := newCupboard(t)
	job := media.Job{
		ID: uuid.NewString(), Owner: ada, Status: media.Queued, Uploads: []string{uuid.NewString()}, CreatedAt: awstest.RealTime().UTC(),
		Question: media.Question{Task: media.Extract, Variables: []answers.Variable{{Name: "total", Type: answers.Number}}},
	}
	if err := c.StartJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	job.Status, job.Answer = media.Succeeded, &media.Answer{Extracted: map[string]any{"total": json.Number("1234.50")}, Warnings: []string{}}
	if err := c.SaveJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	got, err := c.Job(t.Context(), ada, job.ID)
	job.Version = got.Version
	if diff := cmp.Diff(job, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, other := range []struct{ owner, id string }{{bob, job.ID}, {ada, uuid.NewString()}, {ada, "x/../" + job.ID}} {
		if _, err := c.Job(t.Context(), other.owner, other.id); !errors.Is(err, media.ErrNoJob) {
			t.Errorf("%v: %v", other, err)
		}
	}
}

// Of equal requests at one instant, one has the job.
func TestAJobIsStartedOnce(t *testing.T) {
	c := newCupboard(t)
	job := media.Job{ID: uuid.NewString(), Owner: ada, Status: media.Queued, Uploads: []string{}, CreatedAt: awstest.RealTime().UTC()}
	for round := range 2 { // over none, and over one that ended
		var started atomic.Int32
		var running sync.WaitGroup
		for range 8 {
			running.Go(func() {
				switch err := c.StartJob(t.Context(), job); {
				case err == nil:
					started.Add(1)
				case !errors.Is(err, media.ErrAlreadyStarted) && !errors.Is(err, medias3.ErrAway):
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
	if err := c.StartJob(t.Context(), job); !errors.Is(err, media.ErrAlreadyStarted) {
		t.Errorf("over one that is not known: %v", err)
	}
	c.ahead = media.Retention
	if err := c.StartJob(t.Context(), job); err != nil {
		t.Errorf("over one that has outlived its time: %v", err)
	}
}

func TestAnswersAreKeptForADay(t *testing.T) {
	c := newCupboard(t)
	if _, found, err := c.FindResult(t.Context(), "key"); found || err != nil {
		t.Fatalf("found %v, %v", found, err)
	}
	if err := c.SaveResult(t.Context(), "key", media.Answer{Summary: "short", Extracted: map[string]any{}, Warnings: []string{"one"}}); err != nil {
		t.Fatal(err)
	}
	got, found, err := c.FindResult(t.Context(), "key")
	if err != nil || !found || got.Summary != "short" || got.Extracted == nil || len(got.Warnings) != 1 {
		t.Errorf("got %+v, %v, %v", got, found, err)
	}
	c.ahead = media.Retention
	if _, found, err := c.FindResult(t.Context(), "key"); found || err != nil {
		t.Errorf("after a day: %v, %v", found, err)
	}
}

func TestOutagesAreTold(t *testing.T) {
	client := awstest.S3(t)
	store := medias3.New(client, "no-such-bucket-"+strings.ToLower(uuid.NewString()), awstest.RealTime)
	err := store.SaveResult(t.Context(), "key", media.Answer{})
	if err == nil || errors.Is(err, medias3.ErrAway) {
		t.Errorf("a bucket that is not there is no outage: %v", err)
	}
}
