package credentialsdynamo_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/customerstates"
)

// limitRequests sets the limit of requests of a customer.
func (s *fixture) limitRequests(id string, limit int64) {
	s.tb.Helper()
	if at := s.write(s.table.Customers.Set(id, customerstates.State{MaxRequests: limit})); at != -1 {
		s.tb.Fatal("the customer does not exist")
	}
}

// tokensOf returns tokens of as many users of a customer, which is empty for the vendor's staff.
func (s *fixture) tokensOf(customerID string, n int) []string {
	s.tb.Helper()
	texts := make([]string, n)
	for i := range texts {
		c, secret := minted()
		c.Owner.ID, c.Owner.CustomerID = "user-"+c.ID, customerID
		if at := s.issue(c); at != -1 {
			s.tb.Fatalf("write %d failed", at)
		}
		texts[i] = secret.Reveal()
	}
	return texts
}

// customerLimits is an Authenticator with a clock.
type customerLimits struct {
	*fixture
	auth *credentials.Authenticator
	at   time.Time
}

// newCustomerLimits returns an Authenticator with a limit for each credential. The first customer may make some
// requests per minute.
func newCustomerLimits(tb testing.TB, each int, requests int64) *customerLimits {
	tb.Helper()
	l := &customerLimits{fixture: newFixtureWithCustomers(tb), at: noon}
	l.auth = credentials.NewAuthenticator(l.table.Requests, each, func() time.Time { return l.at })
	l.limitRequests(customer, requests)
	return l
}

// allows sends a request and reports whether it is allowed. It fails the test if the request is refused for another
// reason than the customer's limit.
func (l *customerLimits) allows(text string) bool {
	_, allowance, err := l.auth.Authenticate(l.tb.Context(), text, credentials.AccessToken, credentials.Session)
	if err == nil {
		return true
	}
	if !errors.Is(err, credentials.ErrCustomerRateLimited) || allowance.Remaining != 0 || allowance.Reset < time.Second {
		l.tb.Errorf("refused with %v, %+v", err, allowance)
	}
	return false
}

// allowed sends rounds of a request with each of the texts and returns how many are allowed.
func (l *customerLimits) allowed(texts []string, rounds int) (n int) {
	for range rounds {
		for _, text := range texts {
			if l.allows(text) {
				n++
			}
		}
	}
	return n
}

// Users of a customer who make one request each can make exactly as many as the limit. Nobody else notices.
//
//proves:docs/security.md
func TestCustomersHaveOneLimit(t *testing.T) {
	const limit = 40
	for name, each := range map[string]int{"with rate limits": 100, "without rate limits": 0} {
		t.Run(name, func(t *testing.T) {
			l := newCustomerLimits(t, each, limit)
			texts := l.tokensOf(customer, limit+5)
			if n := l.allowed(texts, 1); n != limit {
				t.Errorf("%d requests were allowed, want %d", n, limit)
			}
			refused := texts[limit:]
			if n := l.allowed(refused, 3); n != 0 {
				t.Errorf("%d requests above the limit were allowed", n)
			}
			secret, session := credentials.NewSession(credentials.Owner{ID: owner, CustomerID: customer, Active: true}, "Firefox", noon)
			l.write(l.table.Writes.Issue(session)...)
			if l.allows(secret.Reveal()) {
				t.Error("a session does not count for the customer")
			}
			for who, id := range map[string]string{"another customer": otherCustomer, "the staff": ""} {
				if n := l.allowed(l.tokensOf(id, 1), 2*limit); n != 2*limit {
					t.Errorf("%s made %d requests, want %d", who, n, 2*limit)
				}
			}
			l.at = l.at.Add(time.Minute)
			if n := l.allowed(refused, 1); n != len(refused) {
				t.Errorf("%d requests were allowed in the next minute, want %d", n, len(refused))
			}
		})
	}
}

