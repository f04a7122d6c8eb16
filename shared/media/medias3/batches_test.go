package medias3_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"portside/shared/media"
	"portside/shared/media/jobs"
	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
)

// newBatch returns the job of a batch that is not started.
func newBatch(owner string) jobs.Job {
	return jobs.Job{
		ID: uuid.NewString(), Owner: owner, Status: jobs.Queued, Uploads: []string{}, CreatedAt: awstest.RealTime().UTC(),
		Batch: &jobs.Batch{},
	}
}

// A batch has a separate slot, so it neither waits for other jobs nor delays them.
func TestOwnerHasOneBatch(t *testing.T) {
	c := newTestStore(t)
	for range jobs.MaxOpenJobs {
		job := newBatch(ada)
		job.Batch = nil
		if err := c.StartJob(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
	first, second := newBatch(ada), newBatch(ada)
	if err := c.StartJob(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if err := c.StartJob(t.Context(), second); !errors.Is(err, jobs.ErrTooManyBatches) {
		t.Errorf("second batch: %v, want ErrTooManyBatches", err)
	}
	if err := c.StartJob(t.Context(), newBatch(bob)); err != nil {
		t.Errorf("batch of another owner: %v", err)
	}
	stored, err := c.Job(t.Context(), ada, first.ID)
	if err != nil {
		t.Fatal(err)
	}
	stored.Status = jobs.Succeeded
	if _, err := c.SaveJob(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	if err := c.StartJob(t.Context(), second); err != nil {
		t.Errorf("after the first batch ended: %v", err)
	}
}

// A start that was interrupted can leave its slot without a job. The repeated request gets the slot, and another batch
// does not.
func TestRepeatedStartGetsItsSlot(t *testing.T) {
	client, bucket := awstest.S3(t), awstest.Bucket(t)
	store := medias3.New(client, bucket, awstest.RealTime)
	job := newBatch(ada)
	if err := store.StartJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	key := "jobs/" + job.Owner + "/" + job.ID
	if _, err := client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &bucket, Key: &key}); err != nil {
		t.Fatal(err)
	}
	if err := store.StartJob(t.Context(), newBatch(ada)); !errors.Is(err, jobs.ErrTooManyBatches) {
		t.Errorf("another batch: %v, want ErrTooManyBatches", err)
	}
	if err := store.StartJob(t.Context(), job); err != nil {
		t.Errorf("the same batch: %v", err)
	}
}

// Another run that continues the same version of the job loses, and sends no event.
func TestContinueJobOnce(t *testing.T) {
	c := newTestStore(t)
	job := newBatch(ada)
	if err := c.StartJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	stored, err := c.Job(t.Context(), ada, job.ID)
	if err != nil {
		t.Fatal(err)
	}
	stored.Batch.Runs = 1
	if err := c.ContinueJob(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	stored.Batch.Runs = 2
	if err := c.ContinueJob(t.Context(), stored); !errors.Is(err, jobs.ErrJobChanged) {
		t.Errorf("again from the same version: %v, want ErrJobChanged", err)
	}
}

//proves:docs/security.md
func TestResultsURL(t *testing.T) {
	c := newTestStore(t)
	job := newBatch(ada)
	if err := c.SaveResults(t.Context(), job, jobs.CSV, media.File{Source: source("name\r\n")}); err != nil {
		t.Fatal(err)
	}
	url, err := c.ResultsURL(t.Context(), job, jobs.CSV)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(url, "&X-Amz-Expires=900&") {
		t.Errorf("the URL is not valid for 15 minutes: %s", url)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil || string(text) != "name\r\n" {
		t.Errorf("file %q, error %v", text, err)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": `attachment; filename="results.csv"`,
	} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if _, err := c.Line(t.Context(), job, 0); !errors.Is(err, jobs.ErrNoLine) {
		t.Errorf("line that is not stored: %v, want ErrNoLine", err)
	}
}
