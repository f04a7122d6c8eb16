package overload

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portside/testclient"
)

// connections is the number of connections of one user's flood.
const connections = 8

// patience bounds a request of a test. It is longer than the gateway waits for a function, so only a request that hangs
// exceeds it.
const patience = time.Minute

// connection is one of the connections of a flood.
type connection struct {
	testclient.Client

	flood  *flood
	number int
	cookie string // of the session
	secret string // that the last request has created
}

// flood is one user's requests over several connections until stop.
type flood struct {
	t       *testing.T
	victim  user     // sends the flood
	links   []string // tokens of sign-in links of the user, one or more for each connection
	stopped atomic.Bool
	workers sync.WaitGroup

	mu       sync.Mutex
	statuses map[int]int
	made     []string // API keys and tokens
}

// attack sends one or a few requests. It is called again and again.
type attack func(*connection)

// flood returns once every connection has sent its first requests. If there are links, each connection has a session
// before that.
func (s *service) flood(victim user, links []string, run attack) *flood {
	f := &flood{t: s.t, victim: victim, links: links, statuses: map[int]int{}}
	all := make([]*connection, connections)
	for number := range all {
		all[number] = &connection{Client: s.connect(byte(10+number), patience), flood: f, number: number}
		if len(links) > 0 {
			all[number].withSession()
		}
	}
	var started sync.WaitGroup
	started.Add(len(all))
	for _, c := range all {
		f.workers.Go(func() {
			once := sync.OnceFunc(started.Done)
			defer once()
			for !f.stopped.Load() {
				run(c)
				once()
			}
		})
	}
	started.Wait()
	return f
}

func (f *flood) stop() {
	f.stopped.Store(true)
	f.workers.Wait()
}

// send sends a request and checks that the response is right or a refusal that says when to come back.
func (c *connection) send(client testclient.Client, method, target, body string) testclient.Response {
	response, err := client.Send(method, target, body)
	if err != nil {
		c.TB.Errorf("the flood: %v", err)
		c.flood.stopped.Store(true)
		return response
	}
	if problem := unexpected(response); problem != "" {
		c.TB.Errorf("the flood: %s %s: %d: %s: %s", method, target, response.Status, problem, response.Body)
	}
	c.flood.mu.Lock()
	defer c.flood.mu.Unlock()
	c.flood.statuses[response.Status]++
	return response
}

// unexpected returns the defect in a response of a function under load, or "" for a good response.
func unexpected(r testclient.Response) string {
	busy := r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable
	switch {
	case r.Status >= http.StatusInternalServerError && !busy:
		return "a server error"
	case r.Status >= http.StatusBadRequest && r.Header.Get("Content-Type") != "application/problem+json":
		return "no problem document"
	case busy && r.Header.Get("Retry-After") == "":
		return "no Retry-After"
	}
	return ""
}

// withKey sends requests with the user's API key.
func (c *connection) withKey() testclient.Client { return c.With("X-API-Key", c.flood.victim.key) }

// withSession sends requests with a session of the user, which it begins if necessary. It returns false if it cannot
// begin one.
func (c *connection) withSession() (testclient.Client, bool) {
	mine := c.With("Sec-Fetch-Site", "same-origin")
	for round := 0; c.cookie == "" && round*connections+c.number < len(c.flood.links); round++ {
		link := &c.flood.links[round*connections+c.number] // no other connection uses it
		if *link != "" {
			c.cookie, _ = session(mine, *link)
			*link = ""
		}
	}
	return mine.With("Cookie", c.cookie), c.cookie != ""
}

// keep remembers a secret that must not work after the user is closed.
func (c *connection) keep(secret string) {
	c.secret = secret
	c.flood.mu.Lock()
	defer c.flood.mu.Unlock()
	c.flood.made = append(c.flood.made, secret)
}

// makeKey creates an API key and returns its ID, or "" if the service refuses that.
func (c *connection) makeKey(client testclient.Client) (id string) {
	made := c.send(client, http.MethodPost, c.flood.victim.path()+"/api-keys", `{"name":"flood"}`)
	if made.Status != http.StatusCreated {
		return ""
	}
	c.keep(made.Text("data.key"))
	return made.Text("data.id")
}

