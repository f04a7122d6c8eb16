package main

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/media"
	"portside/shared/media/jobs"
	"portside/shared/web"
)

// ListedUpload is an upload among the documents of a batch.
type ListedUpload struct {
	UploadID string `json:"uploadId" format:"uuid" doc:"ID of the upload." example:"0192f3a1-5b7c-7cc0-9d52-3f3e6b1f0a11"`
	Name     string `json:"name" minLength:"1" maxLength:"200" doc:"Your name for the document, which the results repeat." example:"invoice-0117.pdf"`
}

// BatchDocument is a document of a batch, with the state of its work.
type BatchDocument struct {
	UploadID string      `json:"uploadId" format:"uuid" example:"0193a0c4-7d1e-7b40-9f62-5c1d2e3f4a5b"`
	Name     string      `json:"name" example:"invoice-0117.pdf"`
	Status   jobs.Status `json:"status" enum:"queued,running,succeeded,failed"`
	Error    *JobError   `json:"error" doc:"Why the document failed; null unless it has failed."`
}

// Batch is the part of a job that only a batch has.
type Batch struct {
	Succeeded int             `json:"succeeded" doc:"Number of documents with an answer." example:"998"`
	Failed    int             `json:"failed" doc:"Number of documents that failed." example:"2"`
	CSVURL    string          `json:"csvUrl,omitempty" format:"uri" doc:"URL of a CSV file with one row for each document, when the job has succeeded. It works for 15 minutes; to get a new one, get the job again." example:"https://s3.eu-central-1.amazonaws.com/portside-media/results.csv?X-Amz-Signature=5d67"`
	JSONLURL  string          `json:"jsonlUrl,omitempty" format:"uri" doc:"URL of a JSON Lines file with one object for each document, with evidence, when the job has succeeded." example:"https://s3.eu-central-1.amazonaws.com/portside-media/results.jsonl?X-Amz-Signature=8e21"`
	Documents []BatchDocument `json:"documents" doc:"The documents, in the order of the request."`
}

type summarizeBatchInput struct {
	Body struct {
		Documents []ListedUpload `json:"documents" minItems:"1" maxItems:"1000" doc:"The documents, each an upload with its file."`
		Format    string         `json:"format,omitempty" enum:"paragraph,bullet" default:"paragraph"`
		Length    string         `json:"length,omitempty" enum:"short,medium,long" default:"medium"`
		Lang      string         `json:"lang,omitempty" enum:"en,es,pt,fr,de,it,nl,sv,pl,ro" doc:"Language of the summaries. The default is the language of each document."`
		Hint      string         `json:"summary_hint,omitempty" maxLength:"1000" doc:"What the summaries should focus on." example:"what was decided"`
	}
}

type extractBatchInput struct {
	Body struct {
		Documents     []ListedUpload          `json:"documents" minItems:"1" maxItems:"1000" doc:"The documents, each an upload with its file."`
		Lang          string                  `json:"lang,omitempty" enum:"en,es,pt,fr,de,it,nl,sv,pl,ro"`
		Variables     map[string]TextVariable `json:"variables,omitempty" maxProperties:"100" doc:"The variables, by name."`
		Schema        web.Object              `json:"schema,omitempty" doc:"A JSON Schema of extracted_data, in place of variables: as Pydantic and Zod write it, with an object at the root. Its arrays are rows of tables, or lists."`
		MinConfidence *float64                `json:"minConfidence,omitempty" exclusiveMinimum:"0" maximum:"1" doc:"The least confidence of a value; a value with less is null. By default, the engine decides; the offline engine returns values with a probability of at least 0.65." example:"0.9"`
	}
}

// batchOutput is the job of a batch.
type batchOutput struct {
	Location   string `header:"Location" doc:"URL of the job."`
	RetryAfter string `header:"Retry-After" doc:"Seconds to wait before getting the job."`
	Body       Job
}

var summarizeBatch = huma.Operation{
	OperationID: "summarizeBatch", Tags: []string{tag},
	Summary: "Summarize many files", DefaultStatus: http.StatusAccepted,
	Description: batchDescription,
	Errors:      batchErrors, MaxBodyBytes: maxBatchBytes,
}

func (h *handlers) summarizeBatch(ctx context.Context, in *summarizeBatchInput) (*batchOutput, error) {
	question, err := parseSettings(media.Summarize, map[string]any{
		"format": in.Body.Format, "length": in.Body.Length, "lang": in.Body.Lang, "summary_hint": in.Body.Hint,
	})
	if err != nil {
		return nil, err
	}
	return h.startBatch(ctx, question, in.Body.Documents)
}

var extractBatch = huma.Operation{
	OperationID: "extractBatch", Tags: []string{tag},
	Summary: "Extract values from many files", DefaultStatus: http.StatusAccepted,
	Description: batchDescription,
	Errors:      batchErrors, MaxBodyBytes: maxBatchBytes,
}

func (h *handlers) extractBatch(ctx context.Context, in *extractBatchInput) (*batchOutput, error) {
	question, err := parseSettings(media.Extract, map[string]any{
		"lang": in.Body.Lang, "variables": in.Body.Variables, "schema": in.Body.Schema,
		"minConfidence": in.Body.MinConfidence,
	})
	if err != nil {
		return nil, err
	}
	return h.startBatch(ctx, question, in.Body.Documents)
}

// startBatch starts the job of a batch.
func (h *handlers) startBatch(ctx context.Context, question media.Question, documents []ListedUpload) (*batchOutput, error) {
	caller, _ := principal.From(ctx)
	request := jobs.BatchRequest{Owner: caller.UserID, Customer: caller.CustomerID, Question: question}
	for _, d := range documents {
		request.Uploads, request.Names = append(request.Uploads, d.UploadID), append(request.Names, d.Name)
	}
	job, err := h.responder.StartBatch(ctx, request)
	if err != nil {
		return nil, err
	}
	accepted := jobAccepted(job, false)
	return &batchOutput{Location: accepted.Location, RetryAfter: accepted.RetryAfter, Body: jobBody(job)}, nil
}

// batchBody returns the documents of a batch as clients see them, or nil if the job is not a batch.
func batchBody(job jobs.Job) *Batch {
	if job.Batch == nil {
		return nil
	}
	body := &Batch{
		Succeeded: job.Batch.Count(jobs.Succeeded), Failed: job.Batch.Count(jobs.Failed),
		Documents: make([]BatchDocument, len(job.Batch.Documents)),
	}
	for i, d := range job.Batch.Documents {
		body.Documents[i] = BatchDocument{UploadID: job.Uploads[i], Name: d.Name, Status: d.Status,
			Error: jobError(d.Failure)}
	}
	return body
}

// addResultURLs adds the URLs of the results of a batch that has succeeded.
func (h *handlers) addResultURLs(ctx context.Context, job jobs.Job, body *Batch) (err error) {
	if body.CSVURL, err = h.store.ResultsURL(ctx, job, jobs.CSV); err != nil {
		return err
	}
	body.JSONLURL, err = h.store.ResultsURL(ctx, job, jobs.JSONLines)
	return err
}
