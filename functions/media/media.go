package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/media"
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
	Applied    string `header:"Preference-Applied" doc:"With 202, where the request preferred it."`
	Body       any
}

// files answers a question about the files of a form.
func (h *handlers) files(task media.Task) func(context.Context, *mediaInput) (*mediaOutput, error) {
	return func(ctx context.Context, in *mediaInput) (*mediaOutput, error) {
		until := h.until(ctx)
		received, err := receive(ctx, fileFields(task))
		if err != nil {
			return nil, err
		}
		defer received.close()
		s, err := submitted(ctx, task, in, received)
		if err != nil {
			return nil, err
		}
		s.until = until
		return h.output(ctx, s)
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
	include  string
	async    bool      // the client wants a job
	until    time.Time // the client waits
}

func submitted(ctx context.Context, task media.Task, in *mediaInput, received *form) (submission, error) {
	caller, _ := principal.From(ctx)
	s := submission{
		form: received, owner: caller.UserID, uploads: received.uploads(task), include: in.Include, async: prefersAsync(in.Prefer),
	}
	var err error
	s.question, err = media.ParseFields(task, received.fields)
	return s, joined(err, received.missing(task, s.uploads))
}

// output answers the submission, by a job where it must. The files of the form are on their way to where jobs find them all the
// while, and stay there only for a job.
func (h *handlers) output(ctx context.Context, s submission) (*mediaOutput, error) {
	kept := h.keep(ctx, s)
	defer kept.end(ctx)
	if s.async {
		return h.later(ctx, s, kept)
	}
	answer, err := h.atOnce(ctx, s)
	switch {
	case errors.Is(err, errOutlasts):
		return h.later(ctx, s, kept)
	case err != nil:
		return nil, err
	}
	return &mediaOutput{Status: http.StatusOK, Body: shown(s.question.Task, answer, s.include)}, nil
}

// errOutlasts is why work that a client waits for goes on as a job.
var errOutlasts = errors.New("the work takes longer than a client may wait")

// outcome is what work came to.
type outcome struct {
	answer media.Answer
	err    error
}

// atOnce does the work while the client waits. Errors: errOutlasts when that takes too long, or is known to. It returns then
// whether or not the work heeds its context: what does not look at it for a while must not take the time that a job needs to begin.
func (h *handlers) atOnce(ctx context.Context, s submission) (media.Answer, error) {
	ctx, cancel := context.WithDeadlineCause(ctx, s.until, errOutlasts)
	defer cancel()
	done := make(chan outcome, 1) // nobody may be left to take it
	s.hold()
	go func() {
		defer s.close()
		done <- h.safely(ctx, s)
	}()
	select {
	case came := <-done:
		if came.err != nil && errors.Is(context.Cause(ctx), errOutlasts) { // whatever the work says of its end
			return media.Answer{}, errOutlasts
		}
		return came.answer, came.err
	case <-ctx.Done():
		return media.Answer{}, context.Cause(ctx)
	}
}

// safely makes an error of a panic, which would end the process here, with all that it is at.
func (h *handlers) safely(ctx context.Context, s submission) (came outcome) {
	stored := media.NewFiles(h.stored)
	defer stored.Done()
	defer func() {
		if thrown := recover(); thrown != nil {
			came = outcome{err: fmt.Errorf("the work panicked: %v\n%s", thrown, debug.Stack())}
		}
	}()
	answer, err := h.work(ctx, s, stored)
	return outcome{answer, err}
}

func (h *handlers) work(ctx context.Context, s submission, stored *media.Files) (media.Answer, error) {
	work := media.Work{Question: s.question}
	for i, field := range fileFields(s.question.Task) {
		file, sent := s.files[field]
		if !sent {
			var err error
			if file, err = stored.Upload(ctx, s.owner, s.uploads[i]); err != nil {
				return media.Answer{}, err
			}
		}
		work.Files = append(work.Files, file)
	}
	long, err := h.service.Outlasts(ctx, work)
	if err != nil {
		return media.Answer{}, err
	}
	if long {
		return media.Answer{}, errOutlasts
	}
	return h.service.Answer(ctx, work)
}

// uploads takes the ids of earlier uploads out of the fields, one for each file; empty where there is none.
func (f *form) uploads(task media.Task) []string {
	var ids []string
	for _, field := range fileFields(task) {
		id := f.fields[field+uploadID]
		delete(f.fields, field+uploadID)
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
			failures = append(failures, fault.Field{Pointer: "/" + field, Detail: "is required: send the file, or " + field + uploadID})
		case sent && uploads[i] != "":
			failures = append(failures, fault.Field{Pointer: "/" + field, Detail: "must not come together with " + field + uploadID})
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

var quoted = regexp.MustCompile(`"(\\.|[^"\\])*"`)

// prefersAsync looks for respond-async in a Prefer header (RFC 7240), whatever its parameters. It has no value; an empty one is none.
func prefersAsync(header string) bool {
	header = quoted.ReplaceAllString(header, "") // may hold what separates preferences
	for preference := range strings.SplitSeq(header, ",") {
		preference, _, _ = strings.Cut(preference, ";")
		preference = strings.TrimSuffix(strings.TrimSpace(preference), "=")
		if strings.EqualFold(strings.TrimSpace(preference), "respond-async") {
			return true
		}
	}
	return false
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
