package main

import (
	"net/http"
	"testing"

	"portside/shared/core/principal"
)

func TestOperatorLimitsTheDaysOfTokens(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	const (
		path     = "/api/v1/tokens"
		without  = `{"name":"n","scopes":["read:helm-charts"]}`
		forMonth = `{"name":"n","scopes":["read:helm-charts"],"expiration_days":31}`
	)
	before := d.withKey(key).Post(path, without).WantStatus(http.StatusCreated).
		WantValue("data.expiresAt", "2026-05-31T09:00:00Z").
		Text("data.token")
	d.maxDays = 30
	d.withKey(key).Post(path, without).WantStatus(http.StatusCreated).WantValue("data.expiresAt", "2026-04-01T09:00:00Z")
	d.withKey(key).Post(path, forMonth).WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "/expiration_days").
		WantValue("errors.0.detail", "must be at most 30, the maximum that the operator of this service has set")
	// A renewal that asks for more days gets the maximum.
	d.anonymous().With("Authorization", "Bearer "+before).Post(path, forMonth).WantStatus(http.StatusCreated).
		WantValue("data.expiresAt", "2026-04-01T09:00:00Z")
}
