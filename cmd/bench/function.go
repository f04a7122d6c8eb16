package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// The targets of a function by itself.
const (
	usersFunction = "UsersFunction"
	sizeTarget    = 14 // MB, where sizeTargets has no other
	startTarget   = 10 // ms
	starts        = 41
	startLimit    = 10 * time.Second
)

// sizeTargets are in MB.
var sizeTargets = map[string]float64{"charts": 12, "chartindex": 16, "images": 12, "media": 25, "mediaworker": 25}

// sizes builds every function as it is deployed.
func (b *bench) sizes(ctx context.Context) error {
	directories, err := filepath.Glob(filepath.Join(b.repo, "functions", "*"))
	if err != nil {
		return err
	}
	for _, directory := range directories {
		name := filepath.Base(directory)
		b.say("building %s for arm64", name)
		size, err := b.sizeOf(ctx, name)
		if err != nil {
			return err
		}
		b.table.most("size of the function "+name+", arm64", size, cmp.Or(sizeTargets[name], sizeTarget), "MB")
	}
	return nil
}

func (b *bench) sizeOf(ctx context.Context, name string) (float64, error) {
	target, dir := "build-"+strings.ToUpper(name[:1])+name[1:]+"Function", filepath.Join(b.dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, "make", "-s", "-C", b.repo, target, "ARTIFACTS_DIR="+dir, "LAMBDA_GOARCH=arm64")
	if output, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("make %s: %w: %s", target, err, output)
	}
	file, err := os.Stat(filepath.Join(dir, "bootstrap"))
	if err != nil {
		return 0, err
	}
	return float64(file.Size()) / 1e6, nil
}

// functionStart measures the users function from its exec to its first answer: a user, read from the stack's tables.
func (b *bench) functionStart(ctx context.Context, s *stack) error {
	path, err := s.adminPath(ctx)
	if err != nil {
		return err
	}
	event, err := json.Marshal(s.event(path))
	if err != nil {
		return err
	}
	b.say("starting the users function %d times", starts)
	times := make([]float64, starts)
	for i := range times {
		took, err := b.startFunction(ctx, s, event)
		if err != nil {
			return fmt.Errorf("start the users function: %w", err)
		}
		times[i] = milliseconds(took)
	}
	b.table.most(fmt.Sprintf("users function: process start to first answer, median of %d", starts), quantile(times, 0.5), startTarget, "ms")
	b.table.note("users function: process start to first answer, fastest and slowest", "%s and %s ms",
		number(quantile(times, 0)), number(quantile(times, 1)))
	return nil
}

// event is what API Gateway makes of a GET by the admin.
func (s *stack) event(path string) events.APIGatewayV2HTTPRequest {
	request := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "ANY /v1/users/{proxy+}", RawPath: path,
		Headers: map[string]string{"accept": "application/json", "host": "localhost", "x-api-key": s.adminKey},
	}
	request.RequestContext = events.APIGatewayV2HTTPRequestContext{
		RouteKey: request.RouteKey, Stage: "$default", RequestID: "bench", DomainName: "localhost",
		HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
			Method: http.MethodGet, Path: path, Protocol: "HTTP/1.1", SourceIP: "127.0.0.1",
		},
	}
	return request
}

// runtimeAPI is the part of the Lambda Runtime API that one invocation needs.
type runtimeAPI struct {
	event    []byte
	answered chan answer
}

// answer is when the function answered, and what.
type answer struct {
	at   time.Time
	body []byte
	err  error
}

// ServeHTTP hands out the event once and lets the next request for work wait until the function is ended.
func (a *runtimeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/next") && a.event != nil:
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", "bench")
		w.Header().Set("Lambda-Runtime-Deadline-Ms", fmt.Sprint(time.Now().Add(startLimit).UnixMilli()))
		_, _ = w.Write(a.event) // a function that is gone is seen by its end
		a.event = nil
	case strings.HasSuffix(r.URL.Path, "/next"):
		<-r.Context().Done()
	default:
		at := time.Now()
		body, err := io.ReadAll(r.Body)
		a.answered <- answer{at, body, err}
		w.WriteHeader(http.StatusAccepted)
	}
}

// startFunction runs the function for one event and ends it.
func (b *bench) startFunction(ctx context.Context, s *stack, event []byte) (time.Duration, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	api := &runtimeAPI{event: event, answered: make(chan answer, 1)}
	server := &http.Server{Handler: api, ReadHeaderTimeout: startLimit}
	go func() { _ = server.Serve(listener) }() // ends with Close
	defer func() { _ = server.Close() }()
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(b.repo, ".local", "build", usersFunction, "bootstrap"))
	cmd.Env = s.environment(listener.Addr().String())
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() { cancel(); _ = cmd.Wait() }() // it is killed, which is what Wait tells
	select {
	case a := <-api.answered:
		return a.at.Sub(began), a.check()
	case <-ctx.Done():
		return 0, errors.New("it did not answer")
	}
}

func (a answer) check() error {
	var response events.APIGatewayV2HTTPResponse
	err := errors.Join(a.err, json.Unmarshal(a.body, &response))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("it answered %s", a.body)
	}
	return err
}

// environment is all that the function sees, as in the cloud.
func (s *stack) environment(address string) []string {
	return []string{
		"AWS_LAMBDA_RUNTIME_API=" + address,
		"AWS_LAMBDA_FUNCTION_NAME=" + usersFunction,
		"AWS_REGION=" + s.Region,
		"AWS_ACCESS_KEY_ID=" + s.AccessKeyID,
		"AWS_SECRET_ACCESS_KEY=" + s.SecretAccessKey,
		"AWS_ENDPOINT_URL_DYNAMODB=" + s.DynamoDB,
		"AWS_ENDPOINT_URL_SESV2=" + s.SES,
		"USERS_TABLE=" + s.Tables["UsersTable"],
		"CREDENTIALS_TABLE=" + s.Tables["CredentialsTable"],
		"MAIL_FROM=no-reply@portside.example",
		"RATE_LIMIT_PER_MINUTE=0",
	}
}
