package s3events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"portside/local/s3server/change"
	"portside/local/template"
)

// record is one entry of S3's event message, version 2.1.
type record struct {
	EventVersion      string            `json:"eventVersion"`
	EventSource       string            `json:"eventSource"`
	AWSRegion         string            `json:"awsRegion"`
	EventTime         string            `json:"eventTime"`
	EventName         string            `json:"eventName"`
	UserIdentity      identity          `json:"userIdentity"`
	RequestParameters map[string]string `json:"requestParameters"`
	ResponseElements  map[string]string `json:"responseElements"`
	S3                entity            `json:"s3"`
}

type identity struct {
	PrincipalID string `json:"principalId"`
}

type entity struct {
	SchemaVersion   string `json:"s3SchemaVersion"`
	ConfigurationID string `json:"configurationId"`
	Bucket          bucket `json:"bucket"`
	Object          object `json:"object"`
}

type bucket struct {
	Name          string   `json:"name"`
	OwnerIdentity identity `json:"ownerIdentity"`
	ARN           string   `json:"arn"`
}

// object has no size and no ETag in an ObjectRemoved event.
type object struct {
	Key       string `json:"key"`
	Size      *int64 `json:"size,omitempty"`
	ETag      string `json:"eTag,omitempty"`
	Sequencer string `json:"sequencer"`
}

// principal is the identity in all events.
var principal = identity{"LOCAL"}

func (r *Receiver) record(n template.Notification, c change.Change) record {
	sequencer := fmt.Sprintf("%016X", c.Sequence)
	o := object{Key: encodedKey(c.Key), Sequencer: sequencer}
	if strings.HasPrefix(c.Event, "ObjectCreated:") {
		o.Size, o.ETag = &c.Size, c.ETag
	}
	return record{
		EventVersion: "2.1", EventSource: "aws:s3", AWSRegion: r.config.Region, EventName: c.Event,
		EventTime:         c.Time.UTC().Format("2006-01-02T15:04:05.000Z"),
		UserIdentity:      principal,
		RequestParameters: map[string]string{"sourceIPAddress": "127.0.0.1"},
		ResponseElements:  map[string]string{"x-amz-request-id": sequencer, "x-amz-id-2": "local"},
		S3: entity{
			SchemaVersion: "1.0", ConfigurationID: n.Function, Object: o,
			Bucket: bucket{Name: c.Bucket, OwnerIdentity: principal, ARN: "arn:aws:s3:::" + c.Bucket},
		},
	}
}

// encodedKey encodes a key like a form value, except for its slashes.
func encodedKey(key string) string {
	return strings.ReplaceAll(url.QueryEscape(key), "%2F", "/")
}

func encode(r record) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string][]record{"Records": {r}}); err != nil {
		panic(err) // strings and numbers always marshal
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
