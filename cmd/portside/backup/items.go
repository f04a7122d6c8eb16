package backup

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"portside/shared/dynamo/items"
)

// An item is written as DynamoDB exports it: {"Item":{"pk":{"S":"…"},…}}, so that
// `aws dynamodb import-table` reads the files, too.

// encodeItem returns the line of an item. Equal items have equal lines, because keys are sorted.
func encodeItem(item items.Map) ([]byte, error) {
	sorted, err := sortedJSON(item)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]json.RawMessage{"Item": sorted})
}

// sortedJSON returns a map of attributes in DynamoDB's JSON with sorted keys.
func sortedJSON(attributes items.Map) ([]byte, error) {
	text, err := attributevalue.MarshalMapJSON(attributes)
	if err != nil {
		return nil, fmt.Errorf("encode an item: %w", err)
	}
	var value any // has only maps, lists, strings and Booleans, so nothing is lost
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, fmt.Errorf("encode an item: %w", err)
	}
	return json.Marshal(value)
}

func decodeItem(line []byte) (items.Map, error) {
	var entry struct{ Item json.RawMessage }
	if err := json.Unmarshal(line, &entry); err != nil {
		return nil, fmt.Errorf("decode an item: %w", err)
	}
	if len(entry.Item) == 0 {
		return nil, errors.New("decode an item: the line has no Item")
	}
	item, err := attributevalue.UnmarshalMapJSON(entry.Item)
	if err != nil {
		return nil, fmt.Errorf("decode an item: %w", err)
	}
	return item, nil
}

// A position in a table is the key of the last item, as JSON.

func encodePosition(key items.Map) (string, error) {
	if len(key) == 0 {
		return "", nil
	}
	text, err := sortedJSON(key)
	return string(text), err
}

// decodePosition is the inverse of encodePosition for positions that are not empty.
func decodePosition(position string) (items.Map, error) {
	return attributevalue.UnmarshalMapJSON([]byte(position))
}
