// Package change is what the S3 engine tells the stack about objects: one Change for each, in a
// request of its own. It is apart from both, so that the engine's program stays free of the stack.
package change

import "time"

// What can happen to an object, as S3 calls it.
const (
	Put      = "ObjectCreated:Put"
	Post     = "ObjectCreated:Post"
	Copy     = "ObjectCreated:Copy"
	Complete = "ObjectCreated:CompleteMultipartUpload"
	Delete   = "ObjectRemoved:Delete"
)

// Change is one object that was put or removed.
type Change struct {
	Event  string `json:"event"`
	Bucket string `json:"bucket"`
	Key    string `json:"key"` // as it is, not encoded
	// Size and ETag are those of a new object; the ETag is without quotes.
	Size int64     `json:"size"`
	ETag string    `json:"etag"`
	Time time.Time `json:"time"`
	// Sequence grows from each change to the next, also over a restart.
	Sequence uint64 `json:"sequence"`
}
