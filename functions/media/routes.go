package main

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/media"
	"portside/shared/media/jobs"
	"portside/shared/media/medias3"
	"portside/shared/web"
)

// handlers has the dependencies of the handlers.
type handlers struct {
	responder *jobs.Responder
	store     interface {
		Offer(ctx context.Context, owner string, maxBytes int64, once *idempotency.Key) (medias3.Offer, error)
		Upload(ctx context.Context, owner, id string) (medias3.Upload, error)
		ResultsURL(ctx context.Context, job jobs.Job, format jobs.ResultsFormat) (string, error)
	}
}

// routes is the whole API of this function.
func routes(h *handlers, auth web.Authenticator) *web.API {
	api := web.NewAPI(auth)
	may := web.Needs(principal.CapabilitiesUse).ForCustomers()
	web.Handle(api, may, summarizeText, h.summarizeText)
	web.Handle(api, may, extractText, h.extractText)
	web.Handle(api, may, compareTexts, h.compareTexts)
	web.Handle(api, may, summarizeMedia, h.summarizeFiles)
	web.Handle(api, may, extractMedia, h.answerFiles(media.Extract))
	web.Handle(api, may, compareMedia, h.answerFiles(media.Compare))
	web.Handle(api, may, compareMediaAlias, h.answerFiles(media.Compare))
	web.Handle(api, may, summarizeBatch, h.summarizeBatch)
	web.Handle(api, may, extractBatch, h.extractBatch)
	web.Handle(api, may, createUpload, h.createUpload)
	web.Handle(api, may, getUpload, h.getUpload)
	web.Handle(api, may, getJob, h.getJob)
	return api
}

const tag = "Media"

var (
	summarizeText = huma.Operation{
		OperationID: "summarizeText", Method: http.MethodPost, Path: "/v1/capabilities/summarize", Tags: []string{tag},
		Summary:     "Summarize a text",
		Description: "Like summarizeMedia, for a text instead of a file.",
		Errors:      textErrors, MaxBodyBytes: maxTextBytes, Metadata: asFile,
	}
	extractText = huma.Operation{
		OperationID: "extractText", Method: http.MethodPost, Path: "/v1/capabilities/extract", Tags: []string{tag},
		Summary:     "Extract values from a text",
		Description: "Like extractMedia, for a text instead of a file.",
		Errors:      textErrors, MaxBodyBytes: maxTextBytes, Metadata: asFile,
	}
	compareTexts = huma.Operation{
		OperationID: "compareTexts", Method: http.MethodPost, Path: "/v1/capabilities/compare", Tags: []string{tag},
		Summary:     "Compare two texts",
		Description: "Like compareMedia, for texts instead of files.",
		Errors:      textErrors, MaxBodyBytes: maxTextBytes, Metadata: asFile,
	}
	summarizeMedia = fileOperation(huma.Operation{
		OperationID: "summarizeMedia", Path: "/v1/capabilities/summarize/media", Summary: "Summarize a file",
		RequestBody: web.FormBody("A file, and the settings of the summary.", formSchema(media.Summarize)),
	}, "SummaryAnswer")
	extractMedia = fileOperation(huma.Operation{
		OperationID: "extractMedia", Path: "/v1/capabilities/extract/media", Summary: "Extract values from a file",
		RequestBody: web.FormBody("A file, and the variables to extract.", formSchema(media.Extract)),
	}, "ExtractionAnswer")
	compareMedia = fileOperation(huma.Operation{
		OperationID: "compareMedia", Path: "/v1/capabilities/compare/media", Summary: "Compare two files",
		RequestBody: web.FormBody("Two files, and the variables to compare.", formSchema(media.Compare)),
	}, "ComparisonAnswer")
	compareMediaAlias = fileOperation(huma.Operation{
		OperationID: "compareMediaAlias", Path: "/v1/ai/compare/media", Summary: "Compare two files (older path)",
		Deprecated: true, Middlewares: huma.Middlewares{sayDeprecated},
		RequestBody: web.FormBody("Two files, and the variables to compare.", formSchema(media.Compare)),
	}, "ComparisonAnswer")
	summarizeBatch = huma.Operation{
		OperationID: "summarizeBatch", Method: http.MethodPost, Path: "/v1/capabilities/summarize/batch", Tags: []string{tag},
		Summary: "Summarize many files", DefaultStatus: http.StatusAccepted,
		Description: batchDescription,
		Errors:      batchErrors, MaxBodyBytes: maxBatchBytes,
	}
	extractBatch = huma.Operation{
		OperationID: "extractBatch", Method: http.MethodPost, Path: "/v1/capabilities/extract/batch", Tags: []string{tag},
		Summary: "Extract values from many files", DefaultStatus: http.StatusAccepted,
		Description: batchDescription,
		Errors:      batchErrors, MaxBodyBytes: maxBatchBytes,
	}
	createUpload = huma.Operation{
		OperationID: "createUpload", Method: http.MethodPost, Path: "/v1/uploads", Tags: []string{tag},
		Summary: "Create an upload", DefaultStatus: http.StatusCreated,
		Description: "For files above 4.4 MB, which are too large for a request. Within 15 minutes, post a form to `url`: first the " +
			"`fields`, then the file as `file`, at most 200 MB. Then send `uploadId` in place of the file, as `file_upload_id` " +
			"(`file1_upload_id`, `file2_upload_id`). During the 15 minutes, another post replaces the file. Uploads are deleted after " +
			"24 hours. You can have 10 uploads without a file at the same time, and 1,999 files or 10 GB.\n\n" +
			"With an `Idempotency-Key` you can safely repeat the request for these 15 minutes: the same `maxBytes` gets the same upload again " +
			"with `Idempotency-Replayed: true`, and another one gets a 422. Afterwards, the key creates a new upload.",
		Errors: []int{http.StatusUnprocessableEntity},
	}
	getUpload = huma.Operation{
		OperationID: "getUpload", Method: http.MethodGet, Path: "/v1/uploads/{uploadId}", Tags: []string{tag},
		Summary:     "Get an upload",
		Description: "Says whether the file of one of your own uploads was posted, and until when it is kept.",
		Errors:      []int{http.StatusNotFound},
	}
	getJob = huma.Operation{
		OperationID: "getJob", Method: http.MethodGet, Path: "/v1/capabilities/jobs/{jobId}", Tags: []string{tag},
		Summary: "Get a job",
		Description: "Returns the progress of one of your own jobs, and its result or error when it has ended. " +
			"Jobs are deleted after 24 hours.\n\n" +
			"Send the `ETag` in `If-None-Match` while you poll, and the response is a 304 without a body until the job changes. A batch that " +
			"has succeeded always gets a full response, because its URLs expire.",
		Errors: []int{http.StatusNotFound},
	}
)

