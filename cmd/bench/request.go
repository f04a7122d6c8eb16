package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// request is a request of the admin, sent through the gateway, or directly to a function as the
// event that API Gateway makes of it.
type request struct {
	method, path string
	contentType  string // empty without a body
	body         []byte
}

const jsonType = "application/json"

func getRequest(path string) request { return request{method: http.MethodGet, path: path} }

func postRequest(path, text string) request {
	return request{method: http.MethodPost, path: path, contentType: jsonType, body: []byte(text)}
}

// uploadRequest returns a form with one file.
func uploadRequest(path string, file []byte, fields [][2]string) request {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "file")
	if err == nil {
		_, err = part.Write(file)
	}
	for _, field := range fields {
		if err == nil {
			err = form.WriteField(field[0], field[1])
		}
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		panic(err) // writing to memory cannot fail
	}
	return request{method: http.MethodPost, path: path, contentType: form.FormDataContentType(), body: body.Bytes()}
}

// send returns the body of the response. A status above 299 is an error.
func (s *stack) send(ctx context.Context, in request) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, in.method, s.API+in.path, bytes.NewReader(in.body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-Api-Key", s.adminKey)
	if in.contentType != "" {
		r.Header.Set("Content-Type", in.contentType)
	}
	response, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s %s: %s: %s", in.method, in.path, response.Status, body)
	}
	return body, err
}

// event returns the event that API Gateway makes of the request.
func (s *stack) event(in request) []byte { return s.eventWithKey(in, s.adminKey) }

// eventWithKey is like event, but with another API key.
func (s *stack) eventWithKey(in request, key string) []byte {
	made := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "ANY " + routeOf(in.path), RawPath: in.path,
		Headers: map[string]string{"accept": jsonType, "host": "localhost", "x-api-key": key},
	}
	made.RequestContext = events.APIGatewayV2HTTPRequestContext{
		RouteKey: made.RouteKey, Stage: "$default", RequestID: "bench", DomainName: "localhost",
		HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
			Method: in.method, Path: in.path, Protocol: "HTTP/1.1", SourceIP: "127.0.0.1",
		},
	}
	if in.contentType != "" {
		made.Headers["content-type"] = in.contentType
		made.Headers["content-length"] = fmt.Sprint(len(in.body))
		made.Body, made.IsBase64Encoded = string(in.body), in.contentType != jsonType
	}
	if made.IsBase64Encoded {
		made.Body = base64.StdEncoding.EncodeToString(in.body)
	}
	text, err := json.Marshal(made)
	if err != nil {
		panic(err) // strings always encode
	}
	return text
}

// routeOf returns the route of a path in template.yaml: its first two elements and a greedy
// variable.
func routeOf(path string) string {
	parts := strings.SplitN(path, "/", 4)
	return strings.Join(parts[:min(3, len(parts))], "/") + "/{proxy+}"
}
