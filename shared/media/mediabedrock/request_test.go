package mediabedrock_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/google/go-cmp/cmp"

	"portside/documents"
	"portside/shared/media/mediabedrock"
)

// profile has characters that a path escapes.
const profile = "arn:aws:bedrock:eu-central-1:111122223333:inference-profile/eu.maker.m-v1:0"

// recorder keeps the requests and answers each with an empty object.
type recorder struct {
	tb       testing.TB
	requests []request
}

// request is what the SDK and this package must have in common.
type request struct {
	To, Type, Scope, Signed string
	Body                    map[string]any
}

// ServeHTTP records the request.
func (s *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	scope, rest, _ := strings.Cut(r.Header.Get("Authorization"), ", SignedHeaders=")
	signed, _, _ := strings.Cut(rest, ", Signature=")
	got := request{To: r.Method + " " + r.RequestURI, Type: r.Header.Get("Content-Type"), Scope: scope, Signed: signed}
	if err := json.NewDecoder(r.Body).Decode(&got.Body); err != nil {
		s.tb.Error(err)
	}
	s.requests = append(s.requests, got)
	_, _ = io.WriteString(w, "{}")
}

// TestRequestIsThatOfTheSDK sends a request of this package again with the SDK's client, and compares the two.
func TestRequestIsThatOfTheSDK(t *testing.T) {
	s := &recorder{tb: t}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	cfg := aws.Config{
		BaseEndpoint: aws.String(server.URL), Region: "eu-central-1", HTTPClient: server.Client(),
		Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", "session"),
	}
	for _, picture := range []documents.Picture{
		{MediaType: "image/png", Data: dot(t)}, {MediaType: "application/pdf", Data: []byte(pdf)},
	} {
		t.Run(picture.MediaType, func(t *testing.T) {
			s.requests = nil
			viewer := mediabedrock.NewViewer(cfg, mediabedrock.Options{Model: profile})
			if _, err := viewer.View(t.Context(), picture); err == nil || len(s.requests) == 0 {
				t.Fatalf("got %v after %d requests, want a refusal of the empty answer", err, len(s.requests))
			}
			ours := s.requests[0]
			if _, err := bedrockruntime.NewFromConfig(cfg).Converse(t.Context(), converseInput(picture, ours.Body)); err != nil {
				t.Fatal(err)
			}
			theirs := s.requests[len(s.requests)-1]
			theirs.Signed = strings.Replace(theirs.Signed, "amz-sdk-invocation-id;amz-sdk-request;", "", 1) // only for statistics
			if diff := cmp.Diff(theirs, ours); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// converseInput returns the SDK's input with the prompts of a request that was sent.
func converseInput(picture documents.Picture, sent map[string]any) *bedrockruntime.ConverseInput {
	content := sent["messages"].([]any)[0].(map[string]any)["content"].([]any)
	spec := sent["toolConfig"].(map[string]any)["tools"].([]any)[0].(map[string]any)["toolSpec"].(map[string]any)
	name, rules := aws.String(spec["name"].(string)), sent["system"].([]any)[0].(map[string]any)["text"].(string)
	return &bedrockruntime.ConverseInput{
		ModelId: aws.String(profile),
		System:  []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: rules}},
		InferenceConfig: &types.InferenceConfiguration{
			MaxTokens: aws.Int32(int32(sent["inferenceConfig"].(map[string]any)["maxTokens"].(float64))), Temperature: aws.Float32(0),
		},
		Messages: []types.Message{{Role: types.ConversationRoleUser, Content: []types.ContentBlock{
			sdkPicture(picture), &types.ContentBlockMemberText{Value: content[1].(map[string]any)["text"].(string)},
		}}},
		ToolConfig: &types.ToolConfiguration{
			Tools: []types.Tool{&types.ToolMemberToolSpec{Value: types.ToolSpecification{
				Name: name, Description: aws.String("Takes the answer."), Strict: aws.Bool(true),
				InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(spec["inputSchema"].(map[string]any)["json"])},
			}}},
			ToolChoice: &types.ToolChoiceMemberTool{Value: types.SpecificToolChoice{Name: name}},
		},
	}
}

func sdkPicture(p documents.Picture) types.ContentBlock {
	if p.MediaType == "application/pdf" {
		return &types.ContentBlockMemberDocument{Value: types.DocumentBlock{
			Name: aws.String("document"), Format: types.DocumentFormatPdf, Source: &types.DocumentSourceMemberBytes{Value: p.Data},
		}}
	}
	return &types.ContentBlockMemberImage{Value: types.ImageBlock{
		Format: types.ImageFormatPng, Source: &types.ImageSourceMemberBytes{Value: p.Data},
	}}
}
