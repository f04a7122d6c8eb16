package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"portside/shared/fault"
	"portside/shared/media"
	"portside/shared/principal"
)

// mediaInput is what an operation on files takes beside its form, which the handler reads itself.
type mediaInput struct {
	Prefer  string `header:"Prefer" doc:"respond-async: answer with 202 and a job at once (RFC 7240)." example:"respond-async"`
	Include string `query:"include" enum:"evidence" doc:"evidence: where in the file each value stands."`
}

// mediaOutput is the answer, or the job that will have it.
type mediaOutput struct {
	Status     int
	Location   string `header:"Location" doc:"Of the job; with 202."`
	RetryAfter string `header:"Retry-After" doc:"Seconds; with 202."`
	Applied    string `header:"Preference-Applied" doc:"With 202."`
	Body       any
}

// files answers a question about the files of a form.
func (h *handlers) files(task media.Task) func(context.Context, *mediaInput) (*mediaOutput, error) {
	return func(ctx context.Context, in *mediaInput) (*mediaOutput, error) {
		received, err := receive(ctx, fileFields(task))
		if err != nil {
			return nil, err
		}
		output, err := h.submitted(ctx, task, in, received)
		return output, errors.Join(err, received.close())
	}
}

// fileFields are the names of the file fields of a task.
func fileFields(task media.Task) []string {
	if task == media.Compare {
		return []string{"file1", "file2"}
	}
	return []string{"file"}
}

// submission is a form that was understood.
type submission struct {
	*form
	owner    string
	question media.Question
	uploads  []string // ids of earlier uploads, one for each file; empty where the file is in the form
}

func (h *handlers) submitted(ctx context.Context, task media.Task, in *mediaInput, received *form) (*mediaOutput, error) {
	caller, _ := principal.From(ctx)
	s := submission{form: received, owner: caller.UserID, uploads: received.uploads(task)}
	var err error
	s.question, err = media.ParseFields(task, received.fields)
	if err := joined(err, received.missing(task, s.uploads)); err != nil {
		return nil, err
	}
	if prefersAsync(in.Prefer) {
		return h.later(ctx, s)
	}
	return h.atOnce(ctx, s, in.Include)
}

// atOnce answers while the client waits.
func (h *handlers) atOnce(ctx context.Context, s submission, include string) (*mediaOutput, error) {
	stored := media.NewFiles(h.depot)
	defer stored.Done()
	work := media.Work{Question: s.question}
	for i, field := range fileFields(s.question.Task) {
		file, sent := s.files[field]
		if !sent {
			var err error
			if file, err = stored.Upload(ctx, s.owner, s.uploads[i]); err != nil {
				return nil, err
			}
		}
		work.Files = append(work.Files, file)
	}
	answer, err := h.service.Answer(ctx, work)
	if err != nil {
		return nil, err
	}
	return &mediaOutput{Status: http.StatusOK, Body: shown(s.question.Task, answer, include)}, nil
}

// uploads takes the ids of earlier uploads out of the fields, one for each file; empty where there is none.
func (f *form) uploads(task media.Task) []string {
	var ids []string
	for _, field := range fileFields(task) {
		id := f.fields[field+"_upload_id"]
		delete(f.fields, field+"_upload_id")
		ids = append(ids, strings.TrimSpace(id))
	}
	return ids
}

// missing says which files are neither in the form nor among the uploads, or are in both.
func (f *form) missing(task media.Task, uploads []string) []fault.Field {
	var failures []fault.Field
	for i, field := range fileFields(task) {
		_, sent := f.files[field]
		switch {
		case !sent && uploads[i] == "":
			failures = append(failures, fault.Field{Pointer: "/" + field, Detail: "is required: send the file, or " + field + "_upload_id"})
		case sent && uploads[i] != "":
			failures = append(failures, fault.Field{Pointer: "/" + field, Detail: "must not come together with " + field + "_upload_id"})
		}
	}
	return failures
}

// joined adds failures to an error of validation; both may be none.
func joined(err error, more []fault.Field) error {
	f := fault.As(err)
	switch {
	case err == nil && len(more) > 0:
		return fault.Invalid(more...)
	case f == nil || f.Kind != fault.Validation:
		return err
	}
	return fault.Invalid(slices.Concat(f.Fields, more)...)
}

func prefersAsync(header string) bool {
	for preference := range strings.SplitSeq(header, ",") {
		if strings.EqualFold(strings.TrimSpace(preference), "respond-async") {
			return true
		}
	}
	return false
}

// later keeps the files and begins a job.
func (h *handlers) later(ctx context.Context, s submission) (*mediaOutput, error) {
	for i, field := range fileFields(s.question.Task) {
		file, sent := s.files[field]
		if !sent {
			continue
		}
		s.uploads[i] = uuid.Must(uuid.NewV7()).String()
		if err := h.depot.SaveUpload(ctx, s.owner, s.uploads[i], file.Source); err != nil {
			return nil, err
		}
	}
	job := media.Job{
		ID: uuid.Must(uuid.NewV7()).String(), Owner: s.owner, Question: s.question, Uploads: s.uploads,
		Status: media.Queued, CreatedAt: h.now().UTC().Truncate(time.Millisecond),
	}
	if err := h.depot.StartJob(ctx, job); err != nil {
		return nil, err
	}
	return &mediaOutput{
		Status: http.StatusAccepted, Location: "/v1/capabilities/jobs/" + job.ID, RetryAfter: "1", Applied: "respond-async",
		Body: formOf(job),
	}, nil
}

// shown is the answer in the form of its task.
func shown(task media.Task, answer media.Answer, include string) any {
	if include != "evidence" {
		answer.Evidence = nil
	}
	if task == media.Summarize {
		return SummaryAnswer{Summary: answer.Summary, Warnings: answer.Warnings}
	}
	return answer
}
