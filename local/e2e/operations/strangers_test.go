package operations

import (
	"fmt"
	"hash/crc32"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portside/local/e2e/e2etest"
	"portside/local/stack"
)

// TestStrangersLeaveRenewalsAlone has strangers use up the concurrency of the function for requests without a
// credential. Meanwhile pipelines can renew their tokens, although the strangers have more connections than all
// functions have executions.
//
//proves:docs/security.md
func TestStrangersLeaveRenewalsAlone(t *testing.T) {
	p := e2etest.StartWith(t, stack.Options{
		Concurrency: 4, DynamoDBDelay: 50 * time.Millisecond,
		Parameters: map[string]string{"AnonymousConcurrency": "2", "AnonymousRequestsPerSecond": "5000"},
	})
	root := p.Admin(t)
	const lines, renewals = 5, 2
	tokens := make([]string, lines)
	for i := range tokens {
		body := fmt.Sprintf(`{"name":"pipeline %d","scopes":["read:helm-charts"]}`, i)
		tokens[i] = root.Post("/api/v1/tokens", body).WantStatus(http.StatusCreated).Text("data.token")
		p.Secrets.Add(tokens[i])
	}

	var sent, refused, reported atomic.Int64
	ended := make(chan struct{})
	var strangers sync.WaitGroup
	for range 12 {
		strangers.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
				}
				unknown := unknownToken(sent.Add(1))
				a, err := p.Anonymous(t).Send(http.MethodPost, "/api/v1/tokens/revoke", `{"token":"`+unknown+`"}`)
				switch {
				case err != nil:
					t.Error(err)
					return
				case a.Status == http.StatusServiceUnavailable, a.Status == http.StatusTooManyRequests:
					refused.Add(1)
				default:
					a.WantStatus(http.StatusNoContent)
					reported.Add(1)
				}
			}
		})
	}
	defer strangers.Wait()
	defer close(ended)
	for range renewals {
		for i, token := range tokens {
			body := fmt.Sprintf(`{"name":"pipeline %d","scopes":["read:helm-charts"]}`, i)
			tokens[i] = p.WithToken(t, token).Post("/api/v1/tokens", body).WantStatus(http.StatusCreated).Text("data.token")
			p.Secrets.Add(tokens[i])
		}
	}
	if refused.Load() == 0 || reported.Load() == 0 {
		t.Errorf("%d reports were refused and %d accepted, so the strangers did not fill the function", refused.Load(),
			reported.Load())
	}
}

// unknownToken returns a well-formed token that does not exist; docs/security.md has the form.
func unknownToken(number int64) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	text := fmt.Sprintf("pst_%012d_%030d", number, number)
	sum, tail := crc32.ChecksumIEEE([]byte(text)), make([]byte, 6)
	for i := len(tail) - 1; i >= 0; i-- {
		tail[i], sum = digits[sum%62], sum/62
	}
	return text + string(tail)
}
