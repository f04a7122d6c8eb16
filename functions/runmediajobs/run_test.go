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

	"portside/shared/media"
)

// ledger records the jobs that are run, and fails for one owner.
type ledger struct {
	ran  []string
	fail string
}

func (l *ledger) Run(_ context.Context, owner, id string) error {
	l.ran = append(l.ran, owner+" "+id)
	if owner == l.fail {
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

func TestWorkRunsTheJobsOfAnEvent(t *testing.T) {
	const owner, id = "0192f3a1-0000-7000-8000-000000000001", "0192f3a1-0000-7000-8000-0000000000aa"
	var l ledger
	var bucket string
	handle := work(func(name string) (runner, error) { bucket = name; return &l, nil })
	if err := handle(t.Context(), readEvent(t, "foreign-key")); err != nil || len(l.ran) > 0 {
		t.Errorf("a foreign key: %v, %v", err, l.ran)
	}
	err := handle(t.Context(), readEvent(t, "job"))
	if err != nil || !slices.Equal(l.ran, []string{owner + " " + id}) || bucket != "portside-mediabucket" {
		t.Errorf("%v, ran %v in %s", err, l.ran, bucket)
	}
	l.fail = owner
	const last = "0192f3a1-0000-7000-8000-000000000002 0192f3a1-0000-8000-8000-0000000000bb"
	if err := handle(t.Context(), readEvent(t, "two-jobs")); err == nil || l.ran[len(l.ran)-1] != last {
		t.Errorf("after a failed job: error %v, ran %v", err, l.ran)
	}
}

// TestTemplateSettingsMatchTheLimitsOfJobs compares the function's timeout and retries in template.yaml with package media.
func TestTemplateSettingsMatchTheLimitsOfJobs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "\n  RunMediaJobsFunction:\n")
	function, _, _ := strings.Cut(after, "\n\n")
	for name, want := range map[string]int{
		"Timeout":                  int(media.JobTime.Seconds()),
		"MaximumRetryAttempts":     media.JobTries - 1,
		"MaximumEventAgeInSeconds": int(media.JobWait.Seconds()),
	} {
		if setting := fmt.Sprintf(`\b%s: %d\b`, name, want); !regexp.MustCompile(setting).MatchString(function) {
			t.Errorf("template.yaml does not have %s of the function", setting)
		}
	}
}
