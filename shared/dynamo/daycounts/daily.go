// Package daily counts things by the day, for the dashboard: how many there are of a kind, and what happened to them.
//
// A store writes the counters in the transaction that makes the change they count, so that they are never wrong, and never
// waited for. There is an item for each day with that day's changes, and one with their sum since the beginning; what was on
// the evening of a past day is the sum less the changes since. Days are UTC.
//
//	counts    <day>    every counter that changed on the day: by how much
//	counts    total    every counter: the sum of all days; and version, how often anything was written
//
// So that every item can be computed again, each thing carries its [Life], and leaves it behind when it is deleted.
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

// Change is by how much counters change.
type Change map[string]int64

// Add adds to counters, and forgets those that come to zero.
func (c Change) Add(by int64, counters ...string) {
	for _, name := range counters {
		if c[name] += by; c[name] == 0 {
			delete(c, name)
		}
	}
}

// Changes are those of several days; most transactions have one.
type Changes map[calendar.Day]Change

// Add adds what happened on a day.
func (c Changes) Add(day calendar.Day, change Change) {
	if c[day] == nil {
		c[day] = Change{}
	}
	for name, n := range change {
		c[day].Add(n, name)
	}
}

// Sum is what happened on all days together.
func (c Changes) Sum() Change {
	sum := Change{}
	for _, change := range c {
		for name, n := range change {
			sum.Add(n, name)
		}
	}
	return sum
}

// Table is the table of analytics, for what writes to it.
type Table struct{ name string }

// In returns the named table.
func In(table string) Table { return Table{table} }

// The keys of the items, and the attribute of the sum that is no counter: every transaction raises it, so that whoever counts again
// can tell that nobody has counted meanwhile.
const (
	Partition = "counts"
	total     = "total"
	Version   = "version"
)

// Key returns the key of a day's item.
func Key(day calendar.Day) items.Map { return items.Key(Partition, day.String()) }

// TotalKey returns the key of the sum.
func TotalKey() items.Map { return items.Key(Partition, total) }

// Writes returns what a transaction has to write for the changes: an item for each day, and the sum. They have no condition
// and cannot fail by themselves.
func (t Table) Writes(changes Changes) []types.TransactWriteItem {
	var all []types.TransactWriteItem
	for _, day := range slices.Sorted(maps.Keys(changes)) {
		all = t.add(all, Key(day), changes[day])
	}
	if len(all) == 0 {
		return nil
	}
	sum := changes.Sum()
	sum[Version] = 1
	return t.add(all, TotalKey(), sum)
}

// add appends the addition of a change to an item, if there is something to add.
func (t Table) add(all []types.TransactWriteItem, key items.Map, change Change) []types.TransactWriteItem {
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

// Counters returns the counters of an item: those of a day, or the sum. It does not use reflection, because the items
// of a year have thousands of counters.
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
