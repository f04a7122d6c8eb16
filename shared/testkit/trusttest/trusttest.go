// Package trusttest creates a trust policy, and tokens that meet it, for tests of functions.
package trusttest

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/transactions"
	"portside/shared/trust"
	"portside/shared/trust/trustdynamo"
	"portside/shared/web/resource"
	"portside/testclient/workloadtest"
)

// CustomerID is the ID of the customer that NewPolicy creates.
const CustomerID = "0199cccc-0000-7000-8000-000000000001"

const (
	issuer   = "https://token.actions.githubusercontent.com"
	audience = "https://portside.example.com"
)

// Policy is a trust policy for jobs of the branch main of acme/app. Its tokens have all scopes of charts, and those of
// images in acme.
type Policy struct {
	ID  string
	Key workloadtest.Key // signs the jobs' tokens
}

// NewPolicy creates a customer with a trust policy.
func NewPolicy(tb testing.TB, client *dynamodb.Client, table *credentialsdynamo.Table, now func() time.Time) Policy {
	tb.Helper()
	customer := []types.TransactWriteItem{table.Customers.Add(CustomerID, customerstates.State{})}
	if err := transactions.Write(tb.Context(), client, customer); err != nil {
		tb.Fatal(err)
	}
	key := workloadtest.NewKey("1", "ES256")
	policies := trust.NewService(trustdynamo.New(client, table), resource.NewID, now)
	created, err := policies.Create(tb.Context(), trust.CreateOptions{CustomerID: CustomerID, Caller: principal.Operator()}, trust.New{
		Name: "Builds", Issuer: issuer, Audience: audience, Keys: workloadtest.KeySet(key),
		Conditions: []trust.Condition{{Claim: "sub", Values: []string{"repo:acme/app:ref:refs/heads/main"}}},
		Scopes:     []principal.Scope{principal.ReadCharts, principal.ReadImages + ":acme/*"}, MaxMinutes: 10,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return Policy{ID: created.Policy.ID, Key: key}
}

// Claims returns the claims of a job that meets the policy.
func (p Policy) Claims(at time.Time) workloadtest.Claims {
	return workloadtest.GitHub(issuer, audience, at)
}

// Token returns the token of a job that meets the policy.
func (p Policy) Token(at time.Time) string { return p.Key.Sign(p.Claims(at)) }