// deprecatedSince is when the older path became deprecated: 27 November 2026.
const deprecatedSince = "@1795737600"

// sayDeprecated adds the headers of a deprecated operation (RFC 9745, RFC 5829) to its responses.
func sayDeprecated(ctx huma.Context, next func(huma.Context)) {
	ctx.SetHeader("Deprecation", deprecatedSince)
	ctx.SetHeader("Link", `</v1/capabilities/compare/media>; rel="successor-version"`)
	next(ctx)
}

// maxTextBytes limits the body of an operation on texts. It has room for 100,000 characters and for
// 100 variables with the longest descriptions, even if each character is written as an escaped
// surrogate pair (\ud83d\udea2).
const maxTextBytes = 12 * (100_000 + media.MaxVariables*(media.MaxNameChars+media.MaxDescriptionChars+10))

// maxBatchBytes limits the body of a batch. It is the limit for a text, plus the list of the documents.
const maxBatchBytes = maxTextBytes + jobs.MaxBatchDocuments*(12*jobs.MaxBatchNameChars+100)

const batchDescription = "Starts a job that answers the same question about each of up to 1,000 uploads. `GET` of the job shows the " +
	"state of each document and, at the end, URLs of the results as CSV and as JSON Lines. If a document fails, the batch continues. " +
	"You can have one batch at a time. A repeated request returns the batch that is running."

// batchErrors are the statuses of errors of a batch.
var batchErrors = []int{http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}

// Advice in the error about a body that is too large.
var (
	asFile   = map[string]any{web.TooLargeHint: "Send the text as a file, or as an upload (POST /v1/uploads) if it has more than 4.4 MB."}
	asUpload = map[string]any{
		web.TooLargeHint: "Create an upload with POST /v1/uploads, post the file to its url, and send its ID in place of the file.",
	}
)

// textErrors are the statuses of errors of an operation on texts.
var textErrors = []int{http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
	http.StatusUnprocessableEntity}
