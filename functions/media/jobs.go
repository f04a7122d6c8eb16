package main

import (
	"context"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/media"
)

// Job is work that goes on after its request was answered.
type Job struct {
	ID        string       `json:"id" format:"uuid"`
	Status    media.Status `json:"status" enum:"queued,running,succeeded,failed"`
	Progress  float64      `json:"progress" minimum:"0" maximum:"1" doc:"How much of the work is done, roughly; 1 only when it has succeeded."`
	Result    any          `json:"result" doc:"What the request would have answered; null until it has succeeded."`
	Error     *JobError    `json:"error" doc:"Why it failed; null unless it has."`
	CreatedAt time.Time    `json:"createdAt" doc:"UTC."`
}

// JobError is why a job failed.
type JobError struct {
	Code   string `json:"code" enum:"UNPROCESSABLE,UNSUPPORTED_MEDIA_TYPE,RATE_LIMITED,UNAVAILABLE,INTERNAL_ERROR" doc:"As in problem details."`
	Detail string `json:"detail"`
}

func formOf(job media.Job) Job {
	f := Job{ID: job.ID, Status: job.Status, Progress: job.Progress, CreatedAt: job.CreatedAt}
	if job.Answer != nil {
		f.Result = shown(job.Question.Task, *job.Answer, "evidence")
	}
	if job.Failure != nil {
		f.Error = &JobError{Code: codeOf(job.Failure.Kind), Detail: job.Failure.Detail}
	}
	return f
}

func codeOf(kind fault.Kind) string {
	switch kind {
	case fault.Unprocessable:
		return "UNPROCESSABLE"
	case fault.UnsupportedType:
		return "UNSUPPORTED_MEDIA_TYPE"
	case fault.RateLimited:
		return "RATE_LIMITED"
	case fault.Unavailable:
		return "UNAVAILABLE"
	default:
		return "INTERNAL_ERROR"
	}
}

type jobInput struct {
	ID string `path:"jobId" format:"uuid" doc:"Id of the job." example:"0192f3a1-5b7c-7cc0-9d52-3f3e6b1f0a11"`
}

type jobOutput struct{ Body Job }

func (h *handlers) job(ctx context.Context, in *jobInput) (*jobOutput, error) {
	caller, _ := principal.From(ctx)
	job, err := h.jobs.Job(ctx, caller.UserID, in.ID)
	if err != nil {
		return nil, err
	}
	return &jobOutput{Body: formOf(job.At(h.now()))}, nil
}

// Upload is where to send a file that is too large for a request.
type Upload struct {
	UploadID  string            `json:"uploadId" format:"uuid" doc:"What to send in place of the file, as file_upload_id."`
	URL       string            `json:"url" doc:"Where to post a multipart/form-data form to."`
	Fields    map[string]string `json:"fields" doc:"The form's fields; the file comes after them, as the field file."`
	ExpiresAt time.Time         `json:"expiresAt" doc:"When the address stops working, UTC."`
}

type uploadOutput struct{ Body Upload }

func (h *handlers) upload(ctx context.Context, _ *struct{}) (*uploadOutput, error) {
	caller, _ := principal.From(ctx)
	offer, err := h.offers.Offer(ctx, caller.UserID)
	if err != nil {
		return nil, err
	}
	return &uploadOutput{Body: Upload{
		UploadID: offer.ID, URL: offer.URL, Fields: offer.Fields, ExpiresAt: offer.ExpiresAt.UTC().Truncate(time.Second),
	}}, nil
}
