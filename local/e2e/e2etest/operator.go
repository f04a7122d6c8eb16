package e2etest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/local/stack/control"
	"portside/local/stack/functions"
)

// Operator does what only the person can who runs the stack: reads its files, runs commands on them, and reaches its
// engines and functions without the API.
type Operator struct {
	stack *Stack
	demo  *sync.Mutex // held by a run of the demo
}

// Line returns the only line of a file in the data folder.
func (o Operator) Line(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(o.File(t, name))
}

// File returns the content of a file in the data folder.
func (o Operator) File(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(o.stack.Data, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Execute runs a program and returns its output. It also writes the output to the log, in which the test searches for
// leaked secrets.
func (o Operator) Execute(t *testing.T, path string, args ...string) string {
	t.Helper()
	var output bytes.Buffer
	command := exec.CommandContext(t.Context(), path, args...)
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(path), strings.Join(args, " "), err, &output)
	}
	_, _ = o.stack.Log.Write(output.Bytes())
	return output.String()
}

// Portside is the path of the command line, which each start of a stack builds.
var Portside = filepath.Join(Repository, ".local", "bin", "portside")

// Run runs the command line as the operator of the stack.
func (o Operator) Run(t *testing.T, command string, args ...string) string {
	t.Helper()
	return o.Execute(t, Portside, append([]string{command, "--local", o.stack.Data}, args...)...)
}

// Invoke invokes a function with a sample event, like `make invoke`. It waits while a scheduled run occupies the
// function's only sandbox.
func (o Operator) Invoke(t *testing.T, function, event string) {
	t.Helper()
	payload := []byte(FromRepository(t, "events", event))
	var result functions.Invocation
	Await(t, function+" to accept the event", func() bool {
		var err error
		if result, err = control.Invoke(t.Context(), o.stack.Info, function, payload); err != nil {
			t.Fatal(err)
		}
		return !strings.Contains(result.Error, "busy")
	})
	if result.Error != "" || result.FunctionError != "" {
		t.Fatalf("%s on %s: %s %s %s", function, event, result.Error, result.FunctionError, result.Payload)
	}
}

// DynamoDB returns a client of the local DynamoDB.
func (o Operator) DynamoDB() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{Region: o.stack.Info.Region, BaseEndpoint: &o.stack.Info.DynamoDB,
		Credentials: o.engineKeys()})
}

// S3 returns a client of the local S3.
func (o Operator) S3() *s3.Client {
	return s3.New(s3.Options{Region: o.stack.Info.Region, BaseEndpoint: &o.stack.Info.S3, UsePathStyle: true,
		Credentials: o.engineKeys()})
}

// PutObject writes an object into the bucket with the logical ID, as the vendor's pipeline does.
func (o Operator) PutObject(t *testing.T, bucketID, key, content string) {
	t.Helper()
	bucket := o.stack.Info.Buckets[bucketID]
	_, err := o.S3().PutObject(t.Context(),
		&s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader(content)})
	if err != nil {
		t.Fatal(err)
	}
}

func (o Operator) engineKeys() aws.CredentialsProvider {
	return credentials.NewStaticCredentialsProvider(o.stack.Info.AccessKeyID, o.stack.Info.SecretAccessKey, "")
}
