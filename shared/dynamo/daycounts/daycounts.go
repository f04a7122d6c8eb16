// Package daycounts counts resources by the day for the dashboard: how many of each kind there are,
// and what happened to them.
//
// A store writes the counters in the transaction that makes the counted change, so that they are
// never wrong or late. Each day has one item with the changes of that day, and one more item has
// their sum. The state at the end of a past day is the sum minus the changes since. Days are in
// UTC.
//
//	counts    <day>    for every counter that changed on the day: by how much
//	counts    total    the sum of all days for every counter; and version, the number of writes
//
// Each resource stores its [History] and leaves it behind when it is deleted, so that every item
// can be recomputed.
package daycounts

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
)

// Change is by how much each counter changes.
type Change map[string]int64

// Add adds to counters, and removes counters that become zero.
func (c Change) Add(by int64, counters ...string) {
	for _, name := range counters {
		if c[name] += by; c[name] == 0 {
			delete(c, name)
		}
	}
}

// Changes are changes by day. Most transactions have one day.
type Changes map[calendar.Day]Change

// Add adds a change to a day.
func (c Changes) Add(day calendar.Day, change Change) {
	if c[day] == nil {
		c[day] = Change{}
	}
	for name, n := range change {
		c[day].Add(n, name)
	}
}

// Sum returns the sum of all days.
func (c Changes) Sum() Change {
	sum := Change{}
	for _, change := range c {
		for name, n := range change {
			sum.Add(n, name)
		}
	}
	return sum
}

// Table is the analytics table, for the stores that write counters to it.
type Table struct{ name string }

// In returns the named table.
func In(table string) Table { return Table{table} }

// The parts of the keys, and the attribute of the sum that is not a counter. Every transaction
// raises Version, so that a recount notices changes that happen meanwhile.
const (
	Partition = "counts"
	total     = "total"
	Version   = "version"
)

// Key returns the key of a day's item.
func Key(day calendar.Day) items.Map { return items.Key(Partition, day.String()) }

// TotalKey returns the key of the sum.
func TotalKey() items.Map { return items.Key(Partition, total) }

// Writes returns the writes of the changes for a transaction: one item for each day, and the sum.
// They have no conditions and cannot fail on their own.
func (t Table) Writes(changes Changes) []types.TransactWriteItem {
	var all []types.TransactWriteItem
	for _, day := range slices.Sorted(maps.Keys(changes)) {
		all = t.addChange(all, Key(day), changes[day])
	}
	if len(all) == 0 {
		return nil
	}
	sum := changes.Sum()
	sum[Version] = 1
	return t.addChange(all, TotalKey(), sum)
}

// addChange appends the write that adds a change to an item, unless the change is empty.
func (t Table) addChange(all []types.TransactWriteItem, key items.Map, change Change) []types.TransactWriteItem {
	if len(change) == 0 {
		return all
	}
	expression := strings.Builder{}
	names, values := map[string]string{}, items.Map{}
	for i, name := range slices.Sorted(maps.Keys(change)) {
		place := strconv.Itoa(i)
		expression.WriteString(", #c" + place + " :c" + place)
		names["#c"+place], values[":c"+place] = name, items.Number(change[name])
	}
	update := "ADD " + expression.String()[len(", "):]
	return append(all, types.TransactWriteItem{Update: &types.Update{
		TableName: &t.name, Key: key, UpdateExpression: &update,
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	}})
}

// IsTotal reports whether an item is the sum of all days.
func IsTotal(item items.Map) bool {
	name, ok := item["sk"].(*types.AttributeValueMemberS)
	return ok && name.Value == total
}

// DayOf returns the day whose counters an item has.
func DayOf(item items.Map) (calendar.Day, error) {
	name, ok := item["sk"].(*types.AttributeValueMemberS)
	if !ok {
		return 0, errors.New("read the counters of a day: the item has no sort key")
	}
	day, err := calendar.ParseDay(name.Value)
	if err != nil {
		return 0, fmt.Errorf("read the counters of a day: %w", err)
	}
	return day, nil
}

// Counters returns the counters of an item: the counters of a day, or the sum. It does not use reflection, because the
// items of a year have thousands of counters.
func Counters(item items.Map) (Change, error) {
	all := make(Change, len(item))
	for name, value := range item {
		number, ok := value.(*types.AttributeValueMemberN)
		if !ok || name == Version {
			continue
		}
		n, err := strconv.ParseInt(number.Value, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read the counter %s: %q is not a whole number", name, number.Value)
		}
		all[name] = n
	}
	return all, nil
}
