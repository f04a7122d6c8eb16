package mailses

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portside/shared/core/retry"
	"portside/shared/lambda/awsrequest"
)

// defaultAttempts are as many as those of the SDK's clients, with shorter waits, because the caller of a function often waits, too.
var defaultAttempts = retry.Policy{Attempts: 3, FirstWait: 500 * time.Millisecond, LongestWait: 2 * time.Second}

// api sends signed requests to the API of SES.
type api struct {
	client    *awsrequest.Client
	attempts  retry.Policy
	retryable func(error) bool
}

// attemptsOf returns the policy with the number of attempts of the configuration, if it has one.
func attemptsOf(cfg aws.Config) retry.Policy {
	policy := defaultAttempts
	policy.Attempts = cmp.Or(cfg.RetryMaxAttempts, policy.Attempts)
	return policy
}

// post sends the body, again if the failure can pass. A response other than 200 is a *refusal.
func (a api) post(ctx context.Context, path string, body []byte) error {
	return a.attempts.Do(ctx, a.retryable, func() error {
		r, err := a.client.NewPost(ctx, path, body)
		if err != nil {
			return err
		}
		response, err := a.client.Do(r)
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, response.Body) // the status says everything; reading the rest lets the connection be used again
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return newRefusal(response)
		}
		return nil
	})
}

// refusal is an error response. It has the methods by which the SDK decides whether to retry. It does not keep the text, which may
// contain the address of the recipient, because it must not be logged.
type refusal struct {
	status int
	code   string
}

func newRefusal(response *http.Response) *refusal {
	code, _, _ := strings.Cut(response.Header.Get("X-Amzn-Errortype"), ":") // the code may be followed by a URL
	return &refusal{status: response.StatusCode, code: cmp.Or(code, response.Status)}
}

// Error implements error.
func (r *refusal) Error() string { return fmt.Sprintf("%s (status %d)", r.code, r.status) }

// HTTPStatusCode returns the status of the response.
func (r *refusal) HTTPStatusCode() int { return r.status }

// ErrorCode returns the code of the error.
func (r *refusal) ErrorCode() string { return r.code }
