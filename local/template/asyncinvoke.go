package template

import (
	"slices"
	"strings"
	"time"

	"portside/local/iam"
)

// AsyncInvoke is the EventInvokeConfig of a function: how Lambda handles its asynchronous
// invocations.
type AsyncInvoke struct {
	Retries int
	MaxAge  time.Duration
	// FailureBucket is the name of the bucket that receives the events that failed. It is empty if
	// failed events are not kept.
	FailureBucket string
}

// asyncInvoke reads the EventInvokeConfig of a function with the given role. The defaults are Lambda's.
func (b *builder) asyncInvoke(p *node, role string) (AsyncInvoke, error) {
	retries, err := p.get("MaximumRetryAttempts").integer("MaximumRetryAttempts", 2, 0, 2)
	if err != nil {
		return AsyncInvoke{}, err
	}
	seconds, err := p.get("MaximumEventAgeInSeconds").integer("MaximumEventAgeInSeconds", 21600, 60, 21600)
	if err != nil {
		return AsyncInvoke{}, err
	}
	a := AsyncInvoke{Retries: retries, MaxAge: time.Duration(seconds) * time.Second}
	destinations := p.get("DestinationConfig")
	if success := destinations.get("OnSuccess"); success.kind != absent {
		return a, problem(success.line, "the local stack does not support OnSuccess destinations")
	}
	a.FailureBucket, err = b.failureBucket(destinations.get("OnFailure"), role)
	return a, err
}

// failureBucket returns the name of the bucket for failed events. Like Lambda, it refuses a bucket to which the role
// may write only a part of the objects.
func (b *builder) failureBucket(p *node, role string) (string, error) {
	if p.kind == absent {
		return "", nil
	}
	if p.get("Type").text != "S3Bucket" {
		return "", problem(p.line, "the local stack supports only OnFailure destinations of the Type S3Bucket")
	}
	arn, err := p.get("Destination").required("the Destination of OnFailure")
	name := strings.TrimPrefix(arn, "arn:aws:s3:::")
	if err == nil && !slices.ContainsFunc(b.stack.Buckets, func(bucket Bucket) bool { return bucket.Name == name }) {
		return "", problem(p.get("Destination").line, "the Destination of OnFailure must be !GetAtt of the Arn of a bucket in this template")
	}
	if err != nil {
		return "", err
	}
	owner := b.stack.Roles[slices.IndexFunc(b.stack.Roles, func(r iam.Role) bool { return r.ID == role })]
	for _, needed := range []iam.Request{{Action: "s3:PutObject", Resource: arn + "/*"}, {Action: "s3:ListBucket", Resource: arn}} {
		if owner.Decide(needed) != iam.Allow {
			return "", problem(p.line, "Lambda would refuse this destination: %s needs %s on %s", role, needed.Action, needed.Resource)
		}
	}
	return name, nil
}
