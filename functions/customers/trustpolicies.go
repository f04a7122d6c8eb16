package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/checks"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/trust"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// TrustCondition is a condition of a trust policy, in requests and responses.
type TrustCondition struct {
	Claim  string   `json:"claim" doc:"Name of a claim, or JSON pointer (RFC 6901) to a value inside one, such as /kubernetes.io/namespace; at most 100 characters." example:"ref"`
	Value  string   `json:"value,omitempty" doc:"The required value of the claim: an exact value, or a pattern; at most 255 bytes. * stands for one or more characters other than :, / and @. At the end of a path, as in refs/heads/*, it also stands for / and @. Either value or values is required. Responses have it if there is one value." example:"refs/heads/main"`
	Values []string `json:"values,omitempty" minItems:"1" maxItems:"10" doc:"Several exact values or patterns; the claim must match one of them. Responses have it if there is more than one value." example:"[\"refs/heads/main\",\"refs/heads/release/*\"]"`
}

// TransformSchema implements huma.SchemaTransformer. It sets the example of a condition, because the examples of the
// fields together would have both value and values.
func (TrustCondition) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Examples = []any{map[string]any{"claim": "repository_id", "value": "74"}}
	return s
}

func encodeConditions(all []trust.Condition) []TrustCondition {
	encoded := make([]TrustCondition, len(all))
	for i, c := range all {
		encoded[i] = TrustCondition{Claim: c.Claim, Values: c.Values}
		if len(c.Values) == 1 {
			encoded[i] = TrustCondition{Claim: c.Claim, Value: c.Values[0]}
		}
	}
	return encoded
}

func decodeConditions(all []TrustCondition) []trust.Condition {
	decoded := make([]trust.Condition, len(all))
	for i, c := range all {
		decoded[i] = trust.Condition{Claim: c.Claim, Values: c.Values}
		if len(c.Values) == 0 {
			decoded[i].Values = []string{c.Value}
		}
	}
	return decoded
}

// checkForms returns a failure for each condition with both value and values, because one of the two would be ignored.
func checkForms(all []TrustCondition) []fault.Field {
	var failures checks.Failures
	for i, c := range all {
		if c.Value != "" && len(c.Values) > 0 {
			failures.Add(fmt.Sprintf("/conditions/%d/values", i), "must not be sent together with value")
		}
	}
	return failures.Fields()
}

// TrustPolicy is a trust policy in a response.
type TrustPolicy struct {
	ID         string            `json:"id" format:"uuid" doc:"UUIDv7; never changes. An exchange of tokens names it." example:"01939f6f-1d3c-7b4e-9a55-3d7c1f0e8b64"`
	Name       string            `json:"name" example:"Builds of the app"`
	Issuer     string            `json:"issuer" doc:"The claim iss of the tokens." example:"https://token.actions.githubusercontent.com"`
	Audience   string            `json:"audience" doc:"A value of the claim aud of the tokens." example:"https://portside.example.com"`
	Conditions []TrustCondition  `json:"conditions" doc:"Conditions on the claims of the tokens; all of them apply."`
	Scopes     []principal.Scope `json:"scopes" doc:"What an access token may download at most." example:"[\"read:helm-charts\",\"read:docker-images:acme/*\"]"`
	MaxMinutes int               `json:"maxMinutes" doc:"For how many minutes an access token works." example:"15"`
	Keys       string            `json:"jwks" doc:"The JSON Web Key Set (RFC 7517) of the issuer, as text; empty if it is read from the issuer." example:"{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"1\",\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}"`
	CreatedAt  time.Time         `json:"createdAt" doc:"UTC." example:"2026-03-02T09:15:30.250Z"`
	UpdatedAt  time.Time         `json:"updatedAt" doc:"UTC; time of the last change." example:"2026-03-02T09:15:30.250Z"`
}

func encodeTrustPolicy(p trust.Policy) TrustPolicy {
	return TrustPolicy{
		ID: p.ID, Name: p.Name, Issuer: p.Issuer, Audience: p.Audience, Conditions: encodeConditions(p.Conditions),
		Scopes:     p.Scopes,
		MaxMinutes: p.MaxMinutes, Keys: p.Keys, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
	}
}

