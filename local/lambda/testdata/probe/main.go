// Command probe is the function that the tests run. Its event selects its behavior.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

var version = "1" // set by the linker

type event struct {
	Do      string
	Wait    string // path of the file for which "wait" waits
	Size    int
	Padding string
}

type answer struct {
	PID         int
	Version     string
	Environment []string
	Directory   string
	RequestID   string
	ARN         string
	Remaining   time.Duration
	Big         string
}

func main() {
	switch os.Getenv("PROBE_INIT") {
	case "exit":
		log.Fatal("the probe fails to start")
	case "hang":
		time.Sleep(time.Hour) // an empty select would be a deadlock, which ends the process
	case "report":
		report()
	}
	lambda.Start(handle)
}

func report() {
	url := "http://" + os.Getenv("AWS_LAMBDA_RUNTIME_API") + "/2018-06-01/runtime/init/error"
	body := bytes.NewBufferString(`{"errorMessage":"no settings","errorType":"Probe.Init"}`)
	if _, err := http.Post(url, "application/json", body); err != nil {
		log.Fatal(err)
	}
	os.Exit(1)
}

func handle(ctx context.Context, e event) (*answer, error) {
	switch e.Do {
	case "panic":
		panic("the probe panics")
	case "exit":
		os.Exit(2)
	case "error":
		return nil, errors.New("the probe fails")
	case "wait":
		fmt.Println("waiting for", e.Wait)
		waitFor(e.Wait)
	case "hang":
		time.Sleep(time.Hour) // an empty select would be a deadlock, which ends the process
	case "next":
		return nextTooEarly(ctx)
	}
	return describe(ctx, e), nil
}

func describe(ctx context.Context, e event) *answer {
	lc, _ := lambdacontext.FromContext(ctx)
	deadline, _ := ctx.Deadline()
	directory, _ := os.Getwd()
	return &answer{
		PID:         os.Getpid(),
		Version:     version,
		Environment: os.Environ(),
		Directory:   directory,
		RequestID:   lc.AwsRequestID,
		ARN:         lc.InvokedFunctionArn,
		Remaining:   time.Until(deadline),
		Big:         strings.Repeat("x", e.Size),
	}
}

// nextTooEarly requests an invocation during one, which the Runtime API forbids.
func nextTooEarly(ctx context.Context) (*answer, error) {
	url := "http://" + os.Getenv("AWS_LAMBDA_RUNTIME_API") + "/2018-06-01/runtime/invocation/next"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	return nil, errors.Join(errors.New(response.Status), response.Body.Close())
}

func waitFor(path string) {
	for {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
