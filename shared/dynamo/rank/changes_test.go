package rank_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/rank"
)

func items(t *testing.T, change func(*rank.Changes)) []types.TransactWriteItem {
	t.Helper()
	changes := rank.New(nil, "table", "users", labels).Changes()
	change(changes)
	items, err := changes.Items()
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// summary is one line per item: its partition and its update with the values filled in.
func summary(items []types.TransactWriteItem) []string {
	lines := make([]string, 0, len(items))
	for _, item := range items {
		update := *item.Update.UpdateExpression + ","
		for name, value := range item.Update.ExpressionAttributeValues {
			update = strings.ReplaceAll(update, name+",", value.(*types.AttributeValueMemberN).Value+",")
		}
		update = strings.TrimSuffix(update, ",")
		key := item.Update.Key
		lines = append(lines, key["pk"].(*types.AttributeValueMemberS).Value+"/"+key["sk"].(*types.AttributeValueMemberS).
			Value+" "+update)
	}
	return lines
}

func TestChangesItems(t *testing.T) {
	cases := []struct {
		name   string
		change func(*rank.Changes)
		want   []string
	}{
		{"nothing", func(*rank.Changes) {}, []string{}},
		{"one entry", func(c *rank.Changes) { c.Add(at(64*31, "viewer")) }, []string{
			"rank#users#1#0/root ADD #03 1", "rank#users#1#0/0 ADD #03 1", "rank#users#2#0/0 ADD #v3 1, #vv 1",
		}},
		{"the last entry", func(c *rank.Changes) { c.Remove(at(rank.Capacity-1, "admin")) }, []string{
			"rank#users#1#0/root ADD #v0 -1", "rank#users#1#31/3 ADD #v0 -1", "rank#users#2#4095/3 ADD #v0 -1, #vv 1",
		}},
		{"across a lowest node", func(c *rank.Changes) { c.Add(at(2047, "admin")); c.Add(at(2048, "admin")) }, []string{
			"rank#users#1#0/root ADD #00 2", "rank#users#1#0/0 ADD #00 2",
			"rank#users#2#0/0 ADD #v0 1, #vv 1", "rank#users#2#0/1 ADD #00 1, #0v 1",
		}},
		{"across a group", func(c *rank.Changes) { c.Add(at(8191, "admin")); c.Add(at(8192, "admin")) }, []string{
			"rank#users#1#0/root ADD #00 2", "rank#users#1#0/0 ADD #00 1, #10 1",
			"rank#users#2#0/3 ADD #v0 1, #vv 1", "rank#users#2#1/0 ADD #00 1, #0v 1",
		}},
		{"added and removed", func(c *rank.Changes) { c.Add(at(7, "user")); c.Remove(at(7, "user")) }, []string{}},
		{"moved to its own label", func(c *rank.Changes) { c.Move(at(7, "user"), at(7, "user")) }, []string{}},
		{"moved twice", func(c *rank.Changes) { c.Move(at(7, "user"), at(7, "admin")); c.Move(at(7, "admin"), at(7, "guest")) }, []string{
			"rank#users#1#0/root ADD #02 -1, #04 1", "rank#users#1#0/0 ADD #02 -1, #04 1", "rank#users#2#0/0 ADD #02 -1, #04 1, #0v 2",
		}},
		// The counts stay the same, but a rebuild that reads the entries meanwhile may see only one change. It detects
		// that by the version.
		{"two exchanged", func(c *rank.Changes) { c.Move(at(7, "user"), at(7, "admin")); c.Move(at(8, "admin"), at(8, "user")) }, []string{
			"rank#users#2#0/0 ADD #0v 4",
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := summary(items(t, c.change)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
			}
		})
	}
}

func TestBulkChangesTouchFewNodes(t *testing.T) {
	for first, most := range map[int64]int{0: 3, 2_040: 4, 8_180: 4, 262_140: 5, 1_048_570: 5} {
		bulk := func(c *rank.Changes) {
			for i := range int64(40) {
				c.Add(at(first+i, labels[i%5]))
			}
		}
		got := items(t, bulk)
		if len(got) > most {
			t.Errorf("40 entries from %d on: %d items, want at most %d", first, len(got), most)
		}
		if again := items(t, bulk); !reflect.DeepEqual(got, again) {
			t.Errorf("40 entries from %d on: two calls return different items", first)
		}
	}
}
