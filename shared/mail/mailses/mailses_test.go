package mailses_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/google/go-cmp/cmp"

	"portside/shared/mail"
	"portside/shared/mail/mailses"
)

var letter = mail.Message{To: "ada@example.com", Subject: "Sign in – now", Text: "text & more",
	HTML: "<p>text &amp; more</p>"}

// sesServer answers each request with the next of its responses, then with 200. It keeps the requests.
type sesServer struct {
	*httptest.Server
	responses []response
	requests  []request
}

type response struct {
	status     int
	code, text string
}

type request struct{ Method, Path, Type, Scope, Signed, Body string }

// normalized returns the request with its body as a value, because the SDK orders the members differently.
func (r request) normalized(t *testing.T) map[string]any {
	t.Helper()
	var body any
	if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
		t.Error(err)
	}
	return map[string]any{"to": r.Method + " " + r.Path, "type": r.Type, "scope": r.Scope, "signed": r.Signed,
		"body": body}
}

func newServer(t *testing.T, responses ...response) *sesServer {
	t.Helper()
	s := &sesServer{responses: responses}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *sesServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	scope, rest, _ := strings.Cut(r.Header.Get("Authorization"), ", SignedHeaders=")
	signed, _, _ := strings.Cut(rest, ", Signature=")
	s.requests = append(s.requests,
		request{r.Method, r.URL.Path, r.Header.Get("Content-Type"), scope, signed, string(body)})
	answer := response{http.StatusOK, "", `{"MessageId":"1"}`}
	if n := len(s.requests); n <= len(s.responses) {
		answer = s.responses[n-1]
	}
	w.Header().Set("X-Amzn-ErrorType", answer.code)
	w.WriteHeader(answer.status)
	_, _ = io.WriteString(w, answer.text)
}

func (s *sesServer) config() aws.Config {
	return aws.Config{
		BaseEndpoint: aws.String(s.URL), Region: "eu-central-1", HTTPClient: s.Client(),
		Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", "session"),
	}
}

// TestErrorsDoNotContainTheAddress has SES refuse a mail with a text that names the recipient, as it does in its
// sandbox.
func TestErrorsDoNotContainTheAddress(t *testing.T) {
	server := newServer(t, response{
		http.StatusBadRequest, "MessageRejected:http://internal.amazon.com/",
		`{"message":"Email address is not verified: ada@example.com"}`,
	})
	err := mailses.New(server.config(), "no-reply@example.com").Send(t.Context(), letter)
	if err == nil || err.Error() != `send mail "Sign in – now": SES returned MessageRejected` ||
		len(server.requests) != 1 {
		t.Errorf("error %v after %d requests, want the code without the address after one", err, len(server.requests))
	}
}

// TestRequestIsThatOfTheSDK compares the request with the one that the SDK's client sends.
func TestRequestIsThatOfTheSDK(t *testing.T) {
	server, utf8 := newServer(t), aws.String("UTF-8")
	if err := mailses.New(server.config(), "no-reply@example.com").Send(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	_, err := sesv2.NewFromConfig(server.config()).SendEmail(t.Context(), &sesv2.SendEmailInput{
		FromEmailAddress: aws.String("Portside <no-reply@example.com>"),
		Destination:      &types.Destination{ToAddresses: []string{letter.To}},
		Content: &types.EmailContent{Simple: &types.Message{
			Subject: &types.Content{Data: &letter.Subject, Charset: utf8},
			Body: &types.Body{
				Text: &types.Content{Data: &letter.Text, Charset: utf8}, Html: &types.Content{Data: &letter.HTML, Charset: utf8},
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := server.requests[0], server.requests[1]
	theirs.Signed = strings.Replace(theirs.Signed, "amz-sdk-invocation-id;amz-sdk-request;", "", 1) // only for statistics
	normalize := cmp.Transformer("JSON", func(r request) map[string]any { return r.normalized(t) })
	if diff := cmp.Diff(theirs, ours, normalize); diff != "" {
		t.Error(diff)
	}
}

func TestFailuresThatCanPassAreTriedAgain(t *testing.T) {
	down, throttled := response{status: http.StatusServiceUnavailable},
		response{http.StatusTooManyRequests, "TooManyRequestsException", ""}
	for name, test := range map[string]struct {
		responses []response
		requests  int
		fails     bool
	}{
		"unavailable, then throttled": {[]response{down, throttled}, 3, false},
		"unavailable all the time":    {[]response{down, down, down, down}, 3, true},
		"a limit of the account":      {[]response{{http.StatusForbidden, "AccountSuspendedException", ""}}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			server := newServer(t, test.responses...)
			err := mailses.New(server.config(), "no-reply@example.com").WithoutWaits().Send(t.Context(), letter)
			if (err != nil) != test.fails || len(server.requests) != test.requests {
				t.Errorf("error %v after %d requests, want %d", err, len(server.requests), test.requests)
			}
		})
	}
}
