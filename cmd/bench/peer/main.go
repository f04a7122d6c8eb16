// Command peer is a plain function for the comparison with the users function: it loads the usual configuration, reads
// one user with one GetItem, and answers with JSON. It authenticates no caller and validates nothing.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"path"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// user has the main fields of a user.
type user struct {
	ID    string `dynamodbav:"id"    json:"id"`
	Name  string `dynamodbav:"name"  json:"name"`
	Email string `dynamodbav:"email" json:"email"`
	Role  string `dynamodbav:"role"  json:"role"`
}

// table reads users.
type table struct {
	client *dynamodb.Client
	name   string
}

func main() {
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(table{dynamodb.NewFromConfig(cfg), os.Getenv("USERS_TABLE")}.get)
}

func (t table) get(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.name, Key: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "user#" + path.Base(event.RawPath)},
		"sk": &types.AttributeValueMemberS{Value: "user"},
	}})
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, err
	}
	if out.Item == nil {
		return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusNotFound}, nil
	}
	var found user
	if err := attributevalue.UnmarshalMap(out.Item, &found); err != nil {
		return events.APIGatewayV2HTTPResponse{}, err
	}
	body, err := json.Marshal(found)
	headers := map[string]string{"Content-Type": "application/json"}
	return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusOK, Headers: headers, Body: string(body)}, err
}
