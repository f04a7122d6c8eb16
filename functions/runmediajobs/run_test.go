package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/media/jobs"
)

// recordingRunner records the jobs that it runs, and fails for one owner.
type recordingRunner struct {
	ran     []string
	failFor string
}

func (r *recordingRunner) Run(_ context.Context, owner, id string) error {
	r.ran = append(r.ran, owner+" "+id)
	if owner == r.failFor {
		return errors.New("not now")
	}
	return nil
}

func readEvent(t *testing.T, name string) events.S3Event {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "events", "runmediajobs", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var event events.S3Event
	if err := json.Unmarshal(text, &event); err != nil {
		t.Fatal(err)
	}
	return event
}

func TestEventRunsItsJobs(t *testing.T) {
	const owner, id = "0192f3a1-0000-7000-8000-000000000001", "0192f3a1-0000-7000-8000-0000000000aa"
	var r recordingRunner
	var bucket string
	handle := work(func(name string) (runner, error) { bucket = name; return &r, nil })
	if err := handle(t.Context(), readEvent(t, "foreign-key")); err != nil || len(r.ran) > 0 {
		t.Errorf("key outside the queue: error %v, ran %v", err, r.ran)
	}
	err := handle(t.Context(), readEvent(t, "job"))
	if err != nil || !slices.Equal(r.ran, []string{owner + " " + id}) || bucket != "portside-media-bucket" {
		t.Errorf("error %v, ran %v in %s", err, r.ran, bucket)
	}
	r.failFor = owner
	const last = "0192f3a1-0000-7000-8000-000000000002 0192f3a1-0000-8000-8000-0000000000bb"
	if err := handle(t.Context(), readEvent(t, "two-jobs")); err == nil || r.ran[len(r.ran)-1] != last {
		t.Errorf("one job fails: error %v, ran %v; want an error and both jobs", err, r.ran)
	}
}

// The limits of jobs in package media are the limits that Lambda applies.
func TestTemplateHasLimitsOfJobs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "\n  RunMediaJobsFunction:\n")
	function, _, _ := strings.Cut(after, "\n\n")
	for name, want := range map[string]int{
		"Timeout":                  int(jobs.JobTimeout.Seconds()),
		"MaximumRetryAttempts":     jobs.MaxJobAttempts - 1,
		"MaximumEventAgeInSeconds": int(jobs.MaxJobEventAge.Seconds()),
	} {
		if setting := fmt.Sprintf(`\b%s: %d\b`, name, want); !regexp.MustCompile(setting).MatchString(function) {
			t.Errorf("template.yaml does not have %s in RunMediaJobsFunction", setting)
		}
	}
}
