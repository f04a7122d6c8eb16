// Package change defines the request body with which the S3 engine reports a change of an object to
// the stack. It is a separate package, so that s3server does not depend on the stack.
package change

import "time"

// S3's names of the events.
const (
	Put      = "ObjectCreated:Put"
	Post     = "ObjectCreated:Post"
	Copy     = "ObjectCreated:Copy"
	Complete = "ObjectCreated:CompleteMultipartUpload"
	Delete   = "ObjectRemoved:Delete"
)

// Change is the creation or removal of one object.
type Change struct {
	Event  string `json:"event"`
	Bucket string `json:"bucket"`
	Key    string `json:"key"` // not encoded
	// Size and ETag are set for new objects. The ETag has no quotes.
	Size int64     `json:"size"`
	ETag string    `json:"etag"`
	Time time.Time `json:"time"`
	// Sequence increases with each change, also across restarts.
	Sequence uint64 `json:"sequence"`
}
