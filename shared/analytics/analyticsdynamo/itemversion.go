package analyticsdynamo

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
)

// itemVersion is the version attribute of an item, in the type that was read. Raw is nil if the
// item has no version. A writer that replaces the item always writes a number, even if the old
// version was something else.
type itemVersion struct{ raw types.AttributeValue }

func versionOf(item items.Map) itemVersion { return itemVersion{item[version]} }

// number returns the version. It returns false for a value that no Recorder writes.
func (v itemVersion) number() (int64, bool) {
	if v.raw == nil {
		return 0, true
	}
	n, ok := intAttribute(v.raw)
	return max(n, 0), ok && n > 0
}

// next returns the version to write.
func (v itemVersion) next() int64 {
	n, _ := v.number()
	return n + 1
}

// unchanged returns the condition that the item still has the version that was read.
func (v itemVersion) unchanged() (expression string, values items.Map) {
	if v.raw == nil {
		return "attribute_not_exists(#version)", items.Map{}
	}
	return "#version = :seen", items.Map{":seen": v.raw}
}
