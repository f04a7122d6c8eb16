package main

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"portside/shared/media/mediaengines"
	"portside/shared/testkit/mediatest"
)

// scan returns a picture, and a server of Amazon Textract that reads the bill in it.
func scan(t *testing.T) (string, *mediatest.Textract, mediaengines.Settings) {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 620, 877))); err != nil {
		t.Fatal(err)
	}
	server := mediatest.StartTextract(t)
	server.SetPictureText("image/png", picture.Bytes(), strings.ReplaceAll(bill, ": ", ":\t"))
	settings := mediaengines.Settings{Reader: mediaengines.Textract, AWS: aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(server.URL), HTTPClient: http.DefaultClient,
		Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "hush", ""),
	}}
	return picture.String(), server, settings
}

// With Amazon Textract, the offline engine answers about pictures. The second answer comes from the cache.
func TestTextractReadsPictures(t *testing.T) {
	picture, server, settings := scan(t)
	c := newTestAPIWith(t, settings).client()
	for range 2 {
		answer := postForm(t, c, extractPath+"?include=evidence", "@file", picture, "model", billVariables).
			WantStatus(http.StatusOK)
		answer.WantValue("extracted_data", map[string]any{
			"Supplier": "Nordwind Papier GmbH", "Total": 1234.5, "Due": "2026-03-05", "Paid": false,
		}).WantValue("evidence.Total.0.page", 1.0).WantValue("evidence.Total.0.box.left", 217.0).
			WantValue("warnings", []any{})
	}
	if server.Requests() != 1 {
		t.Errorf("%d calls for two equal requests, want 1", server.Requests())
	}
}

func TestTextractFails(t *testing.T) {
	for _, test := range []struct {
		name     string
		behavior mediatest.Behavior
		status   int
		detail   string
	}{
		{"no text", mediatest.Behavior{}, http.StatusUnprocessableEntity, "no text"},
		{"bad", mediatest.Behavior{Failures: 9, Status: 400, Code: "BadDocumentException"}, http.StatusUnprocessableEntity, "damaged"},
		{"not allowed", mediatest.Behavior{Failures: 9, Status: 400, Code: "AccessDeniedException"}, http.StatusInternalServerError, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			picture, server, settings := scan(t)
			if test.name == "no text" {
				server.SetPictureText("image/png", []byte(picture), "")
			}
			server.SetBehavior(test.behavior)
			answer := postForm(t, newTestAPIWith(t, settings).client(), extractPath, "@file", picture, "model", billVariables).
				WantStatus(test.status)
			if detail := answer.Text("detail"); !strings.Contains(detail, test.detail) {
				t.Errorf("%s: the detail is %q, want %q", test.name, detail, test.detail)
			}
		})
	}
}
