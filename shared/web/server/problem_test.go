package server

import (
	"fmt"
	"testing"
	"time"

	"portside/shared/core/fault"
)

func TestUnavailableHasRetryAfterInSeconds(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		0: "1", -time.Second: "1", time.Millisecond: "1", time.Second: "1", 1001 * time.Millisecond: "2", 40 * time.Second: "40",
		59500 * time.Millisecond: "60", time.Hour: "60",
	} {
		busy := &fault.Error{Kind: fault.Unavailable, Detail: "busy", RetryAfter: wait}
		p := ProblemOf(fmt.Errorf("ask: %w", busy))
		if got := p.Header.Get("Retry-After"); got != want || p.Status != 503 {
			t.Errorf("%v: status %d, Retry-After %s; want 503, %s", wait, p.Status, got, want)
		}
	}
	other := &fault.Error{Kind: fault.NotFound, Detail: "nothing", RetryAfter: time.Second}
	if got := ProblemOf(other).Header.Get("Retry-After"); got != "" {
		t.Errorf("a 404 has Retry-After %s", got)
	}
}

func TestOnlyFaultsOfOAuthHaveItsMembers(t *testing.T) {
	refused := fault.Invalid(fault.Field{Pointer: "/scope", Detail: "is unknown"}).OAuth("invalid_scope")
	p := ProblemOf(fmt.Errorf("exchange: %w", refused))
	if p.OAuthError != "invalid_scope" || p.OAuthDescription != p.Detail || p.Detail == "" || p.Status != 400 {
		t.Errorf("problem %+v", p)
	}
	if p := ProblemOf(fault.New(fault.Conflict, "taken")); p.OAuthError != "" || p.OAuthDescription != "" {
		t.Errorf("problem %+v", p)
	}
}
