package main

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/errorcode"
	"portside/shared/core/principal"
	"portside/shared/media/jobs"
	"portside/shared/web/resource"
)

// Job is work that continues after its request was answered.
type Job struct {
	ID        string      `json:"id" format:"uuid" example:"0193a0c4-7d1e-7b40-9f62-5c1d2e3f4a5b"`
	Status    jobs.Status `json:"status" enum:"queued,running,succeeded,failed"`
	Progress  float64     `json:"progress" minimum:"0" maximum:"1" doc:"Estimated share of the work that is done. It is 1 only when the job has succeeded." example:"0.5"`
	Result    any         `json:"result" doc:"The response that the request would have had; null until the job has succeeded, and for a batch."`
	Error     *JobError   `json:"error" doc:"Why the job failed; null unless it has failed."`
	CreatedAt time.Time   `json:"createdAt" doc:"Time of creation, in UTC."`
	Batch     *Batch      `json:"batch,omitempty" doc:"The documents of a batch; missing for other jobs."`
}

// JobError is the reason why a job failed. It is null in the other jobs.
type JobError struct {
	_ struct{} `nullable:"true"`

	Code   errorcode.Code `json:"code" enum:"UNPROCESSABLE,UNSUPPORTED_MEDIA_TYPE,RATE_LIMITED,UNAVAILABLE,INTERNAL_ERROR" doc:"Error code, as in problem details."`
	Detail string         `json:"detail" example:"The file is encrypted."`
}

// jobBody returns the job in the form in which clients see it.
func jobBody(job jobs.Job) Job {
	body := Job{ID: job.ID, Status: job.Status, Progress: job.Progress, CreatedAt: job.CreatedAt, Batch: batchBody(job)}
	if job.Answer != nil {
		body.Result = answerBody(job.Question.Task, *job.Answer, true)
	}
	body.Error = jobError(job.Failure)
	return body
}

func jobError(failure *jobs.Failure) *JobError {
	if failure == nil {
		return nil
	}
	problem := failure.Problem()
	return &JobError{Code: problem.Code, Detail: problem.Detail}
}

// jobAccepted returns the response that refers to a job. A job that the client did not ask for
// takes long, so the client should wait longer before it gets the job.
func jobAccepted(job jobs.Job, wasRequested bool) *filesOutput {
	output := &filesOutput{
		Status: http.StatusAccepted, Location: "/v1/capabilities/jobs/" + job.ID, RetryAfter: "5", Body: jobBody(job),
	}
	if wasRequested {
		output.RetryAfter, output.Applied = "1", "respond-async"
	}
	return output
}

type getJobInput struct {
	ID string `path:"jobId" format:"uuid" doc:"ID of the job." example:"0192f3a1-5b7c-7cc0-9d52-3f3e6b1f0a11"`
}

type jobOutput struct {
	resource.Version
	Body Job
}

var getJob = huma.Operation{
	OperationID: "getJob", Tags: []string{tag},
	Summary: "Get a job",
	Description: "Returns the progress of one of your own jobs, and its result or error when it has ended. " +
		"Jobs are deleted after 24 hours.\n\n" +
		"Send the `ETag` in `If-None-Match` while you poll, and the response is a 304 without a body until the job changes. A batch that " +
		"has succeeded always gets a full response, because its URLs expire.",
	Errors: []int{http.StatusNotFound},
}

func (h *handlers) getJob(ctx context.Context, in *getJobInput) (*jobOutput, error) {
	caller, _ := principal.From(ctx)
	job, err := h.responder.FindJob(ctx, caller.UserID, in.ID)
	if err != nil {
		return nil, err
	}
	body := jobBody(job)
	if job.Batch != nil && job.Status == jobs.Succeeded {
		if err := h.addResultURLs(ctx, job, body.Batch); err != nil {
			return nil, err
		}
	}
	return &jobOutput{Version: resource.WeakContentVersion(body), Body: body}, nil
}
