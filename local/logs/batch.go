package logs

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"time"

	"portside/local/async"
)

// batchKey identifies a batch: all lines of an event come from the same stream.
type batchKey struct{ subscription, function, group, stream string }

// batch holds the lines that the next event will have.
type batch struct {
	entries []entry
	size    int
	timer   *time.Timer
}

type entry struct {
	ID        string `json:"id"`
	Timestamp int64  `json:"timestamp"`
	Message   string `json:"message"`
}

func (g *Groups) addEntry(key batchKey, e entry) {
	g.mu.Lock()
	defer g.mu.Unlock()
	b := g.batches[key]
	if b != nil && b.size+len(e.Message) > maxBatchBytes {
		g.send(key, b)
		b = nil
	}
	if b == nil {
		b = &batch{}
		b.timer = time.AfterFunc(batchDelay, func() { g.expire(key, b) })
		g.batches[key] = b
	}
	b.entries = append(b.entries, e)
	b.size += len(e.Message)
	if len(b.entries) >= maxBatchLines {
		g.send(key, b)
	}
}

// expire sends a batch after batchDelay, unless it was sent because of its size.
func (g *Groups) expire(key batchKey, b *batch) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.batches[key] == b {
		g.send(key, b)
	}
}

// send needs the lock, so that the batches of a stream stay in order.
func (g *Groups) send(key batchKey, b *batch) {
	b.timer.Stop()
	delete(g.batches, key)
	g.config.Deliver(async.Event{
		Function:    key.function,
		Payload:     g.payload(key, b.entries),
		Description: fmt.Sprintf("%d lines of %s", len(b.entries), key.group),
	})
}

// message is the uncompressed data of an event.
type message struct {
	MessageType         string   `json:"messageType"`
	Owner               string   `json:"owner"`
	LogGroup            string   `json:"logGroup"`
	LogStream           string   `json:"logStream"`
	SubscriptionFilters []string `json:"subscriptionFilters"`
	LogEvents           []entry  `json:"logEvents"`
}

// event is the function's event. JSON encodes Data in base64.
type event struct {
	AWSLogs struct {
		Data []byte `json:"data"`
	} `json:"awslogs"`
}

func (g *Groups) payload(key batchKey, entries []entry) []byte {
	var data bytes.Buffer
	compressed := gzip.NewWriter(&data)
	encoder := json.NewEncoder(compressed)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(message{
		MessageType: "DATA_MESSAGE", Owner: g.config.AccountID, LogGroup: key.group, LogStream: key.stream,
		SubscriptionFilters: []string{key.subscription}, LogEvents: entries,
	})
	if err == nil {
		err = compressed.Close()
	}
	var e event
	e.AWSLogs.Data = data.Bytes()
	payload, failed := json.Marshal(e)
	if err != nil || failed != nil {
		panic(fmt.Sprint(err, failed)) // strings always marshal, and a buffer never fails
	}
	return payload
}
