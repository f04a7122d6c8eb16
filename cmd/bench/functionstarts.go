package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Targets of a function that runs alone.
const (
	usersFunction    = "UsersFunction"
	mediaFunction    = "MediaFunction"
	sizeTarget       = 14  // MB, unless sizeTargets has another value
	usersStart       = 10  // ms
	mediaStart       = 15  // ms
	portalStartRatio = 1.3 // times the start of an empty function
	startRuns        = 41
)

// sizeTargets are the maximum sizes of functions in MB.
var sizeTargets = map[string]float64{"charts": 12, "indexcharts": 16, "images": 12, "media": 25, "portal": 10, "runmediajobs": 25}

// sizes measures the binary of every function, built as for deployment.
func (b *bench) sizes(ctx context.Context) error {
	directories, err := filepath.Glob(filepath.Join(b.repo, "functions", "*"))
	if err != nil {
		return err
	}
	for _, directory := range directories {
		name := filepath.Base(directory)
		b.logProgress("building %s for arm64", name)
		size, err := b.sizeOf(ctx, name)
		if err != nil {
			return err
		}
		b.table.addAtMost("size of the function "+name+", arm64", size, cmp.Or(sizeTargets[name], sizeTarget), "MB")
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

// functionUnderTest is a function that the benchmark runs alone.
type functionUnderTest struct {
	id, name string
	settings []string // its own environment variables, as in template.yaml
	program  string   // empty for the binary that the stack has built
}

func (s *stack) usersFunction() functionUnderTest {
	return functionUnderTest{id: usersFunction, name: "users function", settings: []string{
		"USERS_TABLE=" + s.Tables["UsersTable"], "ANALYTICS_TABLE=" + s.Tables["AnalyticsTable"], "MAIL_FROM=no-reply@portside.example",
	}}
}

func (s *stack) mediaFunction() functionUnderTest {
	return functionUnderTest{id: mediaFunction, name: "media function", settings: []string{
		"MEDIA_BUCKET=" + s.Buckets["MediaBucket"], "MEDIA_ENGINE=offline",
	}}
}

// environment returns the complete environment of the function, as in the cloud.
func (s *stack) environment(f functionUnderTest, address string) []string {
	return append(f.settings,
		"AWS_LAMBDA_RUNTIME_API="+address,
		"AWS_LAMBDA_FUNCTION_NAME="+f.id,
		"AWS_REGION="+s.Region,
		"AWS_ACCESS_KEY_ID="+s.AccessKeyID,
		"AWS_SECRET_ACCESS_KEY="+s.SecretAccessKey,
		"AWS_ENDPOINT_URL_DYNAMODB="+s.DynamoDB,
		"AWS_ENDPOINT_URL_S3="+s.S3,
		"AWS_ENDPOINT_URL_SESV2="+s.SES,
		"CREDENTIALS_TABLE="+s.Tables["CredentialsTable"],
		"RATE_LIMIT_PER_MINUTE=0",
	)
}

// functionStarts measures functions from process start to their first response. The users function
// reads a user from the stack's tables; the media function extracts a value from a text, which also
// reads a table.
func (b *bench) functionStarts(ctx context.Context, s *stack) error {
	path, err := s.adminPath(ctx)
	if err != nil {
		return err
	}
	if err := b.functionStart(ctx, s, s.usersFunction(), firstResponse{getRequest(path), usersStart}); err != nil {
		return err
	}
	if err := b.functionStart(ctx, s, s.mediaFunction(), firstResponse{textToRead(), mediaStart}); err != nil {
		return err
	}
	return b.portalStart(ctx, s)
}

// portalStart compares the start of the portal with the start of a function that does nothing. The starts alternate, so both meet the
// same load of the machine.
func (b *bench) portalStart(ctx context.Context, s *stack) error {
	first := getRequest("/portal")
	if _, err := s.send(ctx, first); err != nil { // also waits until the function is built
		return err
	}
	program, err := b.buildEmpty(ctx)
	if err != nil {
		return err
	}
	portal := functionUnderTest{id: "PortalFunction", name: "portal function", settings: []string{"UPLOADS_ORIGIN=https://bucket.example"}}
	empty := functionUnderTest{id: "EmptyFunction", name: "empty function", program: program}
	b.logProgress("starting the portal function and an empty function %d times each", startRuns)
	event, times := s.event(first), map[string][]float64{}
	for range startRuns {
		for _, f := range []functionUnderTest{portal, empty} {
			took, err := b.startFunction(ctx, s, f, event)
			if err != nil {
				return fmt.Errorf("start the %s: %w", f.name, err)
			}
			times[f.name] = append(times[f.name], milliseconds(took))
		}
	}
	ofPortal, ofEmpty := quantile(times[portal.name], 0.5), quantile(times[empty.name], 0.5)
	b.table.addFigure(fmt.Sprintf("portal function and empty function: process start to first answer, medians of %d", startRuns),
		"%s and %s ms", formatNumber(ofPortal), formatNumber(ofEmpty))
	b.table.addAtMost("portal function: start, compared with an empty function", ofPortal/ofEmpty, portalStartRatio, "×")
	return nil
}

// buildEmpty builds the empty function for this machine with the same options as the stack builds functions.
func (b *bench) buildEmpty(ctx context.Context) (string, error) {
	program := filepath.Join(b.dir, "empty")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "lambda.norpc", "-ldflags=-s -w", "-o", program, "./cmd/bench/empty")
	cmd.Dir, cmd.Env = b.repo, append(os.Environ(), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the empty function: %w: %s", err, output)
	}
	return program, nil
}

// firstResponse is the first request to a function, and the target for its response in
// milliseconds.
type firstResponse struct {
	question request
	target   float64
}

func (b *bench) functionStart(ctx context.Context, s *stack, f functionUnderTest, first firstResponse) error {
	if _, err := s.send(ctx, first.question); err != nil { // also waits until the function is built
		return err
	}
	b.logProgress("starting the %s %d times", f.name, startRuns)
	event, times := s.event(first.question), make([]float64, startRuns)
	for i := range times {
		took, err := b.startFunction(ctx, s, f, event)
		if err != nil {
			return fmt.Errorf("start the %s: %w", f.name, err)
		}
		times[i] = milliseconds(took)
	}
	what := f.name + ": process start to first answer, "
	b.table.addAtMost(fmt.Sprintf(what+"median of %d", startRuns), quantile(times, 0.5), first.target, "ms")
	b.table.addFigure(what+"fastest and slowest", "%s and %s ms", formatNumber(quantile(times, 0)), formatNumber(quantile(times, 1)))
	return nil
}

// binary returns the program of the function.
func (b *bench) binary(f functionUnderTest) string {
	return cmp.Or(f.program, filepath.Join(b.repo, ".local", "build", f.id, "bootstrap"))
}

// startFunction runs the function for one event and stops it.
func (b *bench) startFunction(ctx context.Context, s *stack, f functionUnderTest, event []byte) (time.Duration, error) {
	box, err := b.openSandbox(s, f)
	if err != nil {
		return 0, err
	}
	defer box.stop()
	a, err := box.invoke(ctx, event)
	return a.at.Sub(box.began), err
}
