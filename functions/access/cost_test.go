package main

import (
	"net/http"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/web/resource"
)

// TestTokenRequestsMakeFewCalls counts all calls of a request, including the two calls of authentication and the rate
// limit, which happen at the same time.
func TestTokenRequestsMakeFewCalls(t *testing.T) {
	d := newFixture(t)
	client, meter := awstest.Metered(awstest.DynamoDB(t))
	d.table = credentialsdynamo.New(client, awstest.Table(t, client, "CredentialsTable"), awstest.Table(t, client, "RequestCountsTable"))
	d.store = tokensdynamo.New(client, d.table)
	secret := credentials.Mint(credentials.AccessToken)
	first := credentials.Credential{
		ID: secret.ID(), Kind: credentials.AccessToken, Hash: secret.Hash(), Scopes: []string{"read:helm-charts"},
		Owner: credentials.Owner{ID: resource.NewID(), Role: principal.Manager, Active: true}, CreatedAt: d.now, ExpiresAt: d.now.Add(day),
		Line: secret.ID(), LineEndsAt: d.now.Add(2 * day),
	}
	err := transactions.Write(t.Context(), client,
		append(d.table.Writes.Issue(first), d.table.Writes.Tally(first.Owner.ID, credentialsdynamo.Change{Issued: 1})))
	if err != nil {
		t.Fatal(err)
	}
	machine := d.withToken(secret.Reveal())
	for range 3 { // the first use of a credential takes one more call, and so does the third in a minute, which counts for the owner
		machine.Get("/api/v1/tokens").WantStatus(http.StatusOK)
	}
	for _, step := range []struct {
		name     string
		maxCalls int
		run      func()
	}{
		{"create", 3, func() { machine.Post("/api/v1/tokens", forQuarter).WantStatus(http.StatusCreated) }},
		{"list", 4, func() { machine.Get("/api/v1/tokens").WantStatus(http.StatusOK) }},
		{"get", 4, func() { machine.Get("/api/v1/tokens/" + secret.ID()).WantStatus(http.StatusOK) }},
		{"get with an invalid ID", 2, func() { machine.Get("/api/v1/tokens/x").WantStatus(http.StatusNotFound) }},
		{"invalid input", 2, func() { machine.Post("/api/v1/tokens", `{}`).WantStatus(http.StatusBadRequest) }},
		{"invalid token", 0, func() { d.withToken("garbage").Get("/api/v1/tokens").WantStatus(http.StatusUnauthorized) }},
		{"invalid leaked token", 0, func() { d.report("x") }},
	} {
		t.Run(step.name, func(t *testing.T) {
			meter.Reset()
			step.run()
			if meter.Calls() > step.maxCalls {
				t.Errorf("%d calls, want at most %d", meter.Calls(), step.maxCalls)
			}
		})
	}
}
