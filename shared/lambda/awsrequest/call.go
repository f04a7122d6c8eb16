package awsrequest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portside/shared/core/retry"
)

// defaultAttempts are as many as those of the SDK's clients, with shorter waits, because the caller of a function often
// waits, too.
var defaultAttempts = retry.Policy{Attempts: 3, FirstWait: 500 * time.Millisecond, LongestWait: 2 * time.Second}

// maxBytes limits the body of a response. The largest is a secret of 64 KB, with its escapes in JSON.
const maxBytes = 512 << 10

var errLong = errors.New("the response is too long")

// attemptsOf returns the policy with the number of attempts of the configuration, if it has one.
func attemptsOf(cfg aws.Config) retry.Policy {
	policy := defaultAttempts
	policy.Attempts = cmp.Or(cfg.RetryMaxAttempts, policy.Attempts)
	return policy
}

// Call sends a new request, again if the failure can pass, and returns the body of the response. A response other than
// 200 is a *Refusal, and one of more than 512 KB an error.
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
		body, err = io.ReadAll(io.LimitReader(response.Body, maxBytes+1)) // also of a refusal, which lets the connection be used again
		switch {
		case response.StatusCode != http.StatusOK:
			return newRefusal(response, body)
		case len(body) > maxBytes:
			return errLong
		}
		return err
	})
	return body, err
}

// Refusal is an error response. It has the methods by which the SDK decides whether to retry. It does not keep the
// text, which may contain the address of the recipient of a mail, because it must not be logged.
type Refusal struct {
	Status int
	Code   string
}

func newRefusal(response *http.Response, body []byte) *Refusal {
	return &Refusal{Status: response.StatusCode, Code: CodeOf(response, body)}
}

// CodeOf returns the code of an error response from its header or from "__type" in its body, as in the protocol AWS
// JSON 1.1, or "unknown". A namespace can stand before it and a URL after it. The code is logged, so a text that does
// not look like one is unknown.
func CodeOf(response *http.Response, body []byte) string {
	var content struct {
		Type string `json:"__type"`
	}
	_ = json.Unmarshal(body, &content) // a response of a proxy has no type
	code, _, _ := strings.Cut(cmp.Or(response.Header.Get("X-Amzn-Errortype"), content.Type), ":")
	code = code[strings.LastIndexByte(code, '#')+1:]
	const maxCode = 64
	isOther := func(r rune) bool { return (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9') }
	if code == "" || len(code) > maxCode || strings.ContainsFunc(code, isOther) {
		return "unknown"
	}
	return code
}

// Error implements error.
func (r *Refusal) Error() string { return fmt.Sprintf("%s (status %d)", r.Code, r.Status) }

// IsTransient reports whether the service could answer otherwise a moment later.
func (r *Refusal) IsTransient() bool { return isTransient(r) }

// HTTPStatusCode returns the status of the response.
func (r *Refusal) HTTPStatusCode() int { return r.Status }

// ErrorCode returns the code of the error.
func (r *Refusal) ErrorCode() string { return r.Code }
