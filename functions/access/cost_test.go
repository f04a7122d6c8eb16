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
)

// TestCallsOfAToken counts all calls of a request, authentication and rate limit included.
func TestCallsOfAToken(t *testing.T) {
	d := newDepot(t)
	client, meter := awstest.Metered(awstest.DynamoDB(t))
	d.table = credentialsdynamo.New(client, awstest.Table(t, client, "CredentialsTable"))
	d.store = tokensdynamo.New(client, d.table)
	secret := credentials.Mint(credentials.AccessToken)
	first := credentials.Credential{
		ID: secret.ID(), Kind: credentials.AccessToken, Hash: secret.Hash(), Scopes: []string{"read:helm-charts"},
		Owner: credentials.Owner{ID: newID(), Role: principal.Manager, Active: true}, CreatedAt: d.now, ExpiresAt: d.now.Add(day),
	}
	err := transactions.Write(t.Context(), client,
		append(d.table.Issue(first), d.table.Tally(first.Owner.ID, credentialsdynamo.Change{Issued: 1})))
	if err != nil {
		t.Fatal(err)
	}
	machine := d.machine(secret.Reveal())
	for _, step := range []struct {
		what string
		most int
		do   func()
	}{
		{"create", 3, func() { machine.Post("/api/v1/tokens", forQuarter).Is(http.StatusCreated) }},
		{"get", 2, func() { machine.Get("/api/v1/tokens/" + secret.ID()).Is(http.StatusOK) }},
		{"get of no id", 1, func() { machine.Get("/api/v1/tokens/x").Is(http.StatusNotFound) }},
		{"refused input", 1, func() { machine.Post("/api/v1/tokens", `{}`).Is(http.StatusBadRequest) }},
		{"garbage", 0, func() { d.machine("garbage").Get("/api/v1/tokens").Is(http.StatusUnauthorized) }},
		{"leaked garbage", 0, func() { d.visitor().Post("/api/v1/tokens/revoke", `{"token":"x"}`).Is(http.StatusNoContent) }},
	} {
		meter.Reset()
		step.do()
		if meter.Calls() > step.most {
			t.Errorf("%s: %d calls, want at most %d", step.what, meter.Calls(), step.most)
		}
	}
}
