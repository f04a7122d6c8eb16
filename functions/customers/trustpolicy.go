package main

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/trust"
	"portside/shared/web"
	"portside/shared/web/resource"
)

type createTrustPolicyInput struct {
	CustomerPath
	resource.Idempotency
	Body struct {
		Name       string            `json:"name" doc:"1 to 100 characters." example:"Builds of the app"`
		Issuer     string            `json:"issuer" doc:"The claim iss of the tokens: an https address without query, of at most 255 characters." example:"https://token.actions.githubusercontent.com"`
		Audience   string            `json:"audience" doc:"A value of the claim aud of the tokens; 1 to 255 printable characters without spaces. Use one that no other service has, such as the address of this one." example:"https://portside.example.com"`
		Conditions []TrustCondition  `json:"conditions" minItems:"1" maxItems:"10" doc:"Conditions on the claims of the tokens; all of them apply. One of them must name the account that you trust, because an issuer such as GitHub signs for everybody: each of its values must begin with the ID or the whole name of an owner or a repository."`
		Scopes     []principal.Scope `json:"scopes" minItems:"1" maxItems:"20" doc:"What an access token may download at most: read:helm-charts and read:docker-images, optionally limited to names." example:"[\"read:helm-charts\",\"read:docker-images:acme/*\"]"`
		MaxMinutes int               `json:"maxMinutes,omitempty" minimum:"1" maximum:"60" default:"15" doc:"For how many minutes an access token works." example:"5"`
		Keys       string            `json:"jwks,omitempty" doc:"The JSON Web Key Set (RFC 7517) of the issuer, as text of at most 32 KB, for an issuer that is not at a public address. Default: the keys are read from the issuer." example:"{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"1\",\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}"`
	}
}

// Resolve implements huma.Resolver. It adds the failures of the domain to the failures of the schema.
func (in *createTrustPolicyInput) Resolve(huma.Context) []error {
	return web.Failures(append(checkForms(in.Body.Conditions), in.policy().Check()...))
}

func (in *createTrustPolicyInput) policy() trust.New {
	b := in.Body
	return trust.New{
		Name: b.Name, Issuer: b.Issuer, Audience: b.Audience, Conditions: decodeConditions(b.Conditions), Scopes: b.Scopes,
		MaxMinutes: b.MaxMinutes, Keys: b.Keys,
	}
}

type createTrustPolicyOutput struct {
	resource.Version
	resource.Creation
	Body trustPolicyBody
}

var createTrustPolicy = huma.Operation{
	OperationID: "createTrustPolicy", Tags: policyTags,
	Summary: "Create a trust policy", DefaultStatus: http.StatusCreated,
	Description: "Lets pipelines and pods of the customer exchange a token of their platform for an access token, so that they need no " +
		"stored secret. The policy says which tokens are accepted: their issuer, their audience and conditions on their claims. The " +
		"entitlements of the customer apply to the access tokens.\n\nOne condition must name the identity that you trust, such as " +
		"`repository_id`, `repository_owner_id` or the beginning of `sub` for GitHub, because a public issuer signs for everybody. " +
		"Without such a condition, the response is a 400 that says which one to add.\n\nThe issuer must publish its OpenID Connect " +
		"configuration and its keys at public https addresses. For one that does not, send its keys in `jwks`, and change them when it " +
		"does.\n\n" +
		"A customer can have 50 trust policies. Another one gets a 409 with the code `TOO_MANY_TRUST_POLICIES`. With an " +
		"`Idempotency-Key` you can safely repeat the request for 24 hours: the same body gets the first response again with " +
		"`Idempotency-Replayed: true`, and a different body gets a 422.",
	Errors: web.BodyErrors(http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity),
}

