// Package awsrequest signs requests to AWS services, for functions that need only one operation of a service.
//
// The SDK's client of a service initializes the schemas and endpoints of all its operations at each start of a
// function. For SES and Amazon Bedrock, that takes longer than all other packages of a small function together.
package awsrequest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"portside/shared/core/retry"
)

// Service names an AWS service in three ways.
type Service struct {
	ID          string // in settings, such as "SESv2" for AWS_ENDPOINT_URL_SESV2
	Host        string // first label of its host names
	SigningName string // in signatures
}

// Client sends signed requests to a service.
type Client struct {
	client      aws.HTTPClient
	credentials aws.CredentialsProvider
	signer      *v4.Signer
	region      string
	signingName string
	endpoint    string
	attempts    retry.Policy
}

// New returns a client with the region, the credentials, the endpoint and the HTTP client of the configuration.
func New(cfg aws.Config, service Service) *Client {
	return &Client{
		client: cfg.HTTPClient, credentials: cfg.Credentials, signer: v4.NewSigner(),
		region: cfg.Region, signingName: service.SigningName, endpoint: endpointOf(cfg, service), attempts: attemptsOf(cfg),
	}
}

// endpointOf returns the endpoint of the service: the one that the configuration sets for it, the one it sets for all
// services, or AWS's.
func endpointOf(cfg aws.Config, service Service) string {
	for _, source := range cfg.ConfigSources {
		endpoints, ok := source.(interface {
			GetServiceBaseEndpoint(context.Context, string) (string, bool, error)
		})
		if !ok {
			continue
		}
		if endpoint, found, err := endpoints.GetServiceBaseEndpoint(context.Background(), service.ID); err == nil && found {
			return endpoint
		}
	}
	return cmp.Or(aws.ToString(cfg.BaseEndpoint), "https://"+service.Host+"."+cfg.Region+".amazonaws.com")
}

// NewPost returns a signed POST request with a JSON body. The path is escaped. AWS refuses a signature that is minutes
// old, so every attempt needs a new request.
func (c *Client) NewPost(ctx context.Context, path string, body []byte) (*http.Request, error) {
	return c.newPost(ctx, path, http.Header{"Content-Type": {"application/json"}}, body)
}

// NewOperation is NewPost for a service with the protocol AWS JSON 1.1, which names the operation in a header, such as
// "Textract.DetectDocumentText".
func (c *Client) NewOperation(ctx context.Context, target string, body []byte) (*http.Request, error) {
	return c.newPost(ctx, "/", http.Header{"Content-Type": {"application/x-amz-json-1.1"}, "X-Amz-Target": {target}}, body)
}

func (c *Client) newPost(ctx context.Context, path string, header http.Header, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = header
	who, err := c.credentials.Retrieve(ctx)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	return r, c.signer.SignHTTP(ctx, who, r, hex.EncodeToString(sum[:]), c.signingName, c.region, time.Now())
}

// WithoutWaits makes Call repeat requests at once, for tests.
func (c *Client) WithoutWaits() {
	c.attempts.Sleep = func(context.Context, time.Duration) error { return nil }
}

// Do sends the request once. The caller closes the body of the response.
func (c *Client) Do(r *http.Request) (*http.Response, error) { return c.client.Do(r) }
