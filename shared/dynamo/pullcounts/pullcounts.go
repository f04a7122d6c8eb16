// Package pullcounts defines how the analytics table stores the counts of pulls, which one function
// writes and another one reads:
//
//	pulls#<name>           <year>   days: the pulls of an artifact or user by day, packed
//	top#<ranking>#<span>   top      places: the first MaxPlaces of a ranking, packed
//
// The name is chart#<repository>, image#<repository> or person#<user>. The ranking is artifact or
// person. Spans are those of calendar.SpansOf. Both items have the number of the window that was added last.
package pullcounts

import (
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
)

// The kinds of rankings.
const (
	Artifact = "artifact"
	Person   = "person"
)

// Attributes of the items.
const (
	Window = "window"
	days   = "days"
	places = "places"
)

// Prefix is the beginning of the partition key of all counts.
const Prefix = "pulls#"

// Name returns the name of an artifact or, with the kind Person, of a user.
func Name(kind, id string) string { return kind + "#" + id }

// RankingOf returns the ranking that has a name.
func RankingOf(name string) string {
	if strings.HasPrefix(name, Person+"#") {
		return Person
	}
	return Artifact
}

// Year returns the sort key of the item that has a day.
func Year(day calendar.Day) string { return day.Begin().Format("2006") }

// Key returns the key of the counts of a year.
func Key(name, year string) items.Map { return items.Key(Prefix+name, year) }

// TopKey returns the key of the first places of a span.
func TopKey(ranking, span string) items.Map { return items.Key("top#"+ranking+"#"+span, "top") }

// Days are the pulls of an artifact or user by day.
type Days map[calendar.Day]int64

// Sum returns the pulls from the first to the last day.
func (d Days) Sum(first, last calendar.Day) int64 {
	sum := int64(0)
	for day, n := range d {
		if first <= day && day <= last {
			sum += n
		}
	}
	return sum
}

// Add adds other pulls.
func (d Days) Add(more Days) {
	for day, n := range more {
		d[day] += n
	}
}

// Pack returns the attribute of the days: for each day with pulls, the number of days since the one before, and the
// pulls. A year with up to 127 pulls on each day takes 734 bytes, so that its item costs one write unit.
func (d Days) Pack() items.Map {
	packed := []byte{} // not nil, which DynamoDB refuses
	last := calendar.Day(0)
	for _, day := range slices.Sorted(maps.Keys(d)) {
		if d[day] == 0 {
			continue
		}
		packed = binary.AppendUvarint(packed, uint64(day-last)) //nolint:gosec // the days are sorted
		packed = binary.AppendUvarint(packed, uint64(d[day]))   //nolint:gosec // a count
		last = day
	}
	return items.Map{days: items.Bytes(packed)}
}

// errDamaged means that an item is not in the form of this package.
var errDamaged = errors.New("pullcounts: the item is damaged")

// UnpackDays returns the days of an item; an item that does not exist has none.
func UnpackDays(item items.Map) (Days, error) {
	found, last := Days{}, calendar.Day(0)
	packed, err := bytesOf(item, days)
	for len(packed) > 0 && err == nil {
		var gap, n uint64
		gap, packed, err = uvarint(packed)
		if err == nil {
			n, packed, err = uvarint(packed)
		}
		last += calendar.Day(gap) //nolint:gosec // Pack wrote it
		found[last] = int64(n)
	}
	return found, err
}

func bytesOf(item items.Map, name string) ([]byte, error) {
	if len(item) == 0 {
		return nil, nil
	}
	value, ok := item[name].(*types.AttributeValueMemberB)
	if !ok {
		return nil, errDamaged
	}
	return value.Value, nil
}

func uvarint(packed []byte) (value uint64, rest []byte, err error) {
	value, n := binary.Uvarint(packed)
	if n <= 0 || value > 1<<53 {
		return 0, nil, errDamaged
	}
	return value, packed[n:], nil
}

// MaxPlaces is how many places of a ranking are stored.
const MaxPlaces = 100

// Place is the place of an artifact or user in a ranking.
type Place struct {
	Name  string `json:"n"`
	Pulls int64  `json:"p"`
}

// Compare orders places: more pulls first, equal numbers in the order of the names.
func (p Place) Compare(other Place) int {
	return cmp.Or(cmp.Compare(other.Pulls, p.Pulls), strings.Compare(p.Name, other.Name))
}
