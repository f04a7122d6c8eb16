package awsrequest

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
)

// defaultAttempts are as many as those of the SDK's clients, with shorter waits, because the caller of a function often waits, too.
var defaultAttempts = retry.Policy{Attempts: 3, FirstWait: 500 * time.Millisecond, LongestWait: 2 * time.Second}

// maxBytes limits the body of a response. The largest is a secret of 64 KB.
const maxBytes = 128 << 10

// attemptsOf returns the policy with the number of attempts of the configuration, if it has one.
func attemptsOf(cfg aws.Config) retry.Policy {
	policy := defaultAttempts
	policy.Attempts = cmp.Or(cfg.RetryMaxAttempts, policy.Attempts)
	return policy
}

// Call sends a new request, again if the failure can pass, and returns the body of the response, at most 128 KB of it. A response other
// than 200 is a *Refusal.
func (c *Client) Call(ctx context.Context, newRequest func() (*http.Request, error)) ([]byte, error) {
	var body []byte
	err := c.attempts.Do(ctx, isTransient, func() error {
		r, err := newRequest()
		if err != nil {
			return err
		}
		response, err := c.Do(r)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		body, err = io.ReadAll(io.LimitReader(response.Body, maxBytes)) // also of a refusal, which lets the connection be used again
		if response.StatusCode != http.StatusOK {
			return newRefusal(response)
		}
		return err
	})
	return body, err
}

// Refusal is an error response. It has the methods by which the SDK decides whether to retry. It does not keep the text, which may
// contain the address of the recipient of a mail, because it must not be logged.
type Refusal struct {
	Status int
	Code   string
}

func newRefusal(response *http.Response) *Refusal {
	code, _, _ := strings.Cut(response.Header.Get("X-Amzn-Errortype"), ":") // the code may be followed by a URL
	return &Refusal{Status: response.StatusCode, Code: cmp.Or(code, response.Status)}
}

// Error implements error.
func (r *Refusal) Error() string { return fmt.Sprintf("%s (status %d)", r.Code, r.Status) }

// HTTPStatusCode returns the status of the response.
func (r *Refusal) HTTPStatusCode() int { return r.Status }

// ErrorCode returns the code of the error.
func (r *Refusal) ErrorCode() string { return r.Code }
