package awsrequest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/textract"
	"github.com/aws/aws-sdk-go-v2/service/textract/types"

	"portside/shared/lambda/awsrequest"
)

// hosts records where requests go, and answers them itself.
type hosts []string

// Do implements aws.HTTPClient.
func (h *hosts) Do(r *http.Request) (*http.Response, error) {
	*h = append(*h, r.URL.Scheme+"://"+r.URL.Host)
	answer := httptest.NewRecorder()
	_, _ = answer.WriteString("{}")
	return answer.Result(), nil
}

// ownEndpoints is a source of endpoints for services, by their IDs.
type ownEndpoints map[string]string

// GetServiceBaseEndpoint is the method that the SDK's clients look for.
func (e ownEndpoints) GetServiceBaseEndpoint(_ context.Context, id string) (endpoint string, found bool, err error) {
	endpoint, found = e[id]
	return endpoint, found, nil
}

// TestEndpointsAreThoseOfTheSDK sends a request to each service twice, the second time with the SDK's client.
func TestEndpointsAreThoseOfTheSDK(t *testing.T) {
	own := ownEndpoints{"SESv2": "http://localhost:2", "Bedrock Runtime": "http://localhost:3",
		"Textract": "http://localhost:5"}
	for name, cfg := range map[string]aws.Config{
		"of AWS":           {},
		"for all services": {BaseEndpoint: aws.String("http://localhost:1")},
		"for services":     {BaseEndpoint: aws.String("http://localhost:1"), ConfigSources: []any{"other", own}},
		"for others":       {ConfigSources: []any{ownEndpoints{"S3": "http://localhost:4"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked hosts
			cfg.Region, cfg.HTTPClient = "eu-central-1", &asked
			cfg.Credentials = credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", "")
			send(t, cfg, awsrequest.Service{ID: "SESv2", Host: "email", SigningName: "ses"})
			send(t, cfg, awsrequest.Service{ID: "Bedrock Runtime", Host: "bedrock-runtime", SigningName: "bedrock"})
			if _, err := sesv2.NewFromConfig(cfg).GetAccount(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			question := &bedrockruntime.ConverseInput{ModelId: aws.String("m")}
			if _, err := bedrockruntime.NewFromConfig(cfg).Converse(t.Context(), question); err != nil {
				t.Fatal(err)
			}
			send(t, cfg, awsrequest.Service{ID: "Textract", Host: "textract", SigningName: "textract"})
			page := &textract.DetectDocumentTextInput{Document: &types.Document{Bytes: []byte("x")}}
			if _, err := textract.NewFromConfig(cfg).DetectDocumentText(t.Context(), page); err != nil {
				t.Fatal(err)
			}
			if len(asked) != 6 || asked[0] != asked[2] || asked[1] != asked[3] || asked[4] != asked[5] {
				t.Errorf("the requests went to %v", asked)
			}
		})
	}
}

func send(t *testing.T, cfg aws.Config, service awsrequest.Service) {
	t.Helper()
	c := awsrequest.New(cfg, service)
	r, err := c.NewPost(t.Context(), "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
}
