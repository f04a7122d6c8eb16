package analyticsdynamo

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
)

// seen is the version of an item as it was read, of whatever type; nil inside: it has none. Whoever writes the item on the condition
// that it is the same also writes a number, even where it was none.
type itemVersion struct{ raw types.AttributeValue }

func versionOf(item items.Map) itemVersion { return itemVersion{item[version]} }

// number is the version; false for one that nobody wrote who counts.
func (s itemVersion) number() (int64, bool) {
	if s.raw == nil {
		return 0, true
	}
	n, whole := intAttribute(s.raw)
	return max(n, 0), whole && n > 0
}

// next is the version of what is written in its place.
func (s itemVersion) next() int64 {
	n, _ := s.number()
	return n + 1
}

// unchanged is the condition that the item has the version that was read.
func (s itemVersion) unchanged() (expression string, values items.Map) {
	if s.raw == nil {
		return "attribute_not_exists(#version)", items.Map{}
	}
	return "#version = :seen", items.Map{":seen": s.raw}
}
