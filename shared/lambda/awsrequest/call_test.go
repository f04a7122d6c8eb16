package awsrequest_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"portside/shared/lambda/awsrequest"
)

// scripted answers requests in turn.
type scripted []*http.Response

func (s *scripted) Do(*http.Request) (*http.Response, error) {
	next := (*s)[0]
	*s = (*s)[1:]
	return next, nil
}

func response(status int, header, body string) *http.Response {
	r := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	if header != "" {
		r.Header.Set("X-Amzn-Errortype", header)
	}
	return r
}

// call returns the result of a call that gets these responses, and how many of them are left.
func call(t *testing.T, responses ...*http.Response) (body string, left int, err error) {
	t.Helper()
	rest := scripted(responses)
	client := awsrequest.New(aws.Config{
		Region: "eu-central-1", HTTPClient: &rest, Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", ""),
	}, awsrequest.Service{ID: "Some Service", Host: "some", SigningName: "some"})
	client.WithoutWaits()
	text, err := client.Call(t.Context(), func() (*http.Request, error) { return client.NewOperation(t.Context(), "some.Operation", nil) })
	return string(text), len(rest), err
}

// A code stands in the header or in the body, with a namespace or a URL. The log gets no text that is not a code.
func TestCodesOfRefusals(t *testing.T) {
	for _, test := range []struct{ header, body, want string }{
		{"AccessDeniedException:http://internal.amazon.com/", "", "AccessDeniedException"},
		{"", `{"__type":"com.amazonaws.secretsmanager#AccessDeniedException","Message":"hush"}`, "AccessDeniedException"},
		{"", `{"__type":"AccessDeniedException"}`, "AccessDeniedException"},
		{"", `{"__type":"hush ada@example.com"}`, "unknown"}, {"", "<html>hush", "unknown"}, {strings.Repeat("x", 65), "", "unknown"},
	} {
		t.Run(test.header+" "+test.body, func(t *testing.T) {
			_, _, err := call(t, response(http.StatusBadRequest, test.header, test.body))
			refused, ok := errors.AsType[*awsrequest.Refusal](err)
			if !ok || refused.Code != test.want || strings.Contains(err.Error(), "hush") {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}

func TestThrottlingIsTriedAgain(t *testing.T) {
	throttled := response(http.StatusBadRequest, "", `{"__type":"ThrottlingException"}`)
	if text, left, err := call(t, throttled, response(http.StatusOK, "", "yes")); err != nil || text != "yes" ||
		left != 0 {
		t.Errorf("got %q, %v, and %d responses are left", text, err, left)
	}
}

func TestLongResponsesAreErrors(t *testing.T) {
	for size, isAccepted := range map[int]bool{512 << 10: true, 512<<10 + 1: false} {
		if _, _, err := call(t, response(http.StatusOK, "", strings.Repeat("x", size))); (err == nil) != isAccepted {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