// trustPolicyBody is the body of a response with one trust policy.
type trustPolicyBody struct {
	Data TrustPolicy `json:"data"`
}

type trustPolicyOutput struct {
	resource.Version
	Body trustPolicyBody
}

func newTrustPolicyOutput(p trust.Policy) *trustPolicyOutput {
	return &trustPolicyOutput{Version: resource.VersionOf(p.Version), Body: trustPolicyBody{encodeTrustPolicy(p)}}
}

type listTrustPoliciesInput struct {
	CustomerPath
	web.Paging
}

type listTrustPoliciesOutput struct {
	Body struct {
		Data       []TrustPolicy  `json:"data"`
		Pagination web.Pagination `json:"pagination"`
	}
}

var listTrustPolicies = huma.Operation{
	OperationID: "listTrustPolicies", Tags: policyTags,
	Summary: "List the trust policies of a customer",
	Description: "Returns one page of the customer's trust policies in the order of their creation, with the exact total. Users of a " +
		"customer see only the trust policies of that customer.",
	Errors: []int{http.StatusNotFound},
}

func (s *service) listTrustPolicies(ctx context.Context, in *listTrustPoliciesInput) (*listTrustPoliciesOutput, error) {
	caller, _ := principal.From(ctx)
	all, err := s.policies.List(ctx, caller, resource.CanonicalID(in.CustomerID))
	if err != nil {
		return nil, err
	}
	out := &listTrustPoliciesOutput{}
	page, pagination, err := web.PageOf(in.Paging, all, func(p trust.Policy) string { return p.ID })
	if err != nil {
		return nil, err
	}
	out.Body.Pagination = pagination
	out.Body.Data = make([]TrustPolicy, len(page))
	for i, p := range page {
		out.Body.Data[i] = encodeTrustPolicy(p)
	}
	return out, nil
}

// TrustPolicyPath has the path parameters of operations on one trust policy.
type TrustPolicyPath struct {
	CustomerPath

	PolicyID string `path:"policyId" format:"uuid" doc:"ID of the trust policy." example:"01939f6f-1d3c-7b4e-9a55-3d7c1f0e8b64"`
}

func (p TrustPolicyPath) policy(c resource.Condition) trust.Target {
	return trust.Target{
		CustomerID: resource.CanonicalID(p.CustomerID), Target: versions.Target{ID: resource.CanonicalID(p.PolicyID), IfMatch: c.Wanted()},
	}
}

var getTrustPolicy = huma.Operation{
	OperationID: "getTrustPolicy", Tags: policyTags,
	Summary:     "Get a trust policy",
	Description: "Returns one trust policy. The `ETag` identifies the version; send it in `If-Match` to change only this version.",
	Errors:      []int{http.StatusNotFound},
}

func (s *service) getTrustPolicy(ctx context.Context, in *TrustPolicyPath) (*trustPolicyOutput, error) {
	caller, _ := principal.From(ctx)
	p, err := s.policies.Get(ctx, caller, resource.CanonicalID(in.CustomerID), resource.CanonicalID(in.PolicyID))
	if err != nil {
		return nil, err
	}
	return newTrustPolicyOutput(p), nil
}

type deleteTrustPolicyInput struct {
	TrustPolicyPath
	resource.Condition
}

var deleteTrustPolicy = huma.Operation{
	OperationID: "deleteTrustPolicy", Tags: policyTags,
	Summary: "Delete a trust policy", DefaultStatus: http.StatusNoContent,
	Description: "Deletes a trust policy permanently. It accepts no more tokens. Access tokens that were issued before work until they " +
		"expire, at most an hour later; to stop all at once, suspend the customer.",
	Errors: []int{http.StatusNotFound, http.StatusPreconditionFailed},
}

func (s *service) deleteTrustPolicy(ctx context.Context, in *deleteTrustPolicyInput) (*struct{}, error) {
	return nil, s.policies.Delete(ctx, in.policy(in.Condition))
}
