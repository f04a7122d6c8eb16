package logevents_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/lambda/logevents"
)

func packed(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	packer := gzip.NewWriter(&out)
	if _, err := packer.Write(text); err != nil {
		tb.Fatal(err)
	}
	if err := packer.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func carrying(data []byte) events.CloudwatchLogsEvent {
	return raw(base64.StdEncoding.EncodeToString(data))
}

func raw(data string) events.CloudwatchLogsEvent {
	return events.CloudwatchLogsEvent{AWSLogs: events.CloudwatchLogsRawData{Data: data}}
}

const batch = `{"messageType":"DATA_MESSAGE","logGroup":"g","logStream":"s","logEvents":[{"id":"1","timestamp":2,"message":"a line"},` +
	`{"id":"3","timestamp":4,"message":""}]}`

func TestUnpack(t *testing.T) {
	got, err := logevents.Unpack(carrying(packed(t, []byte(batch))))
	if err != nil || got.Group != "g" || got.Stream != "s" || len(got.Events) != 2 || got.Broken != 0 ||
		got.Events[0] != (events.CloudwatchLogsLogEvent{ID: "1", Timestamp: 2, Message: "a line"}) {
		t.Errorf("%+v, %v", got, err)
	}
	control := strings.Replace(batch, "DATA", "CONTROL", 1)
	if got, err = logevents.Unpack(carrying(packed(t, []byte(control)))); err != nil || got.Len() != 0 {
		t.Errorf("a control message: %+v, %v", got, err)
	}
}

// TestBrokenEvents are counted, and take none of the others with them.
func TestBrokenEvents(t *testing.T) {
	const others = `"subscriptionFilters":1,"logEvents":[{"id":"0","timestamp":"2","message":"secret"},null,7,{"id":{}},`
	broken := strings.Replace(batch, `"logEvents":[`, others, 1)
	got, err := logevents.Unpack(carrying(packed(t, []byte(broken))))
	if err != nil || got.Broken != 4 || got.Len() != 6 || len(got.Events) != 2 || got.Events[0].Message != "a line" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestWhatIsNoDelivery(t *testing.T) {
	megabyte, whole := packed(t, make([]byte, 1<<20)), packed(t, []byte(batch))
	for name, event := range map[string]events.CloudwatchLogsEvent{
		"nothing":      {},
		"no Base64":    raw("§"),
		"no gzip":      carrying([]byte("secret")),
		"half":         carrying(whole[:len(whole)/2]),
		"a wrong sum":  carrying(append(bytes.Clone(whole[:len(whole)-8]), make([]byte, 8)...)),
		"no JSON":      carrying(packed(t, []byte("secret"))),
		"no log":       carrying(packed(t, []byte(`[]`))),
		"two in one":   carrying(packed(t, []byte(batch+batch))),
		"a gzip bomb":  carrying(bytes.Repeat(megabyte, 21)),
		"no type":      carrying(packed(t, []byte(strings.Replace(batch, "DATA_MESSAGE", "", 1)))),
		"other type":   carrying(packed(t, []byte(strings.Replace(batch, "DATA", "secret", 1)))),
		"wrong events": carrying(packed(t, []byte(`{"messageType":"DATA_MESSAGE","logEvents":{}}`))),
	} {
		got, err := logevents.Unpack(event)
		if !errors.Is(err, logevents.ErrCorrupt) || errors.Is(err, logevents.ErrTooLarge) != (name == "a gzip bomb") ||
			strings.Contains(err.Error(), "secret") || got.Len() != 0 {
			t.Errorf("%s: %+v, error %v", name, got, err)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(packed(f, []byte(batch)))
	f.Add(packed(f, []byte(`{"messageType":"CONTROL_MESSAGE"}`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := logevents.Unpack(carrying(data))
		if err != nil && (!errors.Is(err, logevents.ErrCorrupt) || got.Len() != 0) {
			t.Errorf("%+v, error %v", got, err)
		}
		if errors.Is(err, logevents.ErrTooLarge) && len(data) < 1<<10 {
			t.Errorf("%d bytes are said to unpack to more than gzip can make of them", len(data))
		}
	})
}
