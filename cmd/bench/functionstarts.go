package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"portside/cmd/bench/figures"
)

// Targets of functions, as multiples of the start of a bare function, or of a warm request to the peer.
const (
	usersFunction   = "UsersFunction"
	mediaFunction   = "MediaFunction"
	userStartRatio  = 2.3
	refusalRatio    = 1.6 // of a start that refuses a credential without a call
	mediaStartRatio = 4
	portalRatio     = 1.5
	warmRatio       = 1.5 // although the users function makes two calls more, one of them a write
	startRuns       = 40
	warmRuns        = 2_000
	warmUpRuns      = 200
)

// memoryFolder is a file system in memory.
const memoryFolder = "/dev/shm"

// functionUnderTest is a function that the benchmark runs alone.
type functionUnderTest struct {
	id, name string
	settings []string // its own environment variables, as in template.yaml, without those of tables and buckets
	program  string   // empty for the binary that the stack has built
}

func usersFunctionUnderTest() functionUnderTest {
	return functionUnderTest{id: usersFunction, name: "users function", settings: []string{"MAIL_FROM=no-reply@portside.example"}}
}

func mediaFunctionUnderTest() functionUnderTest {
	return functionUnderTest{id: mediaFunction, name: "media function", settings: []string{
		"MEDIA_ENGINE=offline", "GOMEMLIMIT=240MiB",
	}}
}

// environment returns the environment of the function. It has the names of all tables and buckets, of which the
// function reads its own.
func (s *stack) environment(f functionUnderTest, address string) []string {
	return append(slices.Concat(variablesOf(s.Tables), variablesOf(s.Buckets), f.settings),
		"AWS_LAMBDA_RUNTIME_API="+address,
		"AWS_LAMBDA_FUNCTION_NAME="+f.id,
		"AWS_REGION="+s.Region,
		"AWS_ACCESS_KEY_ID="+s.AccessKeyID,
		"AWS_SECRET_ACCESS_KEY="+s.SecretAccessKey,
		"AWS_ENDPOINT_URL_DYNAMODB="+s.DynamoDB,
		"AWS_ENDPOINT_URL_S3="+s.S3,
		"AWS_ENDPOINT_URL_SESV2="+s.SES,
		"RATE_LIMIT_PER_MINUTE=0",
	)
}

// variablesOf returns environment variables with the names of resources, such as USERS_TABLE for UsersTable.
func variablesOf(resources map[string]string) []string {
	var variables []string
	for id, name := range resources {
		variables = append(variables, variableOf(id)+"="+name)
	}
	return variables
}

func variableOf(id string) string {
	return strings.ToUpper(wordBegin.ReplaceAllString(id, "${1}_${2}"))
}

var wordBegin = regexp.MustCompile("([a-z])([A-Z])")

// bareFunction is the baseline of starts. It has no code of ours, so that what our start costs is in the ratios.
const bareFunction = "a bare handler of aws-lambda-go"

// firstEvent is an event for a function that has just started.
type firstEvent struct {
	functionUnderTest
	event  []byte
	status int // 0 for a response that is not HTTP
	what   string
	target float64 // times the start of the bare function; 0 for none
}

// functionStarts compares functions on a stack whose data is in memory. The users function writes and its baselines do
// not, so with data on a disk, the ratios would depend on the time in which that disk makes a write durable.
func (b *bench) functionStarts(ctx context.Context, _ *stack) error {
	return b.inMemory(ctx, func(s *stack) error { return b.startFunctions(ctx, s) })
}

