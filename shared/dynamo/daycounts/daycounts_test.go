package daycounts_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"portside/shared/core/calendar"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
	"portside/testclient/scale"
)

func noon(day int) time.Time { return time.Date(2026, 3, day, 12, 0, 0, 0, time.UTC) }

func on(day int) calendar.Day { return calendar.DayOf(noon(day)) }

func TestHistory(t *testing.T) {
	open, closed := []string{"projects", "project:active"}, []string{"projects", "project:archived"}
	born := daycounts.History{}.Append(noon(1), open, "created")
	changed := born.Append(noon(3), closed, "archived").Append(noon(3), open).Append(noon(3), closed, "archived")
	gone := changed.Append(noon(2), nil) // by a clock that is behind
	for _, test := range []struct {
		history daycounts.History
		text    string
		want    daycounts.Changes
	}{
		{nil, "", daycounts.Changes{}},
		{born, "2026-03-01 projects project:active +created", daycounts.Changes{on(1): {"projects": 1, "project:active": 1, "created": 1}}},
		{
			changed, "2026-03-01 projects project:active +created\n2026-03-03 projects project:archived +archived*2",
			daycounts.Changes{
				on(1): {"projects": 1, "project:active": 1, "created": 1},
				on(3): {"project:active": -1, "project:archived": 1, "archived": 2},
			},
		},
		{
			gone, "2026-03-01 projects project:active +created\n2026-03-03 +archived*2",
			daycounts.Changes{
				on(1): {"projects": 1, "project:active": 1, "created": 1},
				on(3): {"projects": -1, "project:active": -1, "archived": 2},
			},
		},
	} {
		t.Run(test.text, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.history.Changes()); diff != "" {
				t.Error(diff)
			}
			read, err := daycounts.ParseHistory(test.text)
			if err != nil || read.String() != test.text || test.history.String() != test.text || !cmp.Equal(read.Changes(), test.want) {
				t.Errorf("history %[1]q: String = %[2]q, ParseHistory = %[3]q, %[4]v", test.text, test.history, read, err)
			}
		})
	}
	if diff := cmp.Diff(daycounts.Changes{on(3): {"projects": -1, "project:archived": -1}}, gone.ChangesSince(changed)); diff != "" {
		t.Error(diff)
	}
	for _, wrong := range []string{"\n", "yesterday users", "2026-03-01 +created*x", "2026-02-30 users"} {
		if history, err := daycounts.ParseHistory(wrong); err == nil {
			t.Errorf("ParseHistory(%q) = %v, want an error", wrong, history)
		}
	}
}

// TestChangesSinceAddUp checks that the changes of all steps add up to the changes of the
// final history.
func TestChangesSinceAddUp(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		var history daycounts.History
		sum := daycounts.Changes{}
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			as := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID[string]).Draw(t, "as")
			events := rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y"}), 0, 3).Draw(t, "events")
			next := history.Append(noon(rapid.IntRange(1, 9).Draw(t, "day")), as, events...)
			for day, change := range next.ChangesSince(history) {
				sum.Add(day, change)
			}
			history = next
		}
		read, err := daycounts.ParseHistory(history.String())
		if err != nil {
			t.Fatal(err)
		}
		want := read.Changes()
		empty := func(_ calendar.Day, c daycounts.Change) bool { return len(c) == 0 }
		maps.DeleteFunc(want, empty)
		maps.DeleteFunc(sum, empty)
		if diff := cmp.Diff(want, sum); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestWritesAddToCounters(t *testing.T) {
	client := awstest.DynamoDB(t)
	table := awstest.Table(t, client, "AnalyticsTable")
	write := func(changes daycounts.Changes) {
		t.Helper()
		if err := transactions.Write(t.Context(), client, daycounts.In(table).Writes(changes)); err != nil {
			t.Fatal(err)
		}
	}
	write(daycounts.Changes{on(1): {"users": 2, "role:admin": 2}, on(2): {"users": 1, "role:viewer": 1}})
	write(daycounts.Changes{on(2): {"users": -1, "role:admin": -1}})
	read := func(key items.Map) (items.Map, daycounts.Change) {
		t.Helper()
		out, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &table, Key: key, ConsistentRead: aws.Bool(true)})
		if err != nil {
			t.Fatal(err)
		}
		counters, err := daycounts.Counters(out.Item)
		if err != nil {
			t.Fatal(err)
		}
		return out.Item, counters
	}
	for want, counters := range map[calendar.Day]daycounts.Change{
		on(1): {"users": 2, "role:admin": 2},
		on(2): {"users": 0, "role:viewer": 1, "role:admin": -1},
	} {
		item, got := read(daycounts.Key(want))
		day, err := daycounts.DayOf(item)
		if err != nil || day != want || daycounts.IsTotal(item) || !cmp.Equal(counters, got) {
			t.Errorf("%v: got %v %v, %v", want, day, got, err)
		}
	}
	item, got := read(daycounts.TotalKey())
	if !daycounts.IsTotal(item) || !cmp.Equal(got, daycounts.Change{"users": 2, "role:viewer": 1, "role:admin": 1}) {
		t.Errorf("the total is %v", got)
	}
	if writes := daycounts.In(table).Writes(daycounts.Changes{on(1): {}}); len(writes) != 0 {
		t.Errorf("an empty change takes %d writes", len(writes))
	}
}

func TestDamagedItemsAreRejected(t *testing.T) {
	for _, sk := range []types.AttributeValue{items.Bool(true), items.Text("total"), items.Text("2026-02-30")} {
		if day, err := daycounts.DayOf(items.Map{"sk": sk}); err == nil {
			t.Errorf("DayOf(%v) = %v, want an error", sk, day)
		}
	}
	half := items.Map{"users": &types.AttributeValueMemberN{Value: "0.5"}}
	if change, err := daycounts.Counters(half); err == nil {
		t.Errorf("Counters of 0.5 users = %v, want an error", change)
	}
}

func ExampleHistory() {
	history := daycounts.History{}.Append(noon(1), []string{"users", "role:viewer"})
	fmt.Println(history.Append(noon(2), []string{"users", "role:admin"}).ChangesSince(history))
	// Output: map[2026-03-02:map[role:admin:1 role:viewer:-1]]
}
