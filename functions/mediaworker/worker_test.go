package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

// ledger notes what is run, and fails for one owner.
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

func read(t *testing.T, name string) events.S3Event {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "events", "mediaworker", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var event events.S3Event
	if err := json.Unmarshal(text, &event); err != nil {
		t.Fatal(err)
	}
	return event
}

func TestJobsOfAnEventAreRun(t *testing.T) {
	const owner, id = "0192f3a1-0000-7000-8000-000000000001", "0192f3a1-0000-7000-8000-0000000000aa"
	var l ledger
	var bucket string
	handle := work(func(name string) runner { bucket = name; return &l })
	if err := handle(t.Context(), read(t, "foreign-key")); err != nil || len(l.ran) > 0 {
		t.Errorf("a foreign key: %v, %v", err, l.ran)
	}
	err := handle(t.Context(), read(t, "job"))
	if err != nil || !slices.Equal(l.ran, []string{owner + " " + id}) || bucket != "portside-mediabucket" {
		t.Errorf("%v, ran %v in %s", err, l.ran, bucket)
	}
	l.fail = owner
	both := read(t, "job")
	both.Records = append(both.Records, both.Records[0])
	both.Records[1].S3.Object.Key, both.Records[1].S3.Object.URLDecodedKey = "queue/b/c", "queue/b/c"
	if err := handle(t.Context(), both); err == nil || l.ran[len(l.ran)-1] != "b c" {
		t.Errorf("one that fails keeps the others: %v, %v", err, l.ran)
	}
}
