package chaos

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"portside/documents"
	"portside/shared/media"
	"portside/shared/media/jobs"
	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
)

// batchDocuments is the number of documents of a batch. The last one has no upload, so it fails.
const batchDocuments = 4

// newBatch returns a batch whose uploads are stored.
func (w *jobWorld) newBatch(tb testing.TB) jobs.Job {
	tb.Helper()
	job := jobs.Job{
		ID: uuid.NewString(), Owner: uuid.NewString(), Status: jobs.Queued, CreatedAt: awstest.RealTime(),
		Question: media.Question{Task: media.Summarize}, Batch: &jobs.Batch{Documents: make([]jobs.BatchDocument, batchDocuments)},
	}
	for i := range job.Batch.Documents {
		job.Uploads = append(job.Uploads, uuid.NewString())
		job.Batch.Documents[i] = jobs.BatchDocument{Name: fmt.Sprintf("letter-%d.txt", i), Status: jobs.Queued}
		if i == batchDocuments-1 {
			break
		}
		text := documents.FromBytes(fmt.Appendf(nil,
			"Letter %d says that the train leaves the station of Lille at night.", i))
		if err := w.store(w.client).SaveUpload(tb.Context(), job.Owner, job.Uploads[i], text); err != nil {
			tb.Fatal(err)
		}
	}
	return job
}

// finishBatch delivers the events of the runs that the batch has asked for. They come from S3, as the event of the
// start does.
func (w *jobWorld) finishBatch(ctx context.Context, job jobs.Job) (jobs.Job, error) {
	store := w.store(w.client)
	for !job.Ended() && w.hasEvent(ctx, job) {
		before := job.Batch.Runs
		if err := w.runner(store).Run(ctx, job.Owner, job.ID); err != nil {
			return job, err
		}
		var err error
		if job, err = store.Job(ctx, job.Owner, job.ID); err != nil {
			return job, err
		}
		if !job.Ended() && job.Batch.Runs == before {
			return job, fmt.Errorf("run %d of the batch has neither ended it nor asked for another run", before)
		}
	}
	return job, nil
}

// hasEvent reports whether a run of the batch has stored the object that causes the next run.
func (w *jobWorld) hasEvent(ctx context.Context, job jobs.Job) bool {
	key := fmt.Sprintf("%s%s/%s/run-%d", medias3.Queue, job.Owner, job.ID, job.Batch.Runs)
	_, err := w.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &w.bucket, Key: &key})
	return job.Batch.Runs > 0 && err == nil
}

// batchOutcome returns the state of each document, and the two files of results.
func (w *jobWorld) batchOutcome(ctx context.Context, job jobs.Job) string {
	var text strings.Builder
	for _, d := range job.Batch.Documents {
		fmt.Fprintf(&text, "\n%s %s", d.Name, d.Status)
		if d.Failure != nil {
			fmt.Fprintf(&text, ": %s", d.Failure.Detail)
		}
	}
	if job.Status != jobs.Succeeded {
		return text.String()
	}
	for _, format := range []jobs.ResultsFormat{jobs.JSONLines, jobs.CSV} {
		key := "batches/" + job.Owner + "/" + job.ID + "/results." + string(format)
		out, err := w.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &w.bucket, Key: aws.String(key)})
		if err != nil {
			return text.String() + "\n" + err.Error()
		}
		results, err := io.ReadAll(out.Body)
		_ = out.Body.Close()
		for _, id := range job.Uploads { // which differ between permutations
			results = []byte(strings.ReplaceAll(string(results), id, "upload"))
		}
		fmt.Fprintf(&text, "\n%s %v", results, err)
	}
	return text.String()
}
