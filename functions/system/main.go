// Command system is the Lambda function behind what belongs to no resource: the service's health, the description of its
// API for programs (/openapi.json) and for people (/docs), and every path that no other function has.
package main

import (
	"log"

	"github.com/aws/aws-lambda-go/lambda"

	"portside/shared/lambda/lambdahttp"
	"portside/shared/lambda/start"
)

// commit is what the binary was built from; the Makefile sets it.
var commit = "unknown"

func main() {
	start.DelayCollection()
	start.LogJSON()
	pages, err := newPages()
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(lambdahttp.Handler(routes(pages, commit).Handler()))
}
