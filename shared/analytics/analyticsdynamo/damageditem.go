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
func intAttribute(raw types.AttributeValue) (int64, bool) {
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
func isEqual[T items.Map | itemVersion](a, b T) bool { return reflect.DeepEqual(a, b) }

// damagedItem is the difference of an item that is not as this program writes it.
func damagedItemDifference(of, day string) analytics.Difference {
	return analytics.Difference{Source: of, Day: day, Counter: "damaged item", Stored: 1}
}

// at names the item that an error is about, so that it can be found.
func (s *Store) itemError(key items.Map, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("item %s, %s of table %s: %w", quotedKey(key, "pk"), quotedKey(key, "sk"), s.table, err)
}

// textOf quotes a part of an item's key.
func quotedKey(item items.Map, name string) string {
	text, is := item[name].(*types.AttributeValueMemberS)
	if !is {
		return name + " is no text"
	}
	return fmt.Sprintf("%s %q", name, text.Value)
}