// Credentials that make many requests exceed the limit by less than a tenth, and use more than half of it.
func TestCustomersCountInBlocks(t *testing.T) {
	for _, c := range []struct{ limit, credentials int }{{1, 2}, {3, 1}, {9, 3}, {50, 7}, {150, 1}, {330, 40}} {
		t.Run(fmt.Sprintf("limit %d, %d credentials", c.limit, c.credentials), func(t *testing.T) {
			l := newCustomerLimits(t, 1000, int64(c.limit))
			n := l.allowed(l.tokensOf(customer, c.credentials), 2*c.limit/c.credentials+4)
			t.Logf("%d requests passed", n)
			if least, most := c.limit/2+1, c.limit+max(1, c.limit/10)-1; n < least || n > most {
				t.Errorf("%d requests were allowed, want %d to %d", n, least, most)
			}
		})
	}
}

// A changed or removed limit takes effect at once for a credential that was not refused yet.
func TestCustomersLimitCanChange(t *testing.T) {
	l := newCustomerLimits(t, 100, 1)
	texts := l.tokensOf(customer, 4)
	if n := l.allowed(texts[:2], 1); n != 1 {
		t.Errorf("%d requests were allowed, want 1", n)
	}
	l.limitRequests(customer, 2)
	if n := l.allowed(texts[2:], 1); n != 1 {
		t.Errorf("%d requests were allowed with a higher limit, want 1", n)
	}
	l.limitRequests(customer, 0)
	if n := l.allowed(l.tokensOf(customer, 1), 50); n != 50 {
		t.Errorf("%d requests were allowed without a limit, want 50", n)
	}
}

// Requests at the same time exceed the limit by at most those in progress.
func TestCustomersLimitHoldsForConcurrentRequests(t *testing.T) {
	const limit, workers = 30, 4
	l := newCustomerLimits(t, 1000, limit)
	texts := l.tokensOf(customer, workers)
	var n atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() { n.Add(int64(l.allowed(texts, limit/2))) })
	}
	all.Wait()
	if least, most := int64(limit/2), int64(limit+limit/10+workers*workers); n.Load() < least || n.Load() > most {
		t.Errorf("%d requests were allowed, want %d to %d", n.Load(), least, most)
	}
}

// The requests that begin a block take one call and one write unit more, and most take none. The first
// refused request of a credential takes two, and its later ones take none.
func TestCustomersLimitCosts(t *testing.T) {
	l := newCustomerLimits(t, 1000, 80)
	text := l.tokensOf(customer, 1)[0]
	_ = l.allowed([]string{text}, 1)
	l.at = l.at.Add(time.Minute)
	for i := 1; i <= 87; i++ { // the block of the 80th request ends with the 87th
		more := 0
		if i%10 == 3 { // it counts for the owner
			more++
		}
		if i < 8 && i&(i-1) == 0 || i%8 == 0 {
			more++
		}
		l.meter.Reset()
		if !l.allows(text) {
			t.Errorf("request %d was refused", i)
		}
		l.costs("a request", 2+more, 2, float64(1+more))
	}
	for _, more := range []int{2, 0, 0} {
		l.meter.Reset()
		if l.allows(text) {
			t.Error("a request above the limit was allowed")
		}
		l.costs("a refused request", 2+more, 2, float64(1+more))
	}
}

// together counts for owners and customers with another table.
type together struct {
	*credentialsdynamo.Requests

	counts *credentialsdynamo.Requests
}

func (s together) CountOwner(ctx context.Context, c credentials.Credential, block credentials.Block, at time.Time) (bool, error) {
	return s.counts.CountOwner(ctx, c, block, at)
}

func (s together) CountCustomer(ctx context.Context, c credentials.Credential, block credentials.Block, at time.Time) (bool, error) {
	return s.counts.CountCustomer(ctx, c, block, at)
}

// TestOwnerAndCustomerCountAtOnce makes a request wait until it counts for both.
func TestOwnerAndCustomerCountAtOnce(t *testing.T) {
	l := newCustomerLimits(t, 100, 10)
	text := l.tokensOf(customer, 1)[0]
	_ = l.allowed([]string{text}, 2)
	ctx, cancel := context.WithTimeout(t.Context(), meetingTimeout)
	defer cancel()
	auth := credentials.NewAuthenticator(together{l.table.Requests, l.meeting(2).Requests}, 100, func() time.Time { return noon })
	if _, _, err := auth.Authenticate(ctx, text, credentials.AccessToken); err != nil {
		t.Error(err)
	}
}