// inMemory measures on a new stack whose data is in memory.
func (b *bench) inMemory(ctx context.Context, measure func(*stack) error) (err error) {
	data, err := os.MkdirTemp(memoryFolder, "portside-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	b.logProgress("starting another stack, with its data in memory")
	s, err := b.startStackIn(ctx, data)
	if err != nil {
		return err
	}
	defer s.Stop()
	return measure(s)
}

// startFunctions measures functions from process start to their first response, as multiples of the start of a function
// that returns its input. The starts alternate, so that all of them meet the same load of the machine.
func (b *bench) startFunctions(ctx context.Context, s *stack) error {
	path, err := s.adminPath(ctx)
	if err != nil {
		return err
	}
	for _, in := range []request{getRequest(path), textToRead(), getRequest("/portal")} { // waits until the functions are built
		if _, err := s.send(ctx, in); err != nil {
			return err
		}
	}
	bare, err := b.buildBaseline(ctx, "bare")
	if err != nil {
		return err
	}
	peer, err := b.buildBaseline(ctx, "peer")
	if err != nil {
		return err
	}
	user := s.event(getRequest(path))
	starts := []firstEvent{
		{bare, user, 0, bareFunction, 0},
		{peer, user, http.StatusOK, "the peer, which only reads a user", 0},
		{usersFunctionUnderTest(), user, http.StatusOK, "users function, a user", userStartRatio},
		{
			usersFunctionUnderTest(), s.eventWithKey(getRequest(path), "garbage"), http.StatusUnauthorized,
			"users function, an invalid key", refusalRatio,
		},
		{mediaFunctionUnderTest(), s.event(textToRead()), http.StatusOK, "media function, a date from a text", mediaStartRatio},
		{portalFunctionUnderTest(), s.event(getRequest("/portal")), http.StatusOK, "portal function, a page", portalRatio},
	}
	if err := b.compareStarts(ctx, s, starts); err != nil {
		return err
	}
	return b.warmFunction(ctx, s, starts[2], starts[1])
}

func portalFunctionUnderTest() functionUnderTest {
	return functionUnderTest{id: "PortalFunction", name: "portal function", settings: []string{"UPLOADS_ORIGIN=https://bucket.example"}}
}

// buildBaseline builds a function of the benchmark for this machine with the same options as the stack builds
// functions.
func (b *bench) buildBaseline(ctx context.Context, name string) (functionUnderTest, error) {
	f := functionUnderTest{id: name, name: name + " function", program: filepath.Join(b.dir, name)}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "lambda.norpc", "-ldflags=-s -w",
		"-o", f.program, "./cmd/bench/"+name)
	cmd.Dir, cmd.Env = b.repo, append(os.Environ(), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		return f, fmt.Errorf("build the %s: %w: %s", f.name, err, output)
	}
	return f, nil
}

// compareStarts compares the starts with the first of them.
func (b *bench) compareStarts(ctx context.Context, s *stack, starts []firstEvent) error {
	b.logProgress("starting %d functions %d times each", len(starts), startRuns)
	var runs []figures.Measurement
	for _, first := range starts {
		runs = append(runs, func(int) (float64, error) { return b.startFunction(ctx, s, first) })
	}
	times, err := figures.Alternate(startRuns, runs...)
	if err != nil {
		return err
	}
	for i, first := range starts {
		c := figures.Comparison{What: first.what + ": process start to first answer", With: starts[0].what, Times: times[i], Baseline: times[0]}
		b.table.AddComparison(c, first.target)
	}
	return nil
}

// binary returns the program of the function.
func (b *bench) binary(f functionUnderTest) string {
	return cmp.Or(f.program, filepath.Join(b.repo, ".local", "build", f.id, "bootstrap"))
}

// startFunction runs the function for one event, stops it, and returns the milliseconds from its start to its response.
func (b *bench) startFunction(ctx context.Context, s *stack, first firstEvent) (float64, error) {
	box, err := b.openSandbox(s, first.functionUnderTest)
	if err != nil {
		return 0, err
	}
	defer box.stop()
	a, err := box.handEvent(ctx, first.event)
	if err == nil {
		err = a.check(first.status)
	}
	if err != nil {
		return 0, fmt.Errorf("start the %s: %w", first.name, err)
	}
	return milliseconds(a.at.Sub(box.began)), nil
}

// warmFunction compares the users function with the peer when both are warm.
func (b *bench) warmFunction(ctx context.Context, s *stack, function, peer firstEvent) error {
	b.logProgress("sending %d events each to the %s and the peer", warmUpRuns+warmRuns, function.name)
	ours, err := b.openSandbox(s, function.functionUnderTest)
	if err != nil {
		return err
	}
	defer ours.stop()
	theirs, err := b.openSandbox(s, peer.functionUnderTest)
	if err != nil {
		return err
	}
	defer theirs.stop()
	warm := func(box *sandbox, event []byte) figures.Measurement {
		return func(int) (float64, error) {
			a, err := box.invoke(ctx, event)
			return milliseconds(a.took), err
		}
	}
	runs := []figures.Measurement{warm(ours, function.event), warm(theirs, peer.event)}
	if _, err := figures.Alternate(warmUpRuns, runs...); err != nil {
		return err
	}
	times, err := figures.Alternate(warmRuns, runs...)
	if err != nil {
		return err
	}
	c := figures.Comparison{What: function.what + ", when warm", With: peer.what, Times: times[0], Baseline: times[1]}
	b.table.AddComparison(c, warmRatio)
	return nil
}
