package client_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"portside/client"
)

// start is when the clock in a bubble starts.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// The calls of the tests.
var (
	get = func(ctx context.Context, c *client.Client) error {
		_, err := c.GetUser(ctx, "u1")
		return err
	}
	remove = func(ctx context.Context, c *client.Client) error { return c.DeleteUser(ctx, "u1") }
	create = func(ctx context.Context, c *client.Client) error {
		_, err := c.CreateUser(ctx, client.CreateUserJSONBody{Email: "ada@example.com", Name: "Ada",
			Role: client.CreateUserJSONBodyRoleUser})
		return err
	}
	approve = func(ctx context.Context, c *client.Client) error {
		_, err := c.ApproveCredentialRequest(ctx, "r1", client.ApproveCredentialRequestJSONBody{})
		return err
	}
)

// waits bound the time between all attempts of a call.
type waits struct{ least, most time.Duration }

func exactly(seconds int) waits {
	wait := time.Duration(seconds) * time.Second
	return waits{wait, wait}
}

// jittered bounds the random waits before n retries.
func jittered(n int) waits {
	most := 250 * time.Millisecond * (1<<n - 1)
	return waits{most / 2, most}
}

func TestRetries(t *testing.T) {
	ok := status(http.StatusOK, ada)
	busy := status(http.StatusTooManyRequests, "{}", "Retry-After", "7")
	down := status(http.StatusServiceUnavailable, "{}", "Retry-After", "2")
	dated := status(http.StatusTooManyRequests, "", "Retry-After", "Sat, 01 Jan 2000 00:00:09 GMT")
	type answers = []func(http.ResponseWriter)
	for name, test := range map[string]struct {
		call     func(context.Context, *client.Client) error
		answers  answers
		requests int
		waits    waits
		failed   bool
	}{
		"success":                            {get, answers{ok}, 1, exactly(0), false},
		"rate limit":                         {get, answers{busy, ok}, 2, exactly(7), false},
		"rate limit of a call without a key": {approve, answers{busy, ok}, 2, exactly(7), false},
		"date in Retry-After":                {get, answers{dated, ok}, 2, exactly(9), false},
		"rate limit of the gateway": {get, answers{status(429, `{"message":"Too Many Requests"}`), ok}, 2,
			jittered(1), false},
		"daily quota":                    {get, answers{status(429, "{}", "Retry-After", "3600")}, 1, exactly(0), true},
		"outage":                         {get, answers{down, down, ok}, 3, exactly(4), false},
		"outage of a call without a key": {approve, answers{down}, 1, exactly(0), true},
		"500":                            {get, answers{status(500, "{}"), ok}, 2, jittered(1), false},
		"500 of a creating call":         {create, answers{status(500, "{}"), ok}, 2, jittered(1), false},
		"502 and 504 of a deleting call": {remove, answers{status(502, ""), status(504, ""), status(204, "")}, 3,
			jittered(2), false},
		"500 of a call without a key":         {approve, answers{status(500, "{}")}, 1, exactly(0), true},
		"lost answer":                         {get, answers{nil, ok}, 2, jittered(1), false},
		"lost answer of a creating call":      {create, answers{nil, ok}, 2, jittered(1), false},
		"lost answer of a call without a key": {approve, answers{nil}, 1, exactly(0), true},
		"always 500":                          {get, answers{status(500, "{}")}, 4, jittered(3), true},
		"always lost":                         {get, answers{nil}, 4, jittered(3), true},
		"final 503": {get, answers{status(503, "{}", "X-Should-Retry", "false")}, 1, exactly(0),
			true},
		"conflict":                             {create, answers{status(409, "{}")}, 1, exactly(0), true},
		"invalid request":                      {create, answers{status(400, "{}")}, 1, exactly(0), true},
		"501":                                  {get, answers{status(501, "{}")}, 1, exactly(0), true},
		"an answer that is not what it should": {get, answers{status(200, "<html>")}, 1, exactly(0), true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := answering(t, test.answers...)
				err := test.call(t.Context(), c)
				if (err != nil) != test.failed || len(s.requests) != test.requests {
					t.Errorf("%d requests, %v", len(s.requests), err)
				}
				if waited := time.Since(start); waited < test.waits.least || waited > test.waits.most {
					t.Errorf("waited %v, want %v to %v", waited, test.waits.least, test.waits.most)
				}
			})
		})
	}
}

func TestAllAttemptsAreTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := answering(t, nil, status(http.StatusInternalServerError, ""), status(http.StatusCreated, ada))
		if err := create(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if want := `{"email":"ada@example.com","name":"Ada","role":"user"}`; !slices.Equal(s.bodies,
			[]string{want, want, want}) {
			t.Error("sent", s.bodies)
		}
		keys := []string{}
		for _, r := range s.requests {
			keys = append(keys, r.Header.Get("Idempotency-Key"))
		}
		isUUID := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).
			MatchString(keys[0])
		if !isUUID || !slices.Equal(keys, []string{keys[0], keys[0], keys[0]}) {
			t.Error("sent the keys", keys)
		}
		if err := create(t.Context(), c); err != nil || s.requests[3].Header.Get("Idempotency-Key") == keys[0] {
			t.Errorf("another call has the same key: %v", err)
		}
	})
}

func TestIdempotencyKeyOfTheCaller(t *testing.T) {
	s, c := answering(t, status(http.StatusCreated, `{"data":{}}`))
	if _, err := c.CreateProject(t.Context(), client.CreateProjectJSONBody{}, client.IdempotencyKey("row-7")); err != nil {
		t.Fatal(err)
	}
	if got := s.requests[0].Header.Get("Idempotency-Key"); got != "row-7" {
		t.Error("sent", got)
	}
	if err := c.DeleteUser(t.Context(), "u1", client.IdempotencyKey("row-8")); err == nil || len(s.requests) != 1 {
		t.Errorf("an operation without keys gets one: %v", err)
	}
}

func TestRetriesCanBeSwitchedOff(t *testing.T) {
	s := &service{answers: []func(http.ResponseWriter){nil}}
	c, err := client.New("https://portal.example.com", "", client.WithTransport(s), client.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := get(t.Context(), c); !errors.Is(err, errLost) || len(s.requests) != 1 {
		t.Errorf("%d requests, %v", len(s.requests), err)
	}
}

func TestEachWaitIsAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := status(http.StatusTooManyRequests, `{"code":"RATE_LIMITED"}`, "Retry-After", "30")
		s := &service{answers: []func(http.ResponseWriter){busy, nil, busy}}
		var waits []time.Duration
		var causes []error
		c, err := client.New("https://portal.example.com", "", client.WithTransport(s), client.WithRetries(2),
			client.WithWaitNotice(func(wait time.Duration, cause error) { waits, causes = append(waits, wait), append(causes, cause) }))
		if err != nil {
			t.Fatal(err)
		}
		if err := get(t.Context(), c); err == nil || len(waits) != 2 || waits[0] != 30*time.Second ||
			waits[0]+waits[1] != time.Since(start) {
			t.Fatalf("announced %v in %v: %v", waits, time.Since(start), err)
		}
		refused, ok := errors.AsType[*client.Error](causes[0])
		if !ok || refused.Code != client.ProblemCodeRATELIMITED || !errors.Is(causes[1], errLost) {
			t.Errorf("the causes are %v", causes)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if err := get(ctx, c); err == nil || len(waits) != 2 {
			t.Errorf("a wait beyond the deadline is announced: %v", err)
		}
	})
}

func TestContextEndsTheWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := answering(t, status(http.StatusTooManyRequests, `{"code":"RATE_LIMITED"}`, "Retry-After", "30"))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		err := get(ctx, c)
		if refused, ok := errors.AsType[*client.Error](err); !ok || refused.Code != client.ProblemCodeRATELIMITED ||
			time.Since(start) != 0 {
			t.Errorf("a wait beyond the deadline is %v after %v", err, time.Since(start))
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(5*time.Second, cancel)
		if err := get(ctx, c); err == nil || time.Since(start) != 5*time.Second || len(s.requests) != 2 {
			t.Errorf("a canceled wait is %v after %v", err, time.Since(start))
		}
	})
}

// hanging answers no request.
type hanging struct{ requests int }

func (h *hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	h.requests++
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestTimeoutIsThatOfAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hanging{}
		c, err := client.New("https://portal.example.com", "", client.WithTransport(h), client.WithTimeout(10*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		err = get(t.Context(), c)
		waited := time.Since(start) - 40*time.Second
		if !errors.Is(err, context.DeadlineExceeded) || h.requests != 4 || waited < jittered(3).least || waited > jittered(3).
			most {
			t.Errorf("%d attempts in %v: %v", h.requests, time.Since(start), err)
		}
	})
}

// TestUnknownCertificateIsFinal uses a real server, whose certificate the client does not know.
func TestUnknownCertificateIsFinal(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	server.Config.ErrorLog = nil
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS13}}
	c, err := client.New(server.URL, "", client.WithTransport(transport))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](get(t.Context(), c)); !ok {
		t.Error("the client accepts an unknown certificate")
	}
}