func (s *service) createTrustPolicy(ctx context.Context, in *createTrustPolicyInput) (*createTrustPolicyOutput, error) {
	caller, _ := principal.From(ctx)
	customerID := resource.CanonicalID(in.CustomerID)
	request := trust.CreateOptions{Caller: caller, CustomerID: customerID, IdempotencyKey: in.IdempotencyKey}
	created, err := s.policies.Create(ctx, request, in.policy())
	if err != nil {
		return nil, err
	}
	p := created.Policy
	return &createTrustPolicyOutput{
		Version:  resource.VersionOf(p.Version),
		Creation: resource.CreatedAt(path+"/"+customerID+"/trust-policies/"+p.ID, created.Replayed),
		Body:     trustPolicyBody{encodeTrustPolicy(p)},
	}, nil
}

// ReadOnlyTrustPolicy has the fields of a trust policy that an update cannot change.
type ReadOnlyTrustPolicy struct {
	ID        web.ReadOnly `json:"id,omitempty" hidden:"true"`
	CreatedAt web.ReadOnly `json:"createdAt,omitempty" hidden:"true"`
	UpdatedAt web.ReadOnly `json:"updatedAt,omitempty" hidden:"true"`
}

type updateTrustPolicyInput struct {
	TrustPolicyPath
	resource.Condition
	Body struct {
		ReadOnlyTrustPolicy

		Name       *string            `json:"name,omitempty" doc:"1 to 100 characters." example:"Deployments of the app"`
		Issuer     *string            `json:"issuer,omitempty" doc:"The claim iss of the tokens: an https address without query, of at most 255 characters." example:"https://gitlab.example.com"`
		Audience   *string            `json:"audience,omitempty" doc:"A value of the claim aud of the tokens; 1 to 255 printable characters without spaces." example:"portside.example.com"`
		Conditions *[]TrustCondition  `json:"conditions,omitempty" minItems:"1" maxItems:"10" doc:"Conditions on the claims of the tokens; all of them apply. Replaced completely."`
		Scopes     *[]principal.Scope `json:"scopes,omitempty" minItems:"1" maxItems:"20" doc:"What an access token may download at most. Replaced completely." example:"[\"read:docker-images:acme/*\"]"`
		MaxMinutes *int               `json:"maxMinutes,omitempty" minimum:"1" maximum:"60" doc:"For how many minutes an access token works." example:"30"`
		Keys       *string            `json:"jwks,omitempty" doc:"The JSON Web Key Set (RFC 7517) of the issuer, as text of at most 32 KB. With an empty text, the keys are read from the issuer." example:"{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"2\",\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}"`
	}
}

// Resolve implements huma.Resolver.
func (in *updateTrustPolicyInput) Resolve(ctx huma.Context) []error {
	failures := web.ApplyNulls(ctx, &in.Body)
	if in.Body.Conditions != nil {
		failures = append(failures, checkForms(*in.Body.Conditions)...)
	}
	return web.Failures(append(failures, in.change().Check()...))
}

func (in *updateTrustPolicyInput) change() trust.Change {
	b := in.Body
	change := trust.Change{
		Name: b.Name, Issuer: b.Issuer, Audience: b.Audience, Scopes: b.Scopes, MaxMinutes: b.MaxMinutes, Keys: b.Keys,
	}
	if b.Conditions != nil {
		change.Conditions = new(decodeConditions(*b.Conditions))
	}
	return change
}

var updateTrustPolicy = huma.Operation{
	OperationID: "updateTrustPolicy", Tags: policyTags,
	Summary: "Change a trust policy",
	Description: "Changes the fields in the body and leaves other fields unchanged. The change takes effect with the next exchange. " +
		"Access tokens that were issued before work until they expire.",
	Errors: web.BodyErrors(http.StatusNotFound, http.StatusPreconditionFailed),
}

func (s *service) updateTrustPolicy(ctx context.Context, in *updateTrustPolicyInput) (*trustPolicyOutput, error) {
	caller, _ := principal.From(ctx)
	target := in.policy(in.Condition)
	err := web.CheckReadOnly(in.Body, target.Target, func() (any, int64, error) {
		stored, err := s.policies.Get(ctx, caller, target.CustomerID, target.ID)
		return encodeTrustPolicy(stored), stored.Version, err
	})
	if err != nil {
		return nil, err
	}
	updated, err := s.policies.Update(ctx, target, in.change())
	if err != nil {
		return nil, err
	}
	return newTrustPolicyOutput(updated), nil
}
