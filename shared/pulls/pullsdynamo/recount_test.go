package pullsdynamo_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/pullcounts"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
	"portside/testclient/scale"
)

// manyPulls returns pulls of one day.
func manyPulls(n int) []pulls.Pull {
	var all []pulls.Pull
	for i := range n {
		all = append(all, pulls.Pull{
			At: midnight.Add(time.Duration(i) * time.Second), Kind: pulls.Chart, Repository: fmt.Sprintf("acme/%d", i%5),
			Reference: fmt.Sprintf("1.%d", i), CredentialID: "a", OwnerID: fmt.Sprintf("u%d", i%3), Address: "203.0.113.9",
		})
	}
	return all
}

// damage makes the counts of the day too high, too low, missing, and those of an artifact that has no pulls. The window
// of each item stays.
func (s testTables) damage(t *testing.T, day calendar.Day) {
	for name, n := range map[string]int64{"chart#acme/0": 900, "chart#acme/1": 1, "chart#acme/2": 0, "chart#other": 7,
		"person#u1": 2} {
		key := pullcounts.Key(name, pullcounts.Year(day))
		if n == 0 {
			if _, err := s.client.DeleteItem(t.Context(),
				&dynamodb.DeleteItemInput{TableName: &s.analytics, Key: key}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		item := pullcounts.Days{day: n}.Pack()
		item["pk"], item["sk"], item[pullcounts.Window] = key["pk"], key["sk"], items.Number(int64(1))
		if _, err := s.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &s.analytics, Item: item}); err != nil {
			t.Fatal(err)
		}
	}
}

func record(t *testing.T, s testTables, all []pulls.Pull) {
	t.Helper()
	if _, err := s.store().Record(t.Context(), all); err != nil {
		t.Fatal(err)
	}
}

// TestRecountAfterEachFault stops a recount at a call in turn, before or after its effect, and runs it again.
func TestRecountAfterEachFault(t *testing.T) {
	day, all := calendar.DayOf(midnight), manyPulls(10)
	first, step := scale.Every(3)
	for stopAt, stopped := first-1, true; stopped && stopAt < 200; stopAt += step {
		s := newTables(t)
		record(t, s, all)
		checkCounts(t, s, all)
		s.damage(t, day)
		calls := 0
		var mutex sync.Mutex
		client := awstest.Faulty(s.client, func(string, int) error {
			mutex.Lock()
			defer mutex.Unlock()
			calls++
			if calls <= stopAt/2 {
				return nil
			}
			if stopAt%2 == 0 {
				return errFault
			}
			return awstest.Lost(errFault)
		})
		_, err := pullsdynamo.New(client, s.pulls, s.analytics).Recount(t.Context(), day)
		stopped = err != nil
		if _, err := s.store().Recount(t.Context(), day); err != nil {
			t.Fatal(err)
		}
		checkCounts(t, s, all)
		if found, err := s.store().CompareCounts(t.Context(), day); err != nil || len(found) > 0 {
			t.Fatal("after the recount, different are", found, err)
		}
	}
}

// TestRecountCompletesAnInterruptedCount stops a count of pulls at each call. The recount of another day loses none of
// them.
func TestRecountCompletesAnInterruptedCount(t *testing.T) {
	day, all := calendar.DayOf(midnight), manyPulls(3)
	for stopAt, stopped := 0, true; stopped; stopAt++ {
		s := newTables(t)
		record(t, s, all)
		var calls atomic.Int64
		client := awstest.Faulty(s.client, func(string, int) error {
			if calls.Add(1) > int64(stopAt) {
				return errFault
			}
			return nil
		})
		_, err := pullsdynamo.New(client, s.pulls, s.analytics).CountPending(t.Context())
		stopped = err != nil
		if _, err := s.store().Recount(t.Context(), day-1); err != nil {
			t.Fatal(err)
		}
		checkCounts(t, s, all)
	}
}

