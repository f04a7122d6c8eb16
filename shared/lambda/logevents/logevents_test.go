package logevents_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/core/loglines"
	"portside/shared/lambda/logevents"
)

func compress(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	if _, err := writer.Write(text); err != nil {
		tb.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func eventOf(data []byte) events.CloudwatchLogsEvent {
	return eventWithData(base64.StdEncoding.EncodeToString(data))
}

func eventWithData(data string) events.CloudwatchLogsEvent {
	return events.CloudwatchLogsEvent{AWSLogs: events.CloudwatchLogsRawData{Data: data}}
}

const batch = `{"messageType":"DATA_MESSAGE","logGroup":"g","logStream":"s","logEvents":[{"id":"1","timestamp":2,"message":"a line"},` +
	`{"id":"3","timestamp":4,"message":""}]}`

func TestUnpack(t *testing.T) {
	got, err := logevents.Unpack(eventOf(compress(t, []byte(batch))))
	if err != nil || got.Group != "g" || got.Stream != "s" || len(got.Events) != 2 || got.Skipped != 0 ||
		got.Events[0] != (loglines.Event{ID: "1", LoggedAt: time.UnixMilli(2), Message: "a line"}) {
		t.Errorf("%+v, %v", got, err)
	}
	control := strings.Replace(batch, "DATA", "CONTROL", 1)
	if got, err = logevents.Unpack(eventOf(compress(t, []byte(control)))); err != nil || got.Len() != 0 {
		t.Errorf("a control message: %+v, %v", got, err)
	}
}

func TestUnpackSkipsInvalidEvents(t *testing.T) {
	const invalid = `"subscriptionFilters":1,"logEvents":[{"id":"0","timestamp":2,"message":7},null,7,{"id":{}},`
	text := strings.Replace(batch, `"logEvents":[`, invalid, 1)
	got, err := logevents.Unpack(eventOf(compress(t, []byte(text))))
	if err != nil || got.Skipped != 4 || got.Len() != 6 || len(got.Events) != 2 || got.Events[0].Message != "a line" {
		t.Errorf("%+v, %v", got, err)
	}
}

// An event with an invalid time is not lost. Its time is the Unix epoch, which means unknown.
func TestUnpackAcceptsEveryTime(t *testing.T) {
	for _, timestamp := range []string{`"2"`, "null", "{}", "1e400", "-"} {
		text := strings.Replace(batch, `"timestamp":2,`, `"timestamp":`+timestamp+",", 1)
		if timestamp == "-" {
			text = strings.Replace(batch, `"timestamp":2,`, "", 1)
		}
		got, err := logevents.Unpack(eventOf(compress(t, []byte(text))))
		if err != nil || len(got.Events) != 2 ||
			got.Events[0] != (loglines.Event{ID: "1", LoggedAt: time.UnixMilli(0), Message: "a line"}) {
			t.Errorf("timestamp %s: %+v, %v", timestamp, got, err)
		}
	}
}

func TestUnpackRejectsCorruptBatches(t *testing.T) {
	megabyte, whole := compress(t, make([]byte, 1<<20)), compress(t, []byte(batch))
	for name, event := range map[string]events.CloudwatchLogsEvent{
		"nothing":        {},
		"not Base64":     eventWithData("§"),
		"not gzip":       eventOf([]byte("secret")),
		"truncated":      eventOf(whole[:len(whole)/2]),
		"wrong checksum": eventOf(append(bytes.Clone(whole[:len(whole)-8]), make([]byte, 8)...)),
		"not JSON":       eventOf(compress(t, []byte("secret"))),
		"an array":       eventOf(compress(t, []byte(`[]`))),
		"two documents":  eventOf(compress(t, []byte(batch+batch))),
		"a gzip bomb":    eventOf(bytes.Repeat(megabyte, 21)),
		"no type":        eventOf(compress(t, []byte(strings.Replace(batch, "DATA_MESSAGE", "", 1)))),
		"other type":     eventOf(compress(t, []byte(strings.Replace(batch, "DATA", "secret", 1)))),
		"wrong events":   eventOf(compress(t, []byte(`{"messageType":"DATA_MESSAGE","logEvents":{}}`))),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := logevents.Unpack(event)
			if !errors.Is(err, logevents.ErrCorrupt) || errors.Is(err, logevents.ErrTooLarge) != (name == "a gzip bomb") ||
				strings.Contains(err.Error(), "secret") || got.Len() != 0 {
				t.Errorf("%s: %+v, error %v", name, got, err)
			}
		})
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(compress(f, []byte(batch)))
	f.Add(compress(f, []byte(`{"messageType":"CONTROL_MESSAGE"}`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := logevents.Unpack(eventOf(data))
		if err != nil && (!errors.Is(err, logevents.ErrCorrupt) || got.Len() != 0) {
			t.Errorf("%+v, error %v", got, err)
		}
		if errors.Is(err, logevents.ErrTooLarge) && len(data) < 1<<10 {
			t.Errorf("%d bytes cannot be that large uncompressed", len(data))
		}
	})
}
