// Command notes is the function of the stack's tests. It stores notes in the table.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"sample/shared/words"
)

func main() {
	lambda.Start(handle)
}

type (
	request  = events.APIGatewayV2HTTPRequest
	response = events.APIGatewayV2HTTPResponse
	object   = map[string]any
)

func handle(_ context.Context, r request) (response, error) {
	id := r.PathParameters["id"]
	switch r.RouteKey {
	case "GET /hello":
		return response{StatusCode: 200, Body: words.Greeting + " from " + os.Getenv("BASE_URL") + " limit " + os.Getenv("LIMIT")}, nil
	case "PUT /notes/{id}":
		_, err := dynamodb("PutItem", object{"Item": object{"id": object{"S": id}, "text": object{"S": r.Body}}})
		return response{StatusCode: 204}, err
	case "GET /notes/{id}":
		item, err := dynamodb("GetItem", object{"Key": object{"id": object{"S": id}}})
		return response{StatusCode: 200, Body: item}, err
	case "GET /s3":
		r, err := http.Get(os.Getenv("AWS_ENDPOINT_URL_S3") + "/healthz")
		if err != nil {
			return response{}, err
		}
		return response{StatusCode: r.StatusCode}, r.Body.Close()
	case "POST /crash":
		os.Exit(2)
	}
	return response{StatusCode: 404}, nil
}

// dynamodb sends a request with a fake signature, which is enough for the engine.
func dynamodb(operation string, input object) (string, error) {
	input["TableName"] = os.Getenv("NOTES_TABLE")
	body, err := json.Marshal(input)
	if err != nil {
		return "", err
	}
	r, err := http.NewRequest(http.MethodPost, os.Getenv("AWS_ENDPOINT_URL_DYNAMODB"), strings.NewReader(string(body)))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("X-Amz-Date", time.Now().UTC().Format("20060102T150405Z"))
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+os.Getenv("AWS_ACCESS_KEY_ID")+
		"/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	r.Header.Set("X-Amz-Security-Token", os.Getenv("AWS_SESSION_TOKEN"))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", answer.Status, text)
	}
	return string(text), err
}
