package mailses

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"portside/shared/core/retry"
)

// defaultAttempts are as many as those of the SDK's clients, with shorter waits, because the caller of a function often waits, too.
var defaultAttempts = retry.Policy{Attempts: 3, FirstWait: 500 * time.Millisecond, LongestWait: 2 * time.Second}

// api sends signed requests to the API of SES.
type api struct {
	client           aws.HTTPClient
	credentials      aws.CredentialsProvider
	signer           *v4.Signer
	region, endpoint string
	attempts         retry.Policy
	retryable        func(error) bool
	now              func() time.Time
}

// attemptsOf returns the policy with the number of attempts of the configuration, if it has one.
func attemptsOf(cfg aws.Config) retry.Policy {
	policy := defaultAttempts
	policy.Attempts = cmp.Or(cfg.RetryMaxAttempts, policy.Attempts)
	return policy
}

// endpointOf returns the endpoint of SES: the one that the configuration sets for SES, the one it sets for all services, or AWS's.
func endpointOf(cfg aws.Config) string {
	for _, source := range cfg.ConfigSources {
		endpoints, ok := source.(interface {
			GetServiceBaseEndpoint(context.Context, string) (string, bool, error)
		})
		if !ok {
			continue
		}
		if endpoint, found, err := endpoints.GetServiceBaseEndpoint(context.Background(), "SESv2"); err == nil && found {
			return endpoint
		}
	}
	return cmp.Or(aws.ToString(cfg.BaseEndpoint), "https://email."+cfg.Region+".amazonaws.com")
}

// post sends the body, again if the failure can pass. A response other than 200 is a *refusal.
func (a api) post(ctx context.Context, path string, body []byte) error {
	return a.attempts.Do(ctx, a.retryable, func() error {
		r, err := a.sign(ctx, path, body)
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

func (a api) sign(ctx context.Context, path string, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.endpoint+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	who, err := a.credentials.Retrieve(ctx)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	return r, a.signer.SignHTTP(ctx, who, r, hex.EncodeToString(sum[:]), "ses", a.region, a.now())
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
