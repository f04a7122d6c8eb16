package overload

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portside/shared/testkit/awstest"
	"portside/testclient"
)

// The bounds of the overload.
const (
	accountConcurrency = 40  // of the functions; a client beyond gets 503
	openConnections    = 300 // of the overload; further requests are not sent
	callers            = 12  // users with a key
	perMinute          = 900 // requests of each key
	capacityRequests   = 1500
	overloadFactor     = 3
	overloadTime       = 8 * time.Second
	// maxRecovery is how soon the service must be normal again. The test logs the time with it, and fails only after
	// recoveryPatience, because the time also depends on what else runs on the machine.
	maxRecovery      = 5 * time.Second
	recoveryPatience = 2 * time.Minute
	recoveryCalls    = 50 // successes in order that mean normal
)

// mix sends the requests of an overload and checks the answers.
type mix struct {
	s       *service
	users   []user
	created atomic.Int64 // projects
	sent    atomic.Int64

	mu      sync.Mutex
	answers map[string][]time.Duration // by kind of answer
	wrong   []string
}

func newMix(s *service) *mix {
	m := &mix{s: s, answers: map[string][]time.Duration{}}
	for i := range callers {
		m.users = append(m.users, s.user(fmt.Sprintf("caller-%d@example.com", i), "manager"))
	}
	return m
}

// request is one of the kinds of requests, for some user.
type request struct {
	method, target, body string
	key                  string
	status               int
	check                func(testclient.Response) bool
}

// next returns a random request. The first user sends a third of them, and so exceeds the rate limit first.
func (m *mix) next(n int64) request {
	u := m.users[0]
	if rand.IntN(3) > 0 {
		u = m.users[rand.IntN(len(m.users))]
	}
	name := fmt.Sprintf("project %d", n)
	anything := func(testclient.Response) bool { return true }
	switch n % 8 {
	case 0, 1:
		return request{http.MethodPost, "/v1/projects", `{"name":"` + name + `"}`, u.key, http.StatusCreated, func(r testclient.Response) bool {
			m.created.Add(1)
			return r.JSON("data.name") == name
		}}
	case 2:
		return request{http.MethodGet, "/v1/users?limit=5", "", u.key, http.StatusOK, func(r testclient.Response) bool {
			return r.JSON("pagination.total") == float64(len(m.users)+1) && r.JSON("data.4.id") != nil
		}}
	case 3:
		return request{http.MethodGet, "/v1/projects?limit=5", "", u.key, http.StatusOK, func(r testclient.Response) bool {
			return r.JSON("pagination.total") != nil
		}}
	case 4:
		return request{http.MethodGet, "/v1/users/" + u.id, "", "psk_000000000000_" + strings.Repeat("0", 43),
			http.StatusUnauthorized, anything}
	case 5:
		return request{http.MethodGet, "/v1/health", "", "", http.StatusOK, anything}
	}
	return request{http.MethodGet, u.path(), "", u.key, http.StatusOK, func(r testclient.Response) bool {
		return r.JSON("data.id") == u.id && r.JSON("data.email") == u.email
	}}
}

// send sends one request and records the answer.
func (m *mix) send(c testclient.Client) {
	r := m.next(m.sent.Add(1))
	if r.key != "" {
		c = c.With("X-API-Key", r.key)
	}
	began := awstest.RealTime()
	response, err := c.Send(r.method, r.target, r.body)
	took := awstest.RealTime().Sub(began)
	var kind, problem string
	switch {
	case err != nil:
		kind, problem = "no answer", err.Error()
	case response.Status == r.status && r.check(response):
		kind = "right"
	case isGatewayRefusal(response):
		kind = fmt.Sprintf("refused with %d by the gateway", response.Status)
	case isRefusal(response) && unexpected(response) == "":
		kind = fmt.Sprintf("refused with %d", response.Status)
	default:
		kind, problem = "wrong", fmt.Sprintf("%s %s: %d %v %s", r.method, r.target, response.Status, response.Header,
			response.Body)
	}
	m.record(kind, problem, took)
}

func (m *mix) record(kind, problem string, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers[kind] = append(m.answers[kind], took)
	if problem != "" {
		m.wrong = append(m.wrong, problem)
	}
}

func isRefusal(r testclient.Response) bool {
	return r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable
}

// isGatewayRefusal is true for refusals of API Gateway, which it sends without asking a function. HTTP APIs cannot add
// headers to them.
func isGatewayRefusal(r testclient.Response) bool {
	body := fmt.Sprintf(`{"message":%q}`, http.StatusText(r.Status))
	return isRefusal(r) && r.Header.Get("Content-Type") == "application/json" && string(r.Body) == body
}

// capacity sends requests over a few connections, each after the answer to the last one, and returns the answers per
// second.
func (m *mix) capacity(requests int) float64 {
	const clients = 8
	var left atomic.Int64
	left.Store(int64(requests))
	var running sync.WaitGroup
	began := awstest.RealTime()
	for i := range clients {
		c := m.s.connect(byte(20+i), patience)
		running.Go(func() {
			for left.Add(-1) >= 0 {
				m.send(c)
			}
		})
	}
	running.Wait()
	return float64(requests) / awstest.RealTime().Sub(began).Seconds()
}

