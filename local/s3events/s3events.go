// Package s3events is the local stack's S3 event notifications: it receives changes of objects from
// the S3 engine and invokes the functions that the template subscribes to them.
//
// Events have S3's format, with the key encoded as S3 does. The engine gets its response at once;
// it never waits for functions. The path of the receiver contains a secret, because any web page
// can post to a port of this machine. Changes made while the stack is down cause no events.
package s3events

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"portside/local/async"
	"portside/local/s3server/change"
	"portside/local/template"
)

// maxBodyBytes is far above the size of one change, because keys have at most 1 KB.
const maxBodyBytes = 64 << 10

// Config holds the parameters of New.
type Config struct {
	Buckets []template.Bucket
	Region  string
	// Deliver receives the events for functions. It must not block.
	Deliver func(async.Event)
}

// Receiver is the HTTP handler to which the S3 engine posts changes.
type Receiver struct {
	config  Config
	path    string
	buckets atomic.Pointer[[]template.Bucket]
}

// New returns a receiver with the notifications of the buckets.
func New(c Config) *Receiver {
	r := &Receiver{config: c, path: "/" + rand.Text()}
	r.SetBuckets(c.Buckets)
	return r
}

// Path returns the secret path at which the receiver accepts changes.
func (r *Receiver) Path() string { return r.path }

// SetBuckets replaces the notifications.
func (r *Receiver) SetBuckets(buckets []template.Bucket) { r.buckets.Store(&buckets) }

// ServeHTTP accepts one change.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if subtle.ConstantTimeCompare([]byte(request.URL.Path), []byte(r.path)) != 1 {
		http.NotFound(w, request)
		return
	}
	if request.Method != http.MethodPost {
		http.Error(w, "send a change with POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBodyBytes))
	if err != nil {
		http.Error(w, "the change is too large, or was cut off", http.StatusRequestEntityTooLarge)
		return
	}
	c, err := parse(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.notify(c)
	w.WriteHeader(http.StatusNoContent)
}

func parse(body []byte) (change.Change, error) {
	var c change.Change
	if err := json.Unmarshal(body, &c); err != nil {
		return c, fmt.Errorf("the body is not a change: %w", err)
	}
	if c.Event == "" || c.Bucket == "" || c.Key == "" || c.Size < 0 {
		return c, errors.New("a change has an event, a bucket and a key")
	}
	return c, nil
}

// notify invokes each function whose notification matches.
func (r *Receiver) notify(c change.Change) {
	for _, bucket := range *r.buckets.Load() {
		if bucket.Name != c.Bucket {
			continue
		}
		for _, n := range bucket.Notifications {
			if matches(n, c) {
				r.config.Deliver(async.Event{
					Function:    n.Function,
					Payload:     encode(r.record(n, c)),
					Description: fmt.Sprintf("%s of %s/%s", c.Event, c.Bucket, c.Key),
				})
			}
		}
	}
}

func matches(n template.Notification, c change.Change) bool {
	if !strings.HasPrefix(c.Key, n.Prefix) || !strings.HasSuffix(c.Key, n.Suffix) {
		return false
	}
	for _, wanted := range n.Events {
		wanted = strings.TrimPrefix(wanted, "s3:")
		if family, all := strings.CutSuffix(wanted, "*"); wanted == c.Event || all && strings.HasPrefix(c.Event, family) {
			return true
		}
	}
	return false
}
