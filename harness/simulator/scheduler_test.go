package simulator

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"portside/harness/office"
	"portside/shared/credentials"
)

// longestWait is longer than the wait of any retry, so that after it no operation waits.
const longestWait = 2 * time.Second

// errCut is the error of a call whose answer was lost, and errCrashed the error of a call after its process has died.
var (
	errCut     = fmt.Errorf("the connection broke: %w", io.ErrUnexpectedEOF)
	errCrashed = errors.New("the process has died")
)

// task is one running operation.
type task struct {
	number  int
	name    string
	faulty  bool // whether any of its calls met a fault
	crashed bool
	done    bool
	mails   []string // the bodies of the calls of SES that it made
}

type taskKey struct{}

// call is a call of AWS that waits for its release.
type call struct {
	task    *task
	request *http.Request
	body    []byte
	sorted  []byte // see canonical
	answer  chan answer
}

type answer struct {
	response *http.Response
	err      error
}

// compare orders calls by properties that are the same in each run with the same seed.
func (c *call) compare(other *call) int {
	if order := cmp.Or(cmp.Compare(c.task.number, other.task.number),
		cmp.Compare(c.target(), other.target())); order != 0 {
		return order
	}
	return bytes.Compare(c.canonical(), other.canonical())
}

func (c *call) target() string { return c.request.Header.Get("X-Amz-Target") }

// canonical returns the body with sorted keys, because the AWS SDK writes maps in a random order.
func (c *call) canonical() []byte {
	if c.sorted == nil {
		var content any
		if json.Unmarshal(c.body, &content) == nil {
			c.sorted, _ = json.Marshal(content)
		}
		c.sorted = append(c.sorted, '\n')
	}
	return c.sorted
}

// scheduler releases the calls of tasks one at a time.
type scheduler struct {
	random  *rand.Rand
	engines office.Client
	outside chan func() // runs functions outside the bubble, where connections live
	faults  bool

	mailed map[string]string // links to collect passwords by their id

	mu      sync.Mutex
	waiting []*call

	steps, faultCount int
	trace             []string
}

// Do implements office.Client for the services: it waits for the release of the call.
func (s *scheduler) Do(request *http.Request) (*http.Response, error) {
	t, isTask := request.Context().Value(taskKey{}).(*task)
	if !isTask {
		return nil, errors.New("simulator: a call belongs to no task")
	}
	var body []byte
	if request.Body != nil {
		var err error
		if body, err = io.ReadAll(request.Body); err != nil {
			return nil, err
		}
	}
	c := &call{task: t, request: request, body: body, answer: make(chan answer)}
	s.mu.Lock()
	s.waiting = append(s.waiting, c)
	s.mu.Unlock()
	a := <-c.answer
	return a.response, a.err
}

// run runs the tasks until all are done.
func (s *scheduler) run(ctx context.Context, tasks []*task, operations []func(context.Context)) {
	for i, t := range tasks {
		go func() {
			operations[i](context.WithValue(ctx, taskKey{}, t))
			s.mu.Lock()
			t.done = true
			s.mu.Unlock()
		}()
	}
	for {
		synctest.Wait()
		next, isDone := s.choose(tasks)
		switch {
		case next != nil:
			s.release(next) //nolint:contextcheck // the call continues outside the bubble, where the context of the bubble must not be used
		case isDone:
			return
		default:
			pass(ctx)
		}
	}
}

// pass waits until all retries have continued. In the bubble that takes no time.
func pass(ctx context.Context) {
	timer := time.NewTimer(longestWait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// choose removes a waiting call, and reports whether all tasks are done.
func (s *scheduler) choose(tasks []*task) (*call, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		return nil, !slices.ContainsFunc(tasks, func(t *task) bool { return !t.done })
	}
	slices.SortFunc(s.waiting, func(a, b *call) int { return a.compare(b) })
	i := s.random.IntN(len(s.waiting))
	next := s.waiting[i]
	s.waiting = slices.Delete(s.waiting, i, i+1)
	return next, false
}

// release answers one call, perhaps with a fault.
func (s *scheduler) release(c *call) {
	s.steps++
	fault := ""
	if s.faults && s.random.IntN(40) == 0 {
		fault = []string{"refuse", "throttle", "lose", "crash before", "crash after"}[s.random.IntN(5)]
	}
	if c.task.crashed {
		fault = "dead"
	}
	if fault != "" {
		c.task.faulty = true
		s.faultCount++
	}
	_, operation, _ := strings.Cut(c.target(), ".")
	s.note("step %d: %s: %s %s", s.steps, c.task.name, operation, fault)
	c.answer <- s.answerTo(c, fault)
}

func (s *scheduler) answerTo(c *call, fault string) answer {
	switch fault {
	case "refuse":
		return answer{problem(http.StatusInternalServerError, "InternalServerError"), nil}
	case "throttle":
		return answer{problem(http.StatusBadRequest, "ProvisionedThroughputExceededException"), nil}
	case "crash before", "dead":
		c.task.crashed = true
		return answer{nil, errCrashed}
	}
	a := s.send(c)
	switch fault {
	case "lose":
		return answer{nil, errCut}
	case "crash after":
		c.task.crashed = true
		return answer{nil, errCrashed}
	}
	return a
}

// send sends the call outside the bubble, because connections have goroutines that never end.
func (s *scheduler) send(c *call) (a answer) {
	s.do(func() {
		request := c.request.Clone(context.Background())
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(c.body)), int64(len(c.body))
		response, err := s.engines.Do(request)
		if err != nil {
			a.err = err
			return
		}
		content, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		response.Body = io.NopCloser(bytes.NewReader(content))
		a = answer{response, err}
		if office.IsMail(c.request) && response.StatusCode == http.StatusOK {
			c.task.mails = append(c.task.mails, string(c.body))
			if link := mailedCollection.FindSubmatch(c.body); link != nil {
				parsed, _ := credentials.Parse(string(link[1]))
				s.mailed[parsed.ID()] = parsed.Reveal()
			}
		}
	})
	return a
}

// do runs a function outside the bubble, and returns when it is done.
func (s *scheduler) do(f func()) {
	var wait sync.Mutex
	wait.Lock()
	s.outside <- func() {
		defer wait.Unlock()
		f()
	}
	wait.Lock()
}

func (s *scheduler) note(format string, values ...any) {
	const kept = 30
	s.trace = append(s.trace, fmt.Sprintf(format, values...))
	s.trace = s.trace[max(0, len(s.trace)-kept):]
}

func problem(status int, name string) *http.Response {
	body := `{"__type":"com.amazonaws.dynamodb.v20120810#` + name + `","message":"injected"}`
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}
