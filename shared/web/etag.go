package web

import (
	"strconv"
	"strings"
)

// ETag is the entity tag of a version: the version in quotes.
func ETag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// IfMatch reads an If-Match header (RFC 9110, section 13.1.1) into a condition on the stored version. It returns nil,
// which accepts every version, for an empty header. "*" accepts any version of a resource that exists. Weak tags never
// match, as the comparison is strong.
func IfMatch(header string) func(version int64) bool {
	if strings.TrimSpace(header) == "" {
		return nil
	}
	return func(version int64) bool {
		for tag := range strings.SplitSeq(header, ",") {
			if tag = strings.TrimSpace(tag); tag == "*" || tag == ETag(version) {
				return true
			}
		}
		return false
	}
}
