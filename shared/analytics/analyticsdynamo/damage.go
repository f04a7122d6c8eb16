package analyticsdynamo

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/analytics"
	"portside/shared/dynamo/items"
)

// wholeNumber reads an attribute; false for one of another type, and for a fraction.
func wholeNumber(raw types.AttributeValue) (int64, bool) {
	number, is := raw.(*types.AttributeValueMemberN)
	if !is {
		return 0, false
	}
	n, err := strconv.ParseInt(number.Value, 10, 64)
	if err != nil {
		return 0, false
	}
	return n, true
}

// same tells whether attributes are what they were, of whatever type they are.
func same[T items.Map | seen](a, b T) bool { return reflect.DeepEqual(a, b) }

// damagedItem is the difference of an item that is not as this program writes it.
func damagedItem(of, day string) analytics.Difference {
	return analytics.Difference{Of: of, Day: day, Counter: "damaged item", Kept: 1}
}

// at names the item that an error is about, so that it can be found.
func (s *Store) at(key items.Map, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("item %s, %s of table %s: %w", textOf(key, "pk"), textOf(key, "sk"), s.table, err)
}

// textOf quotes a part of an item's key.
func textOf(item items.Map, name string) string {
	text, is := item[name].(*types.AttributeValueMemberS)
	if !is {
		return name + " is no text"
	}
	return fmt.Sprintf("%s %q", name, text.Value)
}

// seen is the version of an item as it was read, of whatever type; nil inside: it has none. Whoever writes the item on the condition
// that it is the same also writes a number, even where it was none.
type seen struct{ raw types.AttributeValue }

func versionOf(item items.Map) seen { return seen{item[version]} }

// number is the version; false for one that nobody wrote who counts.
func (s seen) number() (int64, bool) {
	if s.raw == nil {
		return 0, true
	}
	n, whole := wholeNumber(s.raw)
	return max(n, 0), whole && n > 0
}

// next is the version of what is written in its place.
func (s seen) next() int64 {
	n, _ := s.number()
	return n + 1
}

// unchanged is the condition that the item has the version that was read.
func (s seen) unchanged() (expression string, values items.Map) {
	if s.raw == nil {
		return "attribute_not_exists(#version)", items.Map{}
	}
	return "#version = :seen", items.Map{":seen": s.raw}
}
