package web

import (
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
)

// Paging is what a request for a list says, to be embedded in its input.
type Paging struct {
	Limit  int   `query:"limit" default:"20" minimum:"1" maximum:"100" doc:"How many a page has at most."`
	Offset int64 `query:"offset" default:"0" minimum:"0" doc:"How many to pass over."`
}

// Pagination returns where the page lies in a list of so many.
func (p Paging) Pagination(total int64) Pagination { return Paginate(total, p.Limit, p.Offset) }

// Idempotency is what a request to create says, to be embedded in its input.
type Idempotency struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" pattern:"^[ -~]*$" patternDescription:"printable ASCII" doc:"Any text of your choice, new for each thing that you create." example:"c0ffee-2026-03-02-ada"`
}

// Condition is what a request to change or delete says, to be embedded in its input.
type Condition struct {
	IfMatch string `header:"If-Match" pattern:"^(\\*|(W/)?\"[^\"]*\"( *, *(W/)?\"[^\"]*\")*)$" patternDescription:"entity tags in quotes, as ETag gives them, or *" doc:"Only if it still has this ETag; otherwise 412." example:"\"3\""`
}

// Wanted reports whether the request is meant for a version; nil: for any. See IfMatch.
func (c Condition) Wanted() func(version int64) bool { return IfMatch(c.IfMatch) }

// Version is what an answer with one resource says, to be embedded in its output.
type Version struct {
	ETag string `header:"ETag" doc:"Names this version." example:"\"3\""`
}

// VersionOf returns the headers of a version.
func VersionOf(version int64) Version { return Version{ETag: ETag(version)} }

// Creation is what the answer to a creation says besides, to be embedded in its output.
type Creation struct {
	Location string `header:"Location" doc:"Where it is."`
	Replayed string `header:"Idempotency-Replayed" enum:"true" doc:"Only where an earlier request with this Idempotency-Key created it."`
}

// CreatedAt returns the headers of what is to be found at a path; replayed: an earlier request created it.
func CreatedAt(path string, replayed bool) Creation {
	if replayed {
		return Creation{Location: path, Replayed: "true"}
	}
	return Creation{Location: path}
}

// Object is a JSON object that passes through as it was written, so that no number loses a digit.
type Object json.RawMessage

// Schema implements huma.SchemaProvider.
func (Object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) { return o, nil }

// UnmarshalJSON implements json.Unmarshaler.
func (o *Object) UnmarshalJSON(b []byte) error {
	*o = append((*o)[:0], b...)
	return nil
}

// CanonicalID returns a UUID in the one spelling that is stored; it may be sent in any that RFC 9562 and its users know.
func CanonicalID(id string) string {
	if parsed, err := uuid.Parse(id); err == nil {
		return parsed.String()
	}
	return id
}

// BodyErrors returns the statuses of an operation with a body: those that every body may cause, and more.
func BodyErrors(more ...int) []int {
	return append(more, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
}