// overload sends requests at a rate, whether or not earlier ones have been answered, and returns how many it could not
// send because all connections were in use. It calls watch a few times per second. The stack may have been slower when
// its capacity was measured, for example because other programs used the processor. So the rate doubles in each second
// in which the stack could answer all requests.
func (m *mix) overload(rate float64, watch func()) (notSent int) {
	free := make(chan testclient.Client, openConnections)
	for i := range openConnections {
		free <- m.s.connect(byte(30+i%200), patience)
	}
	var running sync.WaitGroup
	const ticks = 100 // per second
	tick := time.NewTicker(time.Second / ticks)
	defer tick.Stop()
	due := 0.0
	for n := range int(overloadTime.Seconds() * ticks) {
		<-tick.C
		for due += rate / ticks; due >= 1; due-- {
			select {
			case c := <-free:
				running.Go(func() {
					m.send(c)
					free <- c
				})
			default:
				notSent++
			}
		}
		if n%(ticks/4) == 0 {
			watch()
		}
		if n%ticks == ticks-1 && notSent == 0 && m.areAllRight() {
			rate *= 2
		}
	}
	running.Wait()
	return notSent
}

// areAllRight reports whether no answer since the last take was a refusal.
func (m *mix) areAllRight() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return count(m.answers) == len(m.answers["right"])
}

// take returns the answers since the last take, and fails the test for those that are wrong.
func (m *mix) take() map[string][]time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, problem := range m.wrong[:min(len(m.wrong), 5)] {
		m.s.t.Errorf("one of %d wrong answers: %s", len(m.wrong), problem)
	}
	answers := m.answers
	m.answers, m.wrong = map[string][]time.Duration{}, nil
	return answers
}

// recovered returns the time until recoveryCalls requests in a row succeeded, which wrote and read.
func (m *mix) recovered() time.Duration {
	m.s.t.Helper()
	c := m.s.connect(1, patience).With("X-API-Key", m.s.adminKey)
	began := awstest.RealTime()
	normal := time.Duration(0)
	for inRow := 0; inRow < recoveryCalls; {
		method, target, body, want := http.MethodGet, "/v1/users?limit=5", "", http.StatusOK
		if inRow%2 == 1 {
			method, target, body, want = http.MethodPost, "/v1/projects", `{"name":"afterwards"}`, http.StatusCreated
		}
		response, err := c.Send(method, target, body)
		since := awstest.RealTime().Sub(began)
		if response.Status == http.StatusCreated {
			m.created.Add(1)
		}
		if inRow++; inRow == 1 {
			normal = since
		}
		if err != nil || response.Status != want {
			inRow = 0
		}
		if inRow == 0 && since > recoveryPatience {
			m.s.t.Fatalf("not normal after %v: %v %d %s", since, err, response.Status, response.Body)
		}
	}
	return normal
}

// TestOverload sends three times as many requests as the stack can answer. Each is answered right or refused, the
// memory of the processes is bounded, and the service is normal again soon afterwards. Each created project exists
// once.
//
//proves:docs/security.md
func TestOverload(t *testing.T) {
	s := startProcess(t, "-concurrency", fmt.Sprint(accountConcurrency), "-rate-limit", fmt.Sprint(perMinute),
		"-parameters", "RequestsPerSecond=10000 RequestBurst=5000")
	m := newMix(s)
	m.capacity(capacityRequests / 3) // starts the processes
	capacity := m.capacity(capacityRequests)
	t.Logf("before: %s", describe(m.take()))
	before, peak := s.memory(), memory{}
	notSent := m.overload(overloadFactor*capacity, func() { peak = peak.greater(s.memory()) })
	recovery := m.recovered()
	answers := m.take()
	after := s.memory()
	rate := float64(count(answers)) / overloadTime.Seconds()
	t.Logf("figure: capacity %.0f requests/s; overload of %.0f requests/s sent (%d not sent): %s", capacity, rate, notSent,
		describe(answers))
	t.Logf("figure: normal again %v after the overload (limit %v)", recovery.Round(time.Millisecond), maxRecovery)
	t.Logf("figure: memory of the stack before, during and after the overload %d, %d and %d MB; of the largest function %d, %d and %d MB",
		before.stack>>20, peak.stack>>20, after.stack>>20, before.largestFunction>>20, peak.largestFunction>>20,
		after.largestFunction>>20)
	checkMemory(t, before, peak)
	s.checkProjects(m.created.Load())
	if len(answers["right"]) == 0 || count(answers) == len(answers["right"]) {
		t.Errorf("this was no overload: %s", describe(answers))
	}
}

// checkMemory compares the memory with that before the overload, when all processes had answered requests.
func checkMemory(t *testing.T, before, peak memory) {
	t.Helper()
	const spare = 96 << 20
	if peak.stack > 2*before.stack+spare {
		t.Errorf("the stack has %d MB, and had %d", peak.stack>>20, before.stack>>20)
	}
	if peak.largestFunction > 2*before.largestFunction+spare/4 {
		t.Errorf("the largest function has %d MB, and had %d", peak.largestFunction>>20, before.largestFunction>>20)
	}
	if before.processes == 0 {
		t.Error("no process of a function was found")
	}
}

// checkProjects checks that there are as many projects as answers that said so.
func (s *service) checkProjects(want int64) {
	s.t.Helper()
	listed := s.admin(patience).Get("/v1/projects?limit=1").WantStatus(http.StatusOK)
	if got := listed.Number("pagination.total"); int64(got) != want {
		s.t.Errorf("%d projects, but %d were created", got, want)
	}
}

func count(answers map[string][]time.Duration) int {
	n := 0
	for _, took := range answers {
		n += len(took)
	}
	return n
}

// describe returns how many answers of each kind there were, and how long the slowest of 100 took.
func describe(answers map[string][]time.Duration) string {
	var parts []string
	for kind, took := range answers {
		slices.Sort(took)
		parts = append(parts, fmt.Sprintf("%d %s (p50 %v, p99 %v)", len(took), kind,
			took[len(took)/2].Round(time.Millisecond), took[len(took)*99/100].Round(time.Millisecond)))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
