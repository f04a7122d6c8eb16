// Command portal is the Lambda function behind /portal: the web pages for customers.
package main

import (
	"log"

	"github.com/aws/aws-lambda-go/lambda"

	"portside/shared/lambda/lambdahttp"
	"portside/shared/lambda/start"
)

func main() {
	start.DelayCollection()
	start.LogJSON()
	pages, err := newPages()
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(lambdahttp.Handler(routes(pages).Handler()))
}
