package s3events_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"portside/local/async"
	"portside/local/s3events"
	"portside/local/s3server/change"
	"portside/local/template"
)

// delivered holds the events for functions.
type delivered struct{ got []async.Event }

func start(buckets ...template.Bucket) (*s3events.Receiver, *delivered) {
	i := &delivered{}
	return s3events.New(s3events.Config{
		Buckets: buckets, Region: "us-east-1", Deliver: func(e async.Event) { i.got = append(i.got, e) },
	}), i
}

func post(t *testing.T, r http.Handler, path, body string) int {
	t.Helper()
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body)))
	return w.Code
}

func report(t *testing.T, r *s3events.Receiver, c change.Change) {
	t.Helper()
	body, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if status := post(t, r, r.Path(), string(body)); status != http.StatusNoContent {
		t.Errorf("%s: %d", body, status)
	}
}

func bucket(name string, all ...template.Notification) template.Bucket {
	return template.Bucket{Name: name, Notifications: all}
}

func TestEventHasS3sFormat(t *testing.T) {
	all := template.Notification{Function: "F", Events: []string{"s3:ObjectCreated:*", "s3:ObjectRemoved:*"}}
	r, i := start(bucket("files", all))
	at := time.Date(2026, 11, 21, 10, 9, 8, 7e6, time.FixedZone("", 3600))
	key := "charts/a b+c%41 ü?x&.tgz"
	report(t, r, change.Change{Event: change.Put, Bucket: "files", Key: key, Size: 0, ETag: "abc", Time: at,
		Sequence: 0x1F})
	report(t, r, change.Change{Event: change.Delete, Bucket: "files", Key: key, Time: at, Sequence: 0x20})
	const head = `{"Records":[{"eventVersion":"2.1","eventSource":"aws:s3","awsRegion":"us-east-1","eventTime":"2026-11-21T09:09:08.007Z",`
	const middle = `"userIdentity":{"principalId":"LOCAL"},"requestParameters":{"sourceIPAddress":"127.0.0.1"},"responseElements":`
	const object = `"s3":{"s3SchemaVersion":"1.0","configurationId":"F","bucket":{"name":"files","ownerIdentity":{"principalId":"LOCAL"},` +
		`"arn":"arn:aws:s3:::files"},"object":{"key":"charts/a+b%2Bc%2541+%C3%BC%3Fx%26.tgz",`
	want := []string{
		head + `"eventName":"ObjectCreated:Put",` + middle + `{"x-amz-id-2":"local","x-amz-request-id":"000000000000001F"},` +
			object + `"size":0,"eTag":"abc","sequencer":"000000000000001F"}}}]}`,
		head + `"eventName":"ObjectRemoved:Delete",` + middle + `{"x-amz-id-2":"local","x-amz-request-id":"0000000000000020"},` +
			object + `"sequencer":"0000000000000020"}}}]}`,
	}
	var got []string
	for _, e := range i.got {
		got = append(got, string(e.Payload))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNotificationFilters(t *testing.T) {
	r, i := start(
		bucket("other", template.Notification{Function: "Other", Events: []string{"s3:ObjectCreated:*"}}),
		bucket("files",
			template.Notification{Function: "All", Events: []string{"s3:ObjectCreated:*", "s3:ObjectRemoved:*"}},
			template.Notification{Function: "Copies", Events: []string{"s3:ObjectCreated:Copy"}},
			template.Notification{Function: "Charts", Events: []string{"s3:ObjectCreated:*"}, Prefix: "charts/", Suffix: ".tgz"},
		),
	)
	for _, test := range []struct {
		event, key string
		want       []string
	}{
		{change.Put, "charts/a.tgz", []string{"All", "Charts"}},
		{change.Copy, "charts/a.tgz.prov", []string{"All", "Copies"}},
		{change.Complete, "Charts/a.tgz", []string{"All"}},
		{change.Delete, "charts/a.tgz", []string{"All"}},
		{"ObjectTagging:Put", "charts/a.tgz", nil},
	} {
		t.Run(test.event+" of "+test.key, func(t *testing.T) {
			i.got = nil
			report(t, r, change.Change{Event: test.event, Bucket: "files", Key: test.key})
			var got []string
			for _, e := range i.got {
				got = append(got, e.Function)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%s of %s reached %q, want %q", test.event, test.key, got, test.want)
			}
		})
	}
	i.got = nil
	r.SetBuckets(nil)
	report(t, r, change.Change{Event: change.Put, Bucket: "files", Key: "a"})
	if len(i.got) != 0 {
		t.Errorf("without notifications: %v", i.got)
	}
}

func TestReceiverRefusesOtherRequests(t *testing.T) {
	r, i := start(bucket("files", template.Notification{Function: "F", Events: []string{"s3:ObjectCreated:*"}}))
	good := `{"event":"ObjectCreated:Put","bucket":"files","key":"a"}`
	for _, test := range []struct {
		path, body string
		status     int
	}{
		{"/", good, 404},
		{r.Path() + "x", good, 404},
		{r.Path(), "", 400},
		{r.Path(), "null", 400},
		{r.Path(), `{"event":"ObjectCreated:Put","bucket":"files"}`, 400},
		{r.Path(), strings.Replace(good, "}", `,"size":-1}`, 1), 400},
		{r.Path(), `{"key":"` + strings.Repeat("x", 1<<20) + `"}`, 413},
	} {
		t.Run(test.body[:min(len(test.body), 60)], func(t *testing.T) {
			if status := post(t, r, test.path, test.body); status != test.status {
				t.Errorf("%s %.60s: %d", test.path, test.body, status)
			}
		})
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, r.Path(), nil))
	if w.Code != http.StatusMethodNotAllowed || len(i.got) != 0 {
		t.Errorf("GET: %d; functions got %v", w.Code, i.got)
	}
	if other, _ := start(); other.Path() == r.Path() || len(r.Path()) < 20 {
		t.Errorf("the path %s is not secret", r.Path())
	}
}

// For any key in a change, the function decodes the same key from the event.
func FuzzReceiver(f *testing.F) {
	f.Add([]byte(`{"event":"ObjectCreated:Put","bucket":"files","key":"a b+c/%41"}`))
	f.Add([]byte(`{"event":"ObjectRemoved:Delete","bucket":"files","key":"\u0000\ud800"}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, i := start(bucket("files", template.Notification{Function: "F", Events: []string{"s3:*"}}))
		status := post(t, r, r.Path(), string(body))
		if status != http.StatusNoContent && len(i.got) != 0 {
			t.Errorf("%d, and the function got %s", status, i.got[0].Payload)
		}
		for _, e := range i.got {
			var event events.S3Event
			if err := json.Unmarshal(e.Payload, &event); err != nil || len(event.Records) != 1 {
				t.Fatalf("%v: %s", err, e.Payload)
			}
			var c change.Change
			if err := json.Unmarshal(body, &c); err != nil || event.Records[0].S3.Object.URLDecodedKey != c.Key {
				t.Errorf("%q became %q", c.Key, event.Records[0].S3.Object.URLDecodedKey)
			}
		}
	})
}
