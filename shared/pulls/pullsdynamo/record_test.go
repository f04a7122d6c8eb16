package pullsdynamo_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
	"portside/testclient/scale"
)

// many returns n different pulls of one artifact, a second apart, with the given number of credentials and
// versions.
func many(n, credentials, versions int) []pulls.Pull {
	all := make([]pulls.Pull, n)
	for i := range all {
		all[i] = pulls.Pull{
			At: midnight.Add(time.Duration(i) * time.Second), Kind: pulls.Image, Repository: "acme/api",
			Reference: fmt.Sprintf("1.%d", i%versions), Digest: fmt.Sprintf("sha256:%064x", i),
			CredentialID: fmt.Sprintf("credential%02d", i%credentials), OwnerID: "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11",
			Address: "203.0.113.9", Client: "containerd/2.1.0",
		}
	}
	return all
}

// TestCrashesLoseNothing records with a client that crashes at each of its calls in turn. Another delivery has a part
// of the same pulls, then the first one is repeated.
func TestCrashesLoseNothing(t *testing.T) {
	all := many(8, 3, 5)
	for _, lost := range []bool{false, true} {
		awstest.CrashAtEachCall(lost, func(crashing func(*dynamodb.Client) *dynamodb.Client) error {
			s := newTables(t)
			_, crash := pullsdynamo.New(crashing(s.client), s.pulls, s.analytics).Record(t.Context(), all)
			s.counts(t) // abandons what the crash has left pending
			for _, given := range [][]pulls.Pull{all[3:6], all} {
				if _, err := s.store().Impatient().Record(t.Context(), given); err != nil {
					t.Fatal(err)
				}
			}
			checkCounts(t, s, all)
			checkLists(t, s.store(), all)
			return crash
		})
	}
}

// TestCrashesCountOnce counts with a client that crashes at a call in turn. More pulls arrive before or after the next
// call.
func TestCrashesCountOnce(t *testing.T) {
	all := many(6, 2, 3)
	first, step := scale.Every(3)
	for i := range 4 {
		lost, before := i%2 == 0, i/2 == 0
		awstest.CrashAtCalls(first, step, lost, func(crashing func(*dynamodb.Client) *dynamodb.Client) error {
			s := newTables(t)
			if _, err := s.store().Record(t.Context(), all[:3]); err != nil {
				t.Fatal(err)
			}
			_, crash := pullsdynamo.New(crashing(s.client), s.pulls, s.analytics).CountPending(t.Context())
			if !before {
				checkCounts(t, s, all[:3])
			}
			if _, err := s.store().Record(t.Context(), all); err != nil {
				t.Fatal(err)
			}
			checkCounts(t, s, all)
			return crash
		})
	}
}

// beforeEachWrite runs an operation repeatedly, the nth time with a client before whose nth write another process
// works.
func beforeEachWrite(run func(slow func(client *dynamodb.Client, work func()) *dynamodb.Client)) {
	for at, reached := int64(1), true; reached; at++ {
		reached = false
		var writes atomic.Int64
		run(func(client *dynamodb.Client, work func()) *dynamodb.Client {
			return awstest.Faulty(client, func(operation string, _ int) error {
				if (operation == "PutItem" || operation == "UpdateItem") && writes.Add(1) == at {
					reached = true
					work()
				}
				return nil
			})
		})
	}
}

// TestSlowCounterCountsNothingTwice lets a counter read its window. Before one of its writes, other counters complete
// this window and the next one.
func TestSlowCounterCountsNothingTwice(t *testing.T) {
	all := many(6, 2, 2)
	beforeEachWrite(func(slow func(*dynamodb.Client, func()) *dynamodb.Client) {
		s := newTables(t)
		record(t, s, all[:3])
		client := slow(s.client, func() {
			s.counts(t)
			record(t, s, all[3:])
			s.counts(t)
		})
		if _, err := pullsdynamo.New(client, s.pulls, s.analytics).CountPending(t.Context()); err != nil {
			t.Fatal(err)
		}
		record(t, s, all)
		checkCounts(t, s, all)
	})
}

// TestSlowRecorderLosesNothing counts before one of the writes of a recording. That abandons a batch that is pending
// and not complete.
func TestSlowRecorderLosesNothing(t *testing.T) {
	all := many(3, 1, 1)
	beforeEachWrite(func(slow func(*dynamodb.Client, func()) *dynamodb.Client) {
		s := newTables(t)
		client := slow(s.client, func() { s.counts(t) })
		if _, err := pullsdynamo.New(client, s.pulls, s.analytics).Record(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		checkCounts(t, s, all)
	})
}

// TestLaterLineOfSamePull records a HEAD before the GET of the same minute arrives.
func TestLaterLineOfSamePull(t *testing.T) {
	s := newTables(t)
	store := pullsdynamo.New(s.client, s.pulls, s.analytics)
	head := many(1, 1, 1)[0]
	get := head
	get.At = head.At.Add(59 * time.Second)
	for i, given := range [][]pulls.Pull{{get, head, get}, {get}, {head, get}, {}} {
		if n, err := store.Record(t.Context(), given); err != nil || (n == 1) != (i == 0) {
			t.Errorf("delivery %d: recorded %d, %v", i, n, err)
		}
	}
	found, more, err := store.Page(t.Context(), pulls.Range{From: midnight, To: midnight.AddDate(0, 0, 1), Limit: 5})
	if err != nil || more || len(found) != 1 || found[0] != head {
		t.Errorf("the log has %+v, %v, %v; want only the earlier pull", found, more, err)
	}
}

// TestPurgeTimes checks that a batch is kept longer than its pulls, so that lines that are delivered again count
// nothing that is still listed.
func TestPurgeTimes(t *testing.T) {
	s, given := newTables(t), many(1, 1, 1)
	if _, err := s.store().Record(t.Context(), given); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"credential": fmt.Sprint(midnight.Add(400 * 24 * time.Hour).Unix()),
		"log":        fmt.Sprint(midnight.Add(430 * 24 * time.Hour).Unix()),
		"pending":    fmt.Sprint(midnight.Add(430 * 24 * time.Hour).Unix()),
	}
	for _, item := range s.scan(t, s.pulls) {
		kind, _, _ := strings.Cut(text(item["pk"]), "#")
		if n, ok := item["purgeAt"].(*types.AttributeValueMemberN); !ok || n.Value != want[kind] {
			t.Errorf("purgeAt of %s is %v, want %s", text(item["pk"]), item["purgeAt"], want[kind])
		}
		delete(want, kind)
	}
	if len(want) > 0 {
		t.Errorf("there is no item of %v", want)
	}
}
