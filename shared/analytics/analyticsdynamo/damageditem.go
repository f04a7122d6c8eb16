package analyticsdynamo

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/analytics"
	"portside/shared/dynamo/items"
)

// intAttribute parses a number attribute. It returns false for other types and for fractions.
func intAttribute(raw types.AttributeValue) (int64, bool) {
	number, ok := raw.(*types.AttributeValueMemberN)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(number.Value, 10, 64)
	if err != nil {
		return 0, false
	}
	return n, true
}

// isEqual compares attributes of any type.
func isEqual[T items.Map | itemVersion](a, b T) bool { return reflect.DeepEqual(a, b) }

// damagedItemDifference reports an item that this program cannot have written.
func damagedItemDifference(source, day string) analytics.Difference {
	return analytics.Difference{Source: source, Day: day, Counter: "damaged item", Stored: 1}
}

// itemError adds the key of an item to an error, so that an operator can find the item.
func (s *Store) itemError(key items.Map, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("item %s, %s of table %s: %w", quotedKey(key, "pk"), quotedKey(key, "sk"), s.table, err)
}

// quotedKey returns an attribute of an item's key in quotes.
func quotedKey(item items.Map, name string) string {
	text, ok := item[name].(*types.AttributeValueMemberS)
	if !ok {
		return name + " is not a string"
	}
	return fmt.Sprintf("%s %q", name, text.Value)
}
