package resource

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
)

// Condition is the input of an operation that changes or deletes a resource, for embedding.
type Condition struct {
	IfMatch string `header:"If-Match" pattern:"^(\\*|(W/)?\"[^\"]*\"( *, *(W/)?\"[^\"]*\")*)$" patternDescription:"entity tags in quotes, as ETag returns them, or *" doc:"Changes the resource only if it still has this ETag; otherwise the response is 412." example:"\"3\""`
}

// Wanted returns a function that reports whether the request accepts a version, or nil if it accepts every version.
// See IfMatch.
func (c Condition) Wanted() func(version int64) bool { return IfMatch(c.IfMatch) }

// WantedTag is Wanted for a resource whose ETag depends on its content; see ContentVersion.
func (c Condition) WantedTag() func(tag string) bool { return matchTag(c.IfMatch) }

// Version is the output of an operation that returns one resource, for embedding.
type Version struct {
	ETag string `header:"ETag" doc:"Identifies this version of the resource." example:"\"3\""`
}

// VersionOf returns the headers of a version.
func VersionOf(version int64) Version { return Version{ETag: ETag(version)} }

// ContentVersion returns the headers of a resource that has no version number. Its ETag is a hash of what the response
// shows.
func ContentVersion(data any) Version {
	encoded, err := json.Marshal(data)
	if err != nil {
		panic("web: encode a response: " + err.Error())
	}
	sum := sha256.Sum256(encoded)
	return Version{ETag: `"` + hex.EncodeToString(sum[:8]) + `"`}
}

// WeakContentVersion is ContentVersion for a response that can be large. Its tag is weak, so that the response may be
// compressed, and If-Match never accepts it.
func WeakContentVersion(data any) Version { return Version{ETag: "W/" + ContentVersion(data).ETag} }

// ETag returns the entity tag of a version: the version in quotes.
func ETag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// IfMatch parses an If-Match header (RFC 9110, section 13.1.1) into a condition on the stored version. It returns nil,
// which accepts every version, for an empty header. "*" accepts any version of an existing resource. Weak tags never
// match, because the comparison is strong.
func IfMatch(header string) func(version int64) bool {
	match := matchTag(header)
	if match == nil {
		return nil
	}
	return func(version int64) bool { return match(ETag(version)) }
}

func matchTag(header string) func(tag string) bool {
	if strings.TrimSpace(header) == "" {
		return nil
	}
	return func(want string) bool {
		for tag := range strings.SplitSeq(header, ",") {
			if tag = strings.TrimSpace(tag); tag == "*" || tag == want {
				return true
			}
		}
		return false
	}
}
