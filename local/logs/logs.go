// Package logs is the local stack's CloudWatch Logs, reduced to subscriptions: it delivers the
// lines of log groups to the functions that subscribe to them. It does not store lines; the stack
// prints them.
//
// Put never waits, because its caller is a function's output or a request. Lines are delivered in
// batches after a short delay. The ID of a line is unique forever, because functions may use it to
// count a line only once when it is delivered twice.
package logs

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"sync"
	"time"

	"portside/local/async"
	"portside/local/logs/pattern"
)

// Limits of one delivery. CloudWatch Logs waits about as long, so that a busy group does not cause
// an invocation for each line. maxBatchBytes leaves room for the encoding within
// async.MaxPayloadBytes, even if the lines are incompressible.
const (
	batchDelay    = 200 * time.Millisecond
	maxBatchLines = 1000
	maxBatchBytes = async.MaxPayloadBytes / 2
)

// Subscription delivers the lines of a group that match a pattern to a function.
type Subscription struct {
	ID       string
	Function string
	Group    string
	Pattern  pattern.Pattern
}

// Config holds the parameters of New.
type Config struct {
	AccountID string
	// Deliver receives the events for functions. It must not block.
	Deliver func(async.Event)
}

// Groups are all log groups of a stack. It is safe for concurrent use.
type Groups struct {
	config Config
	runID  string // makes the IDs of this run differ from those of other runs

	mu            sync.Mutex
	subscriptions map[string][]Subscription // by group
	batches       map[batchKey]*batch
	matchedLines  uint64
}

// New returns groups without subscriptions.
func New(c Config) *Groups {
	run, err := rand.Int(rand.Reader, new(big.Int).Exp(big.NewInt(10), big.NewInt(32), nil))
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	return &Groups{config: c, runID: fmt.Sprintf("%032d", run), batches: map[batchKey]*batch{}}
}

// Subscribe replaces all subscriptions. Earlier lines still go to the earlier subscriptions.
func (g *Groups) Subscribe(all []Subscription) {
	byGroup := map[string][]Subscription{}
	for _, s := range all {
		byGroup[s.Group] = append(byGroup[s.Group], s)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.subscriptions = byGroup
}

// Put adds a line, without its newline, to a stream of a group.
func (g *Groups) Put(group, stream, line string) {
	g.mu.Lock()
	subscriptions := g.subscriptions[group]
	g.mu.Unlock()
	now := time.Now()
	id := ""
	for _, s := range subscriptions {
		if !s.Pattern.Matches(line) {
			continue
		}
		if id == "" {
			id = g.newID(now)
		}
		g.addEntry(batchKey{s.ID, s.Function, group, stream}, entry{ID: id, Timestamp: now.UnixMilli(), Message: line})
	}
}

// newID returns an ID of 56 digits that increases with time, as in CloudWatch Logs.
func (g *Groups) newID(now time.Time) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.matchedLines++
	return fmt.Sprintf("%014d%010d%s", now.UnixMilli(), g.matchedLines, g.runID)
}

// Flush delivers all batches now.
func (g *Groups) Flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for key, b := range g.batches {
		g.send(key, b)
	}
}
