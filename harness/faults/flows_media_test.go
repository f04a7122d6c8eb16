package faults

import (
	"context"
	"crypto/sha256"
	"fmt"

	"portside/documents"
	"portside/documents/files"
	"portside/documents/kind"
	"portside/shared/core/idempotency"
	"portside/shared/media"
	"portside/shared/media/jobs"
	"portside/shared/media/mediaengines"
	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
)

// mediaOwner owns the jobs.
const mediaOwner = "0192f3a1-0000-7000-8000-000000000001"

// mediaParts are the parts of the functions of media, on a bucket of the run.
type mediaParts struct {
	store     *medias3.Store
	responder *jobs.Responder
	runner    *jobs.Runner
}

func newMediaParts(r *run) mediaParts {
	bucket, err := r.newBucket()
	r.must(err)
	store := medias3.New(r.objects, bucket, awstest.RealTime)
	parts, err := mediaengines.Equip(media.Parts{
		Detect: kind.Detect, Readers: files.Readers(), Results: store, Limits: documents.DefaultLimits(),
	}, mediaengines.Settings{})
	r.must(err)
	service := media.NewService(parts)
	return mediaParts{
		store: store,
		responder: jobs.NewResponder(jobs.ResponderParts{
			Service: service, Uploads: store, Jobs: store, Timing: jobs.DefaultTiming(), Now: awstest.RealTime,
		}),
		runner: jobs.NewRunner(jobs.RunnerParts{
			Service: service, Uploads: store, Jobs: store, Batches: store, Now: awstest.RealTime,
		}),
	}
}

// end runs a job twice, as if S3 sent its event twice, and returns it.
func (p mediaParts) end(r *run, id string) (ended jobs.Job) {
	for range 2 {
		r.event("run the job", func(ctx context.Context) error {
			// A batch begins no document in the last minutes of a run.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), jobs.JobTimeout)
			defer cancel()
			return p.runner.Run(ctx, mediaOwner, id)
		})
	}
	r.do("read the job", func(ctx context.Context) (err error) {
		ended, err = p.responder.FindJob(ctx, mediaOwner, id)
		return err
	})
	r.check(ended.Status == jobs.Succeeded, "the job is %s: %+v", ended.Status, ended.Failure)
	return ended
}

// offerUpload repeats an offer with an idempotency key.
func offerUpload(r *run, parts mediaParts) {
	once := idempotency.NewKey(mediaOwner, "c0ffee", medias3.MaxUploadBytes)
	ids := map[string]bool{}
	for range 2 {
		r.do("offer an upload", func(ctx context.Context) error {
			offer, err := parts.store.Offer(ctx, mediaOwner, medias3.MaxUploadBytes, once)
			if err == nil {
				ids[offer.ID] = true
			}
			return err
		})
	}
	r.check(len(ids) == 1, "one idempotency key has %d offers", len(ids))
	for id := range ids {
		r.do("read the upload", func(ctx context.Context) error {
			_, err := parts.store.Upload(ctx, mediaOwner, id)
			return err
		})
	}
}

// runJob offers an upload and asks a question about a file as a job.
func runJob(r *run) {
	parts := newMediaParts(r)
	offerUpload(r, parts)
	text := []byte("The quick brown fox jumps over the lazy dog. It does so every day.")
	var job jobs.Job
	r.do("start a job", func(ctx context.Context) error {
		response, err := parts.responder.Respond(ctx, jobs.Request{
			Owner: mediaOwner, Question: media.Question{Task: media.Summarize}, ReceivedAt: awstest.RealTime(), WantsJob: true,
			Files: []jobs.RequestFile{{File: &media.File{Source: documents.FromBytes(text), Sum: sha256.Sum256(text)}}},
			Close: func() {},
		})
		if err == nil {
			job = *response.Job
		}
		return err
	})
	parts.end(r, job.ID)
}

// runBatch asks a question about each of two uploads.
func runBatch(r *run) {
	parts := newMediaParts(r)
	request := jobs.BatchRequest{Owner: mediaOwner, Question: media.Question{Task: media.Summarize}}
	for i, name := range []string{"ferry.txt", "train.txt"} {
		id := fmt.Sprintf("0192f3a1-0000-7000-8000-0000000000b%d", i)
		text := documents.FromBytes([]byte("It leaves at noon, says " + name + "."))
		r.must(parts.store.SaveUpload(r.tb.Context(), mediaOwner, id, text))
		request.Uploads, request.Names = append(request.Uploads, id), append(request.Names, name)
	}
	var job jobs.Job
	r.do("start a batch", func(ctx context.Context) (err error) {
		job, err = parts.responder.StartBatch(ctx, request)
		return err
	})
	ended := parts.end(r, job.ID)
	r.check(ended.Batch.Count(jobs.Succeeded) == 2, "the documents are %+v", ended.Batch.Documents)
	for i := range request.Names {
		_, err := parts.store.Line(r.tb.Context(), ended, i)
		r.check(err == nil, "the line of document %d: %v", i, err)
	}
}
