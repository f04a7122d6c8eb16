// Command system is the Lambda function behind what belongs to no resource: the service's health, the description of its
// API for programs (/openapi.json) and for people (/docs), and every path that no other function has.
package main

import (
	"log"

	"github.com/aws/aws-lambda-go/lambda"

	"portside/shared/coldstart"
	"portside/shared/lambdahttp"
	"portside/shared/logs"
)

// commit is what the binary was built from; the Makefile sets it.
var commit = "unknown"

func main() {
	coldstart.DelayCollection()
	logs.SetUp()
	pages, err := newPages()
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(lambdahttp.Handler(routes(pages, commit).Handler()))
}
