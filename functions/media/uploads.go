package main

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/media/medias3"
	"portside/shared/web/resource"
)

// Upload says where to send a file that is too large for a request.
type Upload struct {
	UploadID  string            `json:"uploadId" format:"uuid" doc:"ID to send as file_upload_id, in place of the file." example:"0193a0c4-7d1e-7b40-9f62-5c1d2e3f4a5b"`
	URL       string            `json:"url" doc:"URL to which to post a multipart/form-data form." example:"https://s3.eu-central-1.amazonaws.com/portside-media"`
	Fields    map[string]string `json:"fields" doc:"Fields of the form. The file follows them, as the field file."`
	ExpiresAt time.Time         `json:"expiresAt" doc:"Time when the URL stops working, in UTC."`
}

type createUploadInput struct {
	resource.Idempotency
	MaxBytes int64 `query:"maxBytes" minimum:"1" maximum:"209715200" default:"209715200" doc:"Size of the largest file that can be posted, in bytes. Until 15 minutes after the latest post, the upload counts with this size, rounded up to MB, among your uploads." example:"1000000"`
}

type uploadOutput struct {
	resource.Creation
	Body Upload
}

var createUpload = huma.Operation{
	OperationID: "createUpload", Tags: []string{tag},
	Summary: "Create an upload", DefaultStatus: http.StatusCreated,
	Description: "For files above 4.4 MB, which are too large for a request. Within 15 minutes, post a form to `url`: first the " +
		"`fields`, then the file as `file`, at most 200 MB. Then send `uploadId` in place of the file, as `file_upload_id` " +
		"(`file1_upload_id`, `file2_upload_id`). During the 15 minutes, another post replaces the file. Uploads are deleted after " +
		"24 hours. You can have 10 uploads without a file at the same time, and 1,999 files or 10 GB.\n\n" +
		"With an `Idempotency-Key` you can safely repeat the request for these 15 minutes: the same `maxBytes` gets the same upload again " +
		"with `Idempotency-Replayed: true`, and another one gets a 422. Afterwards, the key creates a new upload.",
	Errors: []int{http.StatusUnprocessableEntity},
}

func (h *handlers) createUpload(ctx context.Context, in *createUploadInput) (*uploadOutput, error) {
	caller, _ := principal.From(ctx)
	offer, err := h.store.Offer(ctx, caller.UserID, in.MaxBytes,
		idempotency.NewKey(caller.UserID, in.IdempotencyKey, in.MaxBytes))
	if err != nil {
		return nil, err
	}
	return &uploadOutput{
		Creation: resource.CreatedAt("/v1/uploads/"+offer.ID, offer.Replayed),
		Body: Upload{
			UploadID: offer.ID, URL: offer.URL, Fields: offer.Fields, ExpiresAt: offer.ExpiresAt.Truncate(time.Second),
		},
	}, nil
}

// UploadStatus says whether the file of an upload was posted.
type UploadStatus struct {
	UploadID   string     `json:"uploadId" format:"uuid" example:"0193a0c4-7d1e-7b40-9f62-5c1d2e3f4a5b"`
	Status     string     `json:"status" enum:"waiting,uploaded" doc:"waiting: no file was posted yet. uploaded: the file can be used." example:"uploaded"`
	Size       *int64     `json:"size" doc:"Size of the file in bytes; null until a file is posted." example:"7340032"`
	UploadedAt *time.Time `json:"uploadedAt" doc:"Time of the latest post, in UTC; null until a file is posted."`
	ExpiresAt  time.Time  `json:"expiresAt" doc:"Time when the file is deleted or, until a file is posted, when the URL stops working. In UTC."`
}

type getUploadInput struct {
	ID string `path:"uploadId" format:"uuid" doc:"ID of the upload." example:"0193a0c4-7d1e-7b40-9f62-5c1d2e3f4a5b"`
}

type uploadStatusOutput struct {
	resource.Version
	Body UploadStatus
}

var getUpload = huma.Operation{
	OperationID: "getUpload", Tags: []string{tag},
	Summary:     "Get an upload",
	Description: "Says whether the file of one of your own uploads was posted, and until when it is kept.",
	Errors:      []int{http.StatusNotFound},
}

func (h *handlers) getUpload(ctx context.Context, in *getUploadInput) (*uploadStatusOutput, error) {
	caller, _ := principal.From(ctx)
	upload, err := h.store.Upload(ctx, caller.UserID, in.ID)
	if err != nil {
		return nil, err
	}
	body := uploadStatus(upload)
	return &uploadStatusOutput{Version: resource.ContentVersion(body), Body: body}, nil
}

func uploadStatus(upload medias3.Upload) UploadStatus {
	status := UploadStatus{UploadID: upload.ID, Status: "waiting", ExpiresAt: upload.ExpiresAt.Truncate(time.Second)}
	if !upload.UploadedAt.IsZero() {
		status.Status, status.Size, status.UploadedAt = "uploaded", &upload.Size, &upload.UploadedAt
	}
	return status
}
