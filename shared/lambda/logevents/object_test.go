package logevents_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/core/loglines"
	"portside/shared/lambda/logevents"
	"portside/shared/testkit"
	"portside/shared/testkit/awstest"
)

// message returns a message of CloudWatch Logs with one event.
func message(stream, id string) string {
	return fmt.Sprintf(`{"messageType":"DATA_MESSAGE","logGroup":"g","logStream":%q,"logEvents":[{"id":%q,"timestamp":2,"message":"a line"}]}`,
		stream, id)
}

// Firehose writes compressed objects with one message in each line. It can also join several gzip members.
func TestReadObjectJoinsMessagesOfStream(t *testing.T) {
	first := compress(t, []byte(message("s", "1")+"\n"+message("u", "2")+"\n"))
	second := compress(t, []byte(message("s", "3")+"\n\n"+`{"messageType":"CONTROL_MESSAGE"}`+"\n"))
	got, err := logevents.ReadObject(append(first, second...))
	if err != nil || len(got) != 2 || got[0].Stream != "s" || len(got[0].Events) != 2 || got[0].Events[1].ID != "3" ||
		got[1].Stream != "u" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestReadObjectKeepsValidMessages(t *testing.T) {
	whole := compress(t, []byte(message("s", "1")+"\n"+message("s", "2")+"\n"))
	random := make([]byte, 1<<16)
	for i := range random {
		random[i] = byte(i * i >> 3)
	}
	cut := compress(t, []byte(message("s", "1")+"\n"+fmt.Sprintf("%x", random)))
	for name, c := range map[string]struct {
		content []byte
		events  int
		corrupt bool
	}{
		"valid":              {whole, 2, false},
		"nothing":            {nil, 0, true},
		"not gzip":           {[]byte("secret"), 0, true},
		"a message of noise": {compress(t, []byte(message("s", "1")+"\nsecret\n"+message("s", "2"))), 2, true},
		"another type": {compress(t,
			[]byte(strings.Replace(message("s", "1"), "DATA", "OTHER", 1)+"\n"+message("s", "2"))), 1, true},
		"truncated":      {cut[:len(cut)/2], 1, true},
		"trailing noise": {append(bytes.Clone(whole), "secret"...), 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := logevents.ReadObject(c.content)
			found := 0
			for _, batch := range got {
				found += batch.Len()
			}
			isSafe := err == nil || errors.Is(err, logevents.ErrCorrupt) && !strings.Contains(err.Error(), "secret")
			if found != c.events || (err != nil) != c.corrupt || !isSafe {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		})
	}
}

func FuzzReadObject(f *testing.F) {
	f.Add(compress(f, []byte(message("s", "1")+"\n"+message("s", "2"))))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := logevents.ReadObject(data); err != nil && !errors.Is(err, logevents.ErrCorrupt) {
			t.Error(err)
		}
	})
}

// objectEvent returns the event of S3 for new objects in a bucket.
func objectEvent(bucket string, keys ...string) logevents.Event {
	var event logevents.Event
	for _, key := range keys {
		event.Records = append(event.Records, events.S3EventRecord{S3: events.S3Entity{
			Bucket: events.S3Bucket{Name: bucket}, Object: events.S3Object{Key: key},
		}})
	}
	return event
}

func TestHandlerCountsObjects(t *testing.T) {
	out := testkit.CaptureLogs(t)
	objects, bucket := logevents.S3{Client: awstest.S3(t)}, awstest.Bucket(t)
	_, err := objects.Client.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: &bucket, Key: aws.String("requests/a b.gz"), Body: bytes.NewReader(compress(t, []byte(message("s", "1")))),
	})
	if err != nil {
		t.Fatal(err)
	}
	counted := 0
	handler := logevents.Handler(objects, func(_ context.Context, b loglines.Batch) error {
		counted += b.Len()
		return nil
	})
	if err := handler(t.Context(), objectEvent(bucket, "requests/a+b.gz", "requests/none.gz", "%zz")); err != nil ||
		counted != 1 {
		t.Errorf("counted %d, error %v", counted, err)
	}
	if logged := out.String(); strings.Count(logged, "corrupt batch") != 1 ||
		!strings.Contains(logged, "requests/none.gz") {
		t.Errorf("the function logged %s", logged)
	}
}

var errAway = errors.New("away")

type unreachableObjects struct{}

func (unreachableObjects) Get(context.Context, string, string) ([]byte, error) { return nil, errAway }

func TestHandlerReturnsErrorsForRetry(t *testing.T) {
	failing := func(context.Context, loglines.Batch) error { return errAway }
	for name, event := range map[string]logevents.Event{
		"an unreachable object": objectEvent("b", "x"),
		"a failed count":        {AWSLogs: eventOf(compress(t, []byte(batch))).AWSLogs},
	} {
		t.Run(name, func(t *testing.T) {
			if err := logevents.Handler(unreachableObjects{}, failing)(t.Context(), event); !errors.Is(err, errAway) {
				t.Error(err)
			}
		})
	}
}
