package async

import (
	"encoding/json"
	"fmt"
	"time"

	"portside/local/lambda"
)

// Policy is the EventInvokeConfig of a function.
type Policy struct {
	Retries int
	MaxAge  time.Duration
	// Destination receives the records of failed events. Empty means none.
	Destination string
	// Concurrency is the function's reserved concurrency, above which Lambda delivers no events; 0 means none.
	Concurrency int
}

// DefaultPolicy is Lambda's policy for functions without an EventInvokeConfig.
var DefaultPolicy = Policy{Retries: 2, MaxAge: 6 * time.Hour}

// Condition is why the delivery of an event has ended.
type Condition string

// The conditions.
const (
	RetriesExhausted Condition = "RetriesExhausted"
	EventAgeExceeded Condition = "EventAgeExceeded"
)

// Failure describes an event that no attempt could deliver.
type Failure struct {
	Event
	ID          string // of the invocation
	Condition   Condition
	Attempts    int
	Result      lambda.Result // of the last attempt
	Destination string
}

// Key returns the name of the S3 object that Lambda writes for the failure.
func (f Failure) Key(at time.Time) string {
	at = at.UTC()
	return fmt.Sprintf("aws/lambda/async/%s/%s/%s-%s", f.Function, at.Format("2006/01/02"),
		at.Format("2006-01-02T15.04.05"), f.ID)
}

// record is Lambda's JSON of a failure.
type record struct {
	Version         string          `json:"version"`
	Timestamp       string          `json:"timestamp"`
	RequestContext  requestContext  `json:"requestContext"`
	RequestPayload  json.RawMessage `json:"requestPayload"`
	ResponseContext responseContext `json:"responseContext"`
	ResponsePayload json.RawMessage `json:"responsePayload,omitempty"`
}

type requestContext struct {
	RequestID   string    `json:"requestId"`
	FunctionARN string    `json:"functionArn"`
	Condition   Condition `json:"condition"`
	InvokeCount int       `json:"approximateInvokeCount"`
}

type responseContext struct {
	StatusCode      int    `json:"statusCode"`
	ExecutedVersion string `json:"executedVersion"`
	FunctionError   string `json:"functionError,omitempty"`
}

// Record returns the JSON that Lambda writes to a destination.
func (f Failure) Record(at time.Time, region, accountID string) ([]byte, error) {
	r := record{
		Version: "1.0", Timestamp: at.UTC().Format("2006-01-02T15:04:05.000Z"),
		RequestContext: requestContext{
			RequestID: f.ID, FunctionARN: fmt.Sprintf("arn:aws:lambda:%s:%s:function:%s:$LATEST", region, accountID, f.Function),
			Condition: f.Condition, InvokeCount: f.Attempts,
		},
		RequestPayload:  f.Payload,
		ResponseContext: responseContext{StatusCode: 200, ExecutedVersion: "$LATEST", FunctionError: f.Result.FunctionError},
	}
	if json.Valid(f.Result.Payload) {
		r.ResponsePayload = f.Result.Payload
	}
	return json.Marshal(r)
}
