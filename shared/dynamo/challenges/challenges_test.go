package challenges_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portside/shared/dynamo/challenges"
	"portside/shared/testkit/awstest"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func newTable(tb testing.TB) challenges.Table {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	return challenges.In(client, awstest.Table(tb, client, "CredentialsTable"))
}

func put(tb testing.TB, table challenges.Table, value string) {
	tb.Helper()
	err := table.Put(tb.Context(), challenges.Challenge{
		Purpose: "test", Value: []byte(value), Subject: "ada", ExpiresAt: noon.Add(time.Minute),
	})
	if err != nil {
		tb.Fatal(err)
	}
}

func TestTakeChecksPurposeValueAndTime(t *testing.T) {
	for name, c := range map[string]struct {
		purpose, value string
		at             time.Time
		found          bool
	}{
		"the same":        {"test", "0123456789abcdef", noon.Add(time.Minute - time.Millisecond), true},
		"another purpose": {"other", "0123456789abcdef", noon, false},
		"another value":   {"test", "0123456789abcdeg", noon, false},
		"expired":         {"test", "0123456789abcdef", noon.Add(time.Minute), false},
	} {
		t.Run(name, func(t *testing.T) {
			table := newTable(t)
			put(t, table, "0123456789abcdef")
			subject, found, err := table.Take(t.Context(), c.purpose, []byte(c.value), c.at)
			if err != nil || found != c.found || found != (subject == "ada") {
				t.Errorf("%s: %q, %v, %v; want found %v", name, subject, found, err, c.found)
			}
		})
	}
}

func TestPutRefusesTheSameValueTwice(t *testing.T) {
	table := newTable(t)
	put(t, table, "0123456789abcdef")
	if err := table.Put(t.Context(),
		challenges.Challenge{Purpose: "test", Value: []byte("0123456789abcdef"), ExpiresAt: noon}); err == nil {
		t.Error("the same value was stored twice")
	}
}

func TestOneOfSeveralTakesSucceeds(t *testing.T) {
	table := newTable(t)
	put(t, table, "0123456789abcdef")
	var taken atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, found, err := table.Take(t.Context(), "test", []byte("0123456789abcdef"), noon)
			if err != nil {
				t.Error(err)
			}
			if found {
				taken.Add(1)
			}
		})
	}
	all.Wait()
	if taken.Load() != 1 {
		t.Errorf("%d takes succeeded, want 1", taken.Load())
	}
}