// TestRecountBesideCounting recounts while pulls are recorded and counted.
func TestRecountBesideCounting(t *testing.T) {
	s, day, all := newTables(t), calendar.DayOf(midnight), manyPulls(120)
	record(t, s, all[:30])
	checkCounts(t, s, all[:30])
	s.damage(t, day)
	var work sync.WaitGroup
	work.Go(func() {
		for i := 30; i < len(all); i += 5 {
			if _, err := s.store().Record(t.Context(), all[i:i+5]); err != nil {
				t.Error(err)
			}
			if _, err := s.store().CountPending(t.Context()); err != nil && !errors.Is(err, pullsdynamo.ErrRecounting) {
				t.Error(err)
			}
		}
	})
	for range 2 {
		work.Go(func() {
			for range 4 {
				if _, err := s.store().Recount(t.Context(), day); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	checkCounts(t, s, all)
}

// TestFailedRecountLetsPullsBeCounted damages an item so that a recount cannot correct it. Pulls must be counted
// afterwards.
func TestFailedRecountLetsPullsBeCounted(t *testing.T) {
	for name, damaged := range map[string]items.Map{
		"days that cannot be read": {"days": items.Bytes([]byte{0xff}), pullcounts.Window: items.Number(int64(1))},
		"a window of the future":   {"days": items.Bytes(nil), pullcounts.Window: items.Number(int64(1_000))},
	} {
		t.Run(name, func(t *testing.T) {
			s, day, all := newTables(t), calendar.DayOf(midnight), manyPulls(20)
			record(t, s, all[:10])
			checkCounts(t, s, all[:10])
			key := pullcounts.Key("chart#acme/0", pullcounts.Year(day))
			damaged["pk"], damaged["sk"] = key["pk"], key["sk"]
			if len(damaged["days"].(*types.AttributeValueMemberB).Value) == 0 {
				maps.Copy(damaged, pullcounts.Days{day: 99}.Pack())
			}
			if _, err := s.client.PutItem(t.Context(),
				&dynamodb.PutItemInput{TableName: &s.analytics, Item: damaged}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.store().Recount(t.Context(), day); err == nil || !strings.Contains(err.Error(), "chart#acme/0") {
				t.Errorf("recount = %v, want an error that names the item", err)
			}
			if _, err := s.client.DeleteItem(t.Context(),
				&dynamodb.DeleteItemInput{TableName: &s.analytics, Key: key}); err != nil {
				t.Fatal(err)
			}
			record(t, s, all[10:])
			if _, err := s.store().CountPending(t.Context()); err != nil {
				t.Errorf("pulls are not counted after a failed recount: %v", err)
			}
			if _, err := s.store().Recount(t.Context(), day); err != nil {
				t.Fatal(err)
			}
			checkCounts(t, s, all)
		})
	}
}

// TestSlowRecountLosesNoPulls lets a recount whose window was closed write a count before each write of the next
// window.
func TestSlowRecountLosesNoPulls(t *testing.T) {
	day, all := calendar.DayOf(midnight), manyPulls(20)
	for n := 1; n <= 20; n++ {
		s := newTables(t)
		record(t, s, all[:10])
		checkCounts(t, s, all[:10])
		slow, err := s.store().Recount(t.Context(), day) // window 2
		if err != nil || len(slow) > 0 {
			t.Fatal(slow, err)
		}
		record(t, s, all[10:])
		client := awstest.Faulty(s.client, func(operation string, count int) error {
			if operation == "PutItem" && count == n {
				s.writeLate(t, pullcounts.Key("chart#acme/0", pullcounts.Year(day)))
				s.writeLate(t, pullcounts.TopKey(pullcounts.Artifact, calendar.SpansOf(day)[0].Name))
			}
			return nil
		})
		if _, err := pullsdynamo.New(client, s.pulls, s.analytics).CountPending(t.Context()); err != nil {
			t.Fatal(err)
		}
		checkCounts(t, s, all)
	}
}

// writeLate writes an item unchanged except for the window 2 in place of 1, unless the next window has written it.
func (s testTables) writeLate(t *testing.T, key items.Map) {
	_, err := s.client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: &s.analytics, Key: key, UpdateExpression: aws.String("SET #window = :two"),
		ConditionExpression:       aws.String("#window = :one"),
		ExpressionAttributeNames:  map[string]string{"#window": pullcounts.Window},
		ExpressionAttributeValues: items.Map{":one": items.Number(int64(1)), ":two": items.Number(int64(2))},
	})
	if err != nil && !items.ConditionFailed(err) {
		t.Error(err)
	}
}