// keysByKeys creates and deletes API keys with an API key.
func keysByKeys(c *connection) {
	if id := c.makeKey(c.withKey()); id != "" {
		c.send(c.withKey(), http.MethodDelete, c.flood.victim.path()+"/api-keys/"+id, "")
	}
}

// keysBySessions creates and deletes API keys in a session.
func keysBySessions(c *connection) {
	client, _ := c.withSession()
	if id := c.makeKey(client); id != "" {
		c.send(client, http.MethodDelete, c.flood.victim.path()+"/api-keys/"+id, "")
	}
}

const newToken = `{"name":"flood","scopes":["read:helm-charts"]}`

// tokensByTokens creates a token with the API key, renews it with itself, and revokes it.
func tokensByTokens(c *connection) {
	with := c.withKey()
	if c.secret != "" {
		with = c.With("Authorization", "Bearer "+c.secret)
	}
	c.secret = ""
	made := c.send(with, http.MethodPost, "/api/v1/tokens", newToken)
	if made.Status != http.StatusCreated {
		return
	}
	c.keep(made.Text("data.token"))
	if old := made.JSON("data.rotatedFrom"); old != nil {
		c.send(c.withKey(), http.MethodDelete, "/api/v1/tokens/"+old.(string), "")
	}
}

// signInAndOut begins and ends sessions, asks for mails with links, and tries codes.
func signInAndOut(c *connection) {
	if client, ok := c.withSession(); ok {
		c.send(client, http.MethodGet, "/v1/sessions", "")
		c.send(client, http.MethodDelete, "/v1/sessions/current", "")
		c.cookie = ""
		return
	}
	mine, email := c.With("Sec-Fetch-Site", "same-origin"), c.flood.victim.email
	c.send(mine, http.MethodPost, "/v1/sessions", `{"email":"`+email+`","code":"0123456789"}`)
	c.send(mine, http.MethodPost, "/v1/sign-in/links", `{"email":"`+email+`"}`)
}

// requestsForCredentials asks for credentials, of which few requests can be open.
func requestsForCredentials(c *connection) {
	c.send(c.withKey(), http.MethodPost, "/api/v1/credential-requests", `{"accessLevel":"charts","justification":"flood"}`)
	c.send(c.withKey(), http.MethodGet, "/api/v1/credential-requests", "")
}

// uploadsAndJobs asks for upload forms and starts media jobs.
func uploadsAndJobs(c *connection) {
	c.send(c.withKey(), http.MethodPost, "/v1/uploads", "")
	form := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\n" +
		"The harbour is open. It is Monday.\r\n--b--\r\n"
	client := c.withKey().With("Content-Type", "multipart/form-data; boundary=b").With("Prefer", "respond-async")
	started := c.send(client, http.MethodPost, "/v1/capabilities/summarize/media", form)
	if at := started.Header.Get("Location"); at != "" {
		c.send(c.withKey(), http.MethodGet, at, "")
	}
}

// leakedKeys creates API keys and reports them as leaked.
func leakedKeys(c *connection) {
	c.secret = ""
	c.makeKey(c.withKey())
	secret := c.secret
	if secret == "" {
		secret = "psk_000000000000_" + strings.Repeat("0", 43)
	}
	c.send(c.Client, http.MethodPost, "/api/v1/tokens/revoke", `{"token":"`+secret+`"}`)
}

// repeats sends the same creations again and again, with idempotency keys that all connections share.
func repeats(c *connection) {
	for n := range 3 {
		once := c.withKey().With("Idempotency-Key", fmt.Sprintf("6f0c3b52-9d1e-4c57-8a3f-2b7e5d90c61%d", n))
		if made := c.send(once, http.MethodPost, "/api/v1/tokens", newToken); made.Status == http.StatusCreated {
			c.keep(made.Text("data.token"))
		}
	}
}

// count returns how many responses had one of the statuses.
func (f *flood) count(statuses ...int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, status := range statuses {
		n += f.statuses[status]
	}
	return n
}

// total returns the number of responses.
func (f *flood) total() int {
	return f.count(slices.Collect(maps.Keys(f.statuses))...)
}

// describe returns how many responses of each status the flood got, after its end.
func (f *flood) describe() string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(f.statuses)) {
		parts = append(parts, fmt.Sprintf("%d × %d", f.statuses[status], status))
	}
	return fmt.Sprintf("%d requests (%s)", f.total(), strings.Join(parts, ", "))
}
