// Package logs keeps log groups as CloudWatch Logs does, as far as functions can notice: what is put
// into a group reaches the functions that subscribe to it.
//
// What must stay true: whoever puts a line never waits, for it is a function's output or a request
// that would; a line is delivered at most a moment later; and an id belongs to one line for ever,
// since a function may go by it to count what is delivered twice only once. Lines are not kept: the
// stack prints them.
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

// Limits of one delivery. CloudWatch Logs gathers lines for about as long, so that a busy group does
// not cost an invocation a line. The size leaves room for what encoding adds within
// async.MaxPayload, even where lines cannot be compressed.
const (
	batchDelay    = 200 * time.Millisecond
	maxBatchLines = 1000
	maxBatchBytes = async.MaxPayloadBytes / 2
)

// Subscription is one function that wants the lines of a group that match the pattern.
type Subscription struct {
	ID       string
	Function string
	Group    string
	Pattern  pattern.Pattern
}

// Config is what New needs.
type Config struct {
	AccountID string
	// Deliver takes the events for functions, and must not block.
	Deliver func(async.Event)
}

// Groups are all log groups of a stack. Its methods may be called from any goroutine.
type Groups struct {
	config Config
	runID  string // tells the ids of this run from those of others

	mu            sync.Mutex
	subscriptions map[string][]Subscription // by group
	batches       map[batchKey]*batch
	matchedLines  uint64 // that matched
}

// New returns groups without subscriptions.
func New(c Config) *Groups {
	run, err := rand.Int(rand.Reader, new(big.Int).Exp(big.NewInt(10), big.NewInt(32), nil))
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	return &Groups{config: c, runID: fmt.Sprintf("%032d", run), batches: map[batchKey]*batch{}}
}

// Subscribe replaces all subscriptions. What was put before goes to those of then.
func (g *Groups) Subscribe(all []Subscription) {
	byGroup := map[string][]Subscription{}
	for _, s := range all {
		byGroup[s.Group] = append(byGroup[s.Group], s)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.subscriptions = byGroup
}

// Put adds a line, without a newline, to a stream of a group.
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
		g.add(batchKey{s.ID, s.Function, group, stream}, entry{ID: id, Timestamp: now.UnixMilli(), Message: line})
	}
}

// newID has 56 digits and grows with the time, as those of CloudWatch Logs do.
func (g *Groups) newID(now time.Time) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.matchedLines++
	return fmt.Sprintf("%014d%010d%s", now.UnixMilli(), g.matchedLines, g.runID)
}

// Flush delivers now what is gathered.
func (g *Groups) Flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for key, b := range g.batches {
		g.send(key, b)
	}
}
