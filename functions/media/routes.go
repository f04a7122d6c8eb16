package main

import (
	"context"
	"net/http"

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
	web.Handle(api, may, web.At("POST /v1/capabilities/summarize", summarizeText), h.summarizeText)
	web.Handle(api, may, web.At("POST /v1/capabilities/extract", extractText), h.extractText)
	web.Handle(api, may, web.At("POST /v1/capabilities/compare", compareTexts), h.compareTexts)
	web.Handle(api, may, web.At("POST /v1/capabilities/summarize/media", summarizeMedia), h.summarizeFiles)
	web.Handle(api, may, web.At("POST /v1/capabilities/extract/media", extractMedia), h.answerFiles(media.Extract))
	web.Handle(api, may, web.At("POST /v1/capabilities/compare/media", compareMedia), h.answerFiles(media.Compare))
	web.Handle(api, may, web.At("POST /v1/ai/compare/media", compareMediaAlias), h.answerFiles(media.Compare))
	web.Handle(api, may, web.At("POST /v1/capabilities/summarize/batch", summarizeBatch), h.summarizeBatch)
	web.Handle(api, may, web.At("POST /v1/capabilities/extract/batch", extractBatch), h.extractBatch)
	web.Handle(api, may, web.At("POST /v1/uploads", createUpload), h.createUpload)
	web.Handle(api, may, web.At("GET /v1/uploads/{uploadId}", getUpload), h.getUpload)
	web.Handle(api, may, web.At("GET /v1/capabilities/jobs/{jobId}", getJob), h.getJob)
	return api
}

const tag = "Media"

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
