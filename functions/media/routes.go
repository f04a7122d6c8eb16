package main

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/media"
	"portside/shared/media/medias3"
	"portside/shared/web"
)

// handlers are what the routes lead to.
type handlers struct {
	service *media.Service
	stored  media.Uploads
	jobs    media.Jobs
	offers  interface {
		Offer(ctx context.Context, owner string) (medias3.Offer, error)
	}
	waiting waiting
	now     func() time.Time
}

// routes is the whole API of this function.
func routes(h *handlers, auth web.Authenticator) *web.API {
	api := web.NewAPI(auth)
	may := web.Needs(principal.CapabilitiesUse)
	web.Handle(api, may, summarizeText, h.summarizeText)
	web.Handle(api, may, extractText, h.extractText)
	web.Handle(api, may, compareTexts, h.compareTexts)
	web.Handle(api, may, summarizeMedia, h.files(media.Summarize))
	web.Handle(api, may, extractMedia, h.files(media.Extract))
	web.Handle(api, may, compareMedia, h.files(media.Compare))
	web.Handle(api, may, compareMediaAlias, h.files(media.Compare))
	web.Handle(api, may, createUpload, h.upload)
	web.Handle(api, may, getJob, h.job)
	return api
}

const tag = "Media"

var (
	summarizeText = huma.Operation{
		OperationID: "summarizeText", Method: http.MethodPost, Path: "/v1/capabilities/summarize", Tags: []string{tag},
		Summary:     "Summarize a text",
		Description: "The twin of summarizeMedia for clients that have a text and no file.",
		Errors:      badText, MaxBodyBytes: maxText, Metadata: asFile,
	}
	extractText = huma.Operation{
		OperationID: "extractText", Method: http.MethodPost, Path: "/v1/capabilities/extract", Tags: []string{tag},
		Summary:     "Extract values from a text",
		Description: "The twin of extractMedia for clients that have a text and no file.",
		Errors:      badText, MaxBodyBytes: maxText, Metadata: asFile,
	}
	compareTexts = huma.Operation{
		OperationID: "compareTexts", Method: http.MethodPost, Path: "/v1/capabilities/compare", Tags: []string{tag},
		Summary:     "Compare two texts",
		Description: "The twin of compareMedia for clients that have texts and no files.",
		Errors:      badText, MaxBodyBytes: maxText, Metadata: asFile,
	}
	summarizeMedia = onFiles(huma.Operation{
		OperationID: "summarizeMedia", Path: "/v1/capabilities/summarize/media", Summary: "Summarize a file",
		RequestBody: web.FormBody("A file, and what the summary should be like.", formSchema(media.Summarize)),
	}, "SummaryAnswer")
	extractMedia = onFiles(huma.Operation{
		OperationID: "extractMedia", Path: "/v1/capabilities/extract/media", Summary: "Extract values from a file",
		RequestBody: web.FormBody("A file, and the variables to look for.", formSchema(media.Extract)),
	}, "ExtractionAnswer")
	compareMedia = onFiles(huma.Operation{
		OperationID: "compareMedia", Path: "/v1/capabilities/compare/media", Summary: "Compare two files",
		RequestBody: web.FormBody("Two files, and the variables to compare.", formSchema(media.Compare)),
	}, "ComparisonAnswer")
	compareMediaAlias = onFiles(huma.Operation{
		OperationID: "compareMediaAlias", Path: "/v1/ai/compare/media", Summary: "Compare two files (older path)",
		RequestBody: web.FormBody("Two files, and the variables to compare.", formSchema(media.Compare)),
	}, "ComparisonAnswer")
	createUpload = huma.Operation{
		OperationID: "createUpload", Method: http.MethodPost, Path: "/v1/uploads", Tags: []string{tag},
		Summary: "Make room for a large file", DefaultStatus: http.StatusCreated,
		Description: "For files above 4.4 MB, which no request can carry. Post the file to `url` within 15 minutes, as a form with `fields` " +
			"and then the file as `file`, at most 200 MB; then send `uploadId` as `file_upload_id` (`file1_upload_id`, `file2_upload_id`) " +
			"in place of the file. Until the 15 minutes are over, another post replaces the file. It is deleted after 24 hours.",
	}
	getJob = huma.Operation{
		OperationID: "getJob", Method: http.MethodGet, Path: "/v1/capabilities/jobs/{jobId}", Tags: []string{tag},
		Summary:     "Get a job",
		Description: "How far it is, and in the end its result or error. One's own; kept for 24 hours.",
		Errors:      []int{http.StatusNotFound},
	}
)

// maxText bounds the body of an operation on texts. 100,000 characters fit, with 100 variables that are described at length, even
// where each character is an escaped pair (\ud83d\udea2).
const maxText = 12 * (100_000 + media.MaxVariables*(media.MaxName+media.MaxDescription+10))

var (
	asFile   = map[string]any{web.TooLargeHint: "Send the text as a file, above 4.4 MB with POST /v1/uploads."}
	asUpload = map[string]any{
		web.TooLargeHint: "Ask for an upload with POST /v1/uploads, post the file to its url, and send its id in place of the file.",
	}
)

var badText = []int{http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity}
