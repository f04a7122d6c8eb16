package mailses_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"portside/shared/mail"
	"portside/shared/mail/mailses"
)

// TestErrorsDoNotContainTheAddress has SES refuse a mail with a text that names the recipient, as it does in its sandbox.
func TestErrorsDoNotContainTheAddress(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Amzn-ErrorType", "MessageRejected")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"message":"Email address is not verified: ada@example.com"}`))
	}))
	t.Cleanup(server.Close)
	mailer := mailses.New(sesv2.New(sesv2.Options{
		BaseEndpoint: aws.String(server.URL), Region: "us-east-1", RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	}), "no-reply@example.com")
	err := mailer.Send(t.Context(), mail.Message{To: "ada@example.com", Subject: "Sign in", Text: "text", HTML: "<p>text</p>"})
	if err == nil || strings.Contains(err.Error(), "ada@") || !strings.Contains(err.Error(), "MessageRejected") {
		t.Errorf("error %v, want the code without the address", err)
	}
}
