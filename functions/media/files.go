package main

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"portside/documents/lazyregexp"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/media"
	"portside/shared/media/jobs"
)

// filesInput is the input of an operation on files, except for its form, which the handler reads
// itself.
type filesInput struct {
	Prefer  string   `header:"Prefer" doc:"respond-async: respond at once with 202 and a job (RFC 7240)." example:"respond-async"`
	Include []string `query:"include" enum:"evidence,candidates,text" uniqueItems:"true" doc:"Additional parts of the answer, separated by commas. evidence: where in the file each value was found. candidates: up to five of the likeliest values of each variable. text: the text of each file, at most 1 MB in total. A job always includes the evidence."`
}

// summaryFilesInput is filesInput without the parts that only answers with values have.
type summaryFilesInput struct {
	Prefer  string   `header:"Prefer" doc:"respond-async: respond at once with 202 and a job (RFC 7240)." example:"respond-async"`
	Include []string `query:"include" enum:"text" uniqueItems:"true" doc:"Additional parts of the answer. text: the text of each file, at most 1 MB in total."`
}

// filesOutput is the answer, or the job that will have it.
type filesOutput struct {
	Status     int
	Location   string `header:"Location" doc:"URL of the job; with 202."`
	RetryAfter string `header:"Retry-After" doc:"Seconds to wait before getting the job; with 202."`
	Applied    string `header:"Preference-Applied" doc:"respond-async, if the request preferred it; with 202."`
	Body       any
}

func (h *handlers) summarizeFiles(ctx context.Context, in *summaryFilesInput) (*filesOutput, error) {
	return h.answerFiles(media.Summarize)(ctx, (*filesInput)(in))
}

// answerFiles returns the handler that answers a question about the files of a form.
func (h *handlers) answerFiles(task media.Task) func(context.Context, *filesInput) (*filesOutput, error) {
	return func(ctx context.Context, in *filesInput) (*filesOutput, error) {
		receivedAt := time.Now()
		f, err := readForm(ctx, fileFields(task))
		if err != nil {
			return nil, err
		}
		request, err := parseRequest(ctx, task, f)
		if err != nil {
			f.close()
			return nil, err
		}
		request.ReceivedAt, request.WantsJob = receivedAt, prefersAsync(in.Prefer)
		request.Question.WithText = slices.Contains(in.Include, includeText)
		request.Question.WithCandidates = slices.Contains(in.Include, includeCandidates)
		response, err := h.responder.Respond(ctx, request)
		switch {
		case err != nil:
			return nil, err
		case response.Job != nil:
			return jobAccepted(*response.Job, request.WantsJob), nil
		}
		return &filesOutput{Status: http.StatusOK,
			Body: answerBody(task, response.Answer, slices.Contains(in.Include, includeEvidence))}, nil
	}
}

// fileFields returns the names of the task's file fields.
func fileFields(task media.Task) []string {
	if task == media.Compare {
		return []string{"file1", "file2"}
	}
	return []string{fileField}
}

// fileField is the field of the files of a summary or an extraction.
const fileField = "file"

// parseRequest validates a form. It reports all failures at once. The request closes the form.
func parseRequest(ctx context.Context, task media.Task, f *form) (jobs.Request, error) {
	caller, _ := principal.From(ctx)
	files, failures := f.requestFiles(task)
	question, err := media.ParseFields(task, f.fields)
	return jobs.Request{
		Owner: caller.UserID, Customer: caller.CustomerID, Question: question, Files: files, Close: f.close,
	}, addFailures(err, failures)
}

// requestFiles returns the files of the form and its uploads. A failure means that a field of the task has none.
func (f *form) requestFiles(task media.Task) (files []jobs.RequestFile, failures []fault.Field) {
	for _, field := range fileFields(task) {
		if len(f.files[field]) == 0 {
			failures = append(failures, fault.Field{
				Pointer: "/" + field, Detail: "is required: send the file, or " + field + uploadIDSuffix,
			})
		}
		files = append(files, f.files[field]...)
	}
	return files, failures
}

// addFailures adds failures to a validation error, or makes them one if err is nil.
func addFailures(err error, failures []fault.Field) error {
	f := fault.As(err)
	switch {
	case err == nil && len(failures) > 0:
		return fault.Invalid(failures...)
	case f == nil || f.Kind != fault.Validation:
		return err
	}
	return fault.Invalid(slices.Concat(f.Fields, failures)...)
}

var quotedString = lazyregexp.New(`"(\\.|[^"\\])*"`)

// prefersAsync reports whether a Prefer header (RFC 7240) has the preference respond-async. It
// ignores parameters of the preference. The preference has no value; RFC 7240 makes an empty value
// equal to none.
func prefersAsync(header string) bool {
	header = quotedString().ReplaceAllString(header, "") // it may contain separators of preferences
	for preference := range strings.SplitSeq(header, ",") {
		preference, _, _ = strings.Cut(preference, ";")
		preference = strings.TrimSuffix(strings.TrimSpace(preference), "=")
		if strings.EqualFold(strings.TrimSpace(preference), "respond-async") {
			return true
		}
	}
	return false
}

// answerBody returns the answer in the form of its task.
func answerBody(task media.Task, answer media.Answer, hasEvidence bool) any {
	if !hasEvidence {
		answer.Evidence = nil
	}
	if task == media.Summarize {
		return SummaryAnswer{Summary: answer.Summary, Texts: answer.Texts, Warnings: answer.Warnings}
	}
	return answer
}

// Values of the parameter include.
const (
	includeEvidence   = "evidence"
	includeCandidates = "candidates"
	includeText       = "text"
)
