package main

import (
	"net/http"
	"testing"

	"portside/documents"
	"portside/shared/core/principal"
)

func TestUploads(t *testing.T) {
	a := newTestAPI(t)
	c := a.client()
	offer := c.Post("/v1/uploads", "").WantStatus(http.StatusCreated)
	id := offer.Text("uploadId")
	status := offer.Header.Get("Location")
	c.Get(status).WantStatus(http.StatusOK).WantValue("status", "waiting").WantValue("size", nil).
		WantValue("uploadedAt", nil)
	postForm(t, c, extractPath, "file_upload_id", id).WantStatus(http.StatusUnprocessableEntity) // the file was not posted yet
	source := documents.FromBytes([]byte(invoice))
	if err := a.store.SaveUpload(t.Context(), ada, id, source); err != nil {
		t.Fatal(err)
	}
	uploaded := c.Get(status).WantStatus(http.StatusOK).WantValue("status", "uploaded").
		WantValue("size", float64(len(invoice)))
	c.With("If-None-Match", uploaded.Header.Get("ETag")).Get(status).WantStatus(http.StatusNotModified)
	a.clientOf(bob, principal.Admin).Get(status).WantStatus(http.StatusNotFound)
	postForm(t, c, extractPath, "file_upload_id", id, "model", variables).WantStatus(http.StatusOK).
		WantValue("extracted_data.total", 1452)
	postForm(t, c, comparePath, "file1_upload_id", id, "@file2", laterInvoice).WantStatus(http.StatusOK)
	postForm(t, c, extractPath, "uploadId", id, "model", variables).WantStatus(http.StatusOK).
		WantValue("extracted_data.total", 1452)
	postForm(t, c, comparePath, "uploadId1", id, "uploadId2", id).WantStatus(http.StatusOK)
	postForm(t, a.clientOf(bob, principal.Admin), extractPath, "file_upload_id", id).
		WantStatus(http.StatusUnprocessableEntity)
	postForm(t, c, extractPath, "file_upload_id", "../"+id).WantStatus(http.StatusUnprocessableEntity)
}

func TestRepeatedUpload(t *testing.T) {
	a := newTestAPI(t)
	c := a.client().With("Idempotency-Key", "c0ffee")
	first := c.Post("/v1/uploads?maxBytes=1000", "").WantStatus(http.StatusCreated)
	again := c.Post("/v1/uploads?maxBytes=1000", "").WantStatus(http.StatusCreated)
	if again.Header.Get("Idempotency-Replayed") != "true" || again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("the repeated request has the headers %v", again.Header)
	}
	c.Post("/v1/uploads?maxBytes=1001", "").WantStatus(http.StatusUnprocessableEntity).
		WantValue("code", "IDEMPOTENCY_KEY_REUSED")
}
