package mediatextract_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/textract"
	"github.com/aws/aws-sdk-go-v2/service/textract/types"
	"github.com/google/go-cmp/cmp"

	"portside/shared/media/mediatextract"
)

// request is what the SDK and this package must have in common.
type request struct{ To, Target, Type, Scope, Signed, Body string }

// TestRequestIsThatOfTheSDK sends a request of this package again with the SDK's client, and compares the two.
func TestRequestIsThatOfTheSDK(t *testing.T) {
	var requests []request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scope, rest, _ := strings.Cut(r.Header.Get("Authorization"), ", SignedHeaders=")
		signed, _, _ := strings.Cut(rest, ", Signature=")
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		requests = append(requests, request{
			To: r.Method + " " + r.RequestURI, Target: r.Header.Get("X-Amz-Target"), Type: r.Header.Get("Content-Type"),
			Scope: scope, Signed: signed, Body: string(body),
		})
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(server.Close)
	cfg := aws.Config{
		BaseEndpoint: aws.String(server.URL), Region: "eu-central-1", HTTPClient: server.Client(),
		Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", "session"),
	}
	picture := pngPicture(t)
	if _, err := mediatextract.NewViewer(cfg, mediatextract.Options{}).View(t.Context(), picture); err == nil || len(requests) != 1 {
		t.Fatalf("got %v after %d requests, want a refusal of the empty answer", err, len(requests))
	}
	in := &textract.DetectDocumentTextInput{Document: &types.Document{Bytes: picture.Data}}
	if _, err := textract.NewFromConfig(cfg).DetectDocumentText(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	ours, theirs := requests[0], requests[1]
	theirs.Signed = strings.Replace(theirs.Signed, "amz-sdk-invocation-id;amz-sdk-request;", "", 1) // only for statistics
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Error(diff)
	}
}
