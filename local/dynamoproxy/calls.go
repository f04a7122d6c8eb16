package dynamoproxy

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxRecent bounds the calls that a log keeps one by one.
const maxRecent = 1_000

// Calls is what callers did since the last report.
type Calls struct {
	// ByOperation counts all calls.
	ByOperation map[string]int `json:"byOperation"`
	// Recent has the latest calls, at most 1,000, in the order in which they ended.
	Recent []Call `json:"recent"`
}

// Call is one call to the engine. Calls overlap if they ran at the same time.
type Call struct {
	Operation string `json:"operation"`
	// AccessKeyID is from the signature of the call.
	AccessKeyID string `json:"accessKeyId"`
	// Start and End are durations since the proxy started, with the delay between them.
	Start time.Duration `json:"start"`
	End   time.Duration `json:"end"`
	// Units are measured only with Config.Units.
	Units Units `json:"units,omitzero"`
}

// transport delays calls and records them. A call ends when the engine answers, which is before the caller knows the
// answer. So a call that waits for another never seems to overlap it.
type transport struct {
	next  http.RoundTripper
	delay time.Duration
	units bool
	log   *callLog
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	call := Call{Operation: operationOf(r), AccessKeyID: accessKeyOf(r), Start: t.log.now()}
	defer func() { t.log.addCall(call) }()
	if err := t.readBody(r); err != nil {
		return nil, err
	}
	if err := t.wait(r); err != nil {
		return nil, err
	}
	response, err := t.next.RoundTrip(r)
	if err != nil || !t.units {
		return response, err
	}
	call.Units, err = takeUnits(call.Operation, response)
	return response, err
}

// readBody reads the whole body before the engine gets it. The server of the proxy closes the caller's body as soon as
// the response begins. A client that still reads the body then, if only to find its end, closes the connection to the
// engine in the middle of the response. The server also notices that the caller has left only after the whole body.
func (t *transport) readBody(r *http.Request) error {
	if r.Body == nil {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err := errors.Join(err, r.Body.Close()); err != nil {
		return err
	}
	if t.units {
		body = askForUnits(body)
		r.ContentLength = int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// wait ends after the delay, or when the caller leaves.
func (t *transport) wait(r *http.Request) error {
	if t.delay <= 0 {
		return nil
	}
	timer := time.NewTimer(t.delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-r.Context().Done():
		return r.Context().Err()
	}
}

// operationOf returns GetItem for the target DynamoDB_20120810.GetItem.
func operationOf(r *http.Request) string {
	_, name, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	return name
}

// accessKeyOf returns the first part of the credential in a signature of version 4.
func accessKeyOf(r *http.Request) string {
	_, credential, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	key, _, _ := strings.Cut(credential, "/")
	return key
}

// callLog collects calls from concurrent requests.
type callLog struct {
	now func() time.Duration

	mu          sync.Mutex
	byOperation map[string]int
	recent      []Call
}

func newCallLog(now func() time.Time) *callLog {
	began := now()
	return &callLog{now: func() time.Duration { return now().Sub(began) }, byOperation: map[string]int{}}
}

func (l *callLog) addCall(c Call) {
	c.End = l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byOperation[c.Operation]++
	if len(l.recent) == 2*maxRecent { // dropping half at once keeps the cost of a call constant
		l.recent = append(l.recent[:0], l.recent[maxRecent:]...)
	}
	l.recent = append(l.recent, c)
}

func (l *callLog) take() Calls {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := Calls{ByOperation: l.byOperation, Recent: append([]Call{}, l.recent[max(0, len(l.recent)-maxRecent):]...)}
	l.byOperation, l.recent = map[string]int{}, l.recent[:0]
	return taken
}
