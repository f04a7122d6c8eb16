package main

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
	"portside/shared/entitlements"
	"portside/shared/web"
	"portside/shared/web/resource"
)

type createEntitlementInput struct {
	CustomerPath
	resource.Idempotency
	Body struct {
		Artifact   entitlement.Artifact `json:"artifact" enum:"chart,image" doc:"chart: charts of the Helm repository, and chart artifacts of the registry. image: everything in a repository of the registry." example:"chart"`
		Repository string               `json:"repository" doc:"Name of the chart or repository, a folder with /*, or * for all; at most 255 characters." example:"acme/api"`
		Versions   string               `json:"versions,omitempty" default:"*" minLength:"1" doc:"Constraint of semantic versions in the syntax of Helm, such as >=1.2.0 <3.0.0; at most 100 characters. * means all versions and tags." example:"^1.2.0"`
		From       string               `json:"from,omitempty" format:"date-time" doc:"Beginning. Default: it holds at once." example:"2026-04-01T00:00:00Z"`
		Until      string               `json:"until,omitempty" format:"date-time" doc:"End, exclusive. Default: it has no end." example:"2027-04-01T00:00:00Z"`
	}
}

// Resolve implements huma.Resolver. It adds the failures of the domain to the failures of the schema.
func (in *createEntitlementInput) Resolve(huma.Context) []error {
	return web.Failures(in.entitlement().Check())
}

func (in *createEntitlementInput) entitlement() entitlements.New {
	b := in.Body
	return entitlements.New{
		Artifact: b.Artifact, Repository: b.Repository, Versions: b.Versions, From: timeOf(b.From), Until: timeOf(b.Until),
	}
}

// timeOf returns the time of a text that the schema accepts, or the zero time for an empty one. Times are decoded from
// texts, because package time accepts fewer of them as JSON than the schema does, and has no other value for none.
func timeOf(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err == nil && at.IsZero() {
		return at.Add(1) // the domain refuses it, and does not take it for none
	}
	return at
}

type createEntitlementOutput struct {
	resource.Version
	resource.Creation
	Body entitlementBody
}

var createEntitlement = huma.Operation{
	OperationID: "createEntitlement", Tags: entitlementTags,
	Summary: "Create an entitlement", DefaultStatus: http.StatusCreated,
	Description: "Lets the users of the customer fetch some versions of some charts or images, in a period. A customer without " +
		"entitlements fetches nothing. Entitlements add up: what any of them allows, the customer may fetch. The scopes of a token " +
		"or password still apply.\n\nA customer can have 200 entitlements. Another one gets a 409 with the code " +
		"`TOO_MANY_ENTITLEMENTS`. With an `Idempotency-Key` you can safely repeat the request for 24 hours: the same body gets the " +
		"first response again with `Idempotency-Replayed: true`, and a different body gets a 422.",
	Errors: web.BodyErrors(http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity),
}

func (s *service) createEntitlement(ctx context.Context, in *createEntitlementInput) (*createEntitlementOutput, error) {
	caller, _ := principal.From(ctx)
	customerID := resource.CanonicalID(in.CustomerID)
	request := entitlements.CreateOptions{Caller: caller, CustomerID: customerID, IdempotencyKey: in.IdempotencyKey}
	created, err := s.entitlements.Create(ctx, request, in.entitlement())
	if err != nil {
		return nil, err
	}
	e := created.Entitlement
	return &createEntitlementOutput{
		Version:  resource.VersionOf(e.Version),
		Creation: resource.CreatedAt(path+"/"+customerID+"/entitlements/"+e.ID, created.Replayed),
		Body:     entitlementBody{encodeEntitlement(e, e.CreatedAt)}, // so a replay is the first response
	}, nil
}

// ReadOnlyEntitlement has the fields of an entitlement that an update cannot change.
type ReadOnlyEntitlement struct {
	ID        web.ReadOnly `json:"id,omitempty" hidden:"true"`
	Status    web.ReadOnly `json:"status,omitempty" hidden:"true"`
	CreatedAt web.ReadOnly `json:"createdAt,omitempty" hidden:"true"`
	UpdatedAt web.ReadOnly `json:"updatedAt,omitempty" hidden:"true"`
}

type updateEntitlementInput struct {
	EntitlementPath
	resource.Condition
	Body struct {
		ReadOnlyEntitlement

		Artifact   *entitlement.Artifact `json:"artifact,omitempty" enum:"chart,image" doc:"chart: charts of the Helm repository, and chart artifacts of the registry. image: everything in a repository of the registry." example:"image"`
		Repository *string               `json:"repository,omitempty" doc:"Name of the chart or repository, a folder with /*, or * for all; at most 255 characters." example:"acme/api"`
		Versions   *string               `json:"versions,omitempty" doc:"Constraint of semantic versions in the syntax of Helm, such as >=1.2.0 <3.0.0; at most 100 characters. * means all versions and tags." example:"^2.0.0"`
		From       *string               `json:"from,omitempty" format:"date-time" nullable:"true" doc:"Beginning. Null removes it." example:"2026-05-01T00:00:00Z"`
		Until      *string               `json:"until,omitempty" format:"date-time" nullable:"true" doc:"End, exclusive. Null removes it." example:"2027-05-01T00:00:00Z"`
	}
}

// Resolve implements huma.Resolver.
func (in *updateEntitlementInput) Resolve(ctx huma.Context) []error {
	failures := web.ApplyNulls(ctx, &in.Body)
	return web.Failures(append(failures, in.change().Check()...))
}

func (in *updateEntitlementInput) change() entitlements.Change {
	b := in.Body
	change := entitlements.Change{Artifact: b.Artifact, Repository: b.Repository, Versions: b.Versions}
	if b.From != nil {
		change.From = new(timeOf(*b.From))
	}
	if b.Until != nil {
		change.Until = new(timeOf(*b.Until))
	}
	return change
}

var updateEntitlement = huma.Operation{
	OperationID: "updateEntitlement", Tags: entitlementTags,
	Summary: "Change an entitlement",
	Description: "Changes the fields in the body and leaves other fields unchanged. To remove `from` or `until`, set it to null. The " +
		"change takes effect with the next request of each credential.",
	Errors: web.BodyErrors(http.StatusNotFound, http.StatusPreconditionFailed),
}

func (s *service) updateEntitlement(ctx context.Context, in *updateEntitlementInput) (*entitlementOutput, error) {
	caller, _ := principal.From(ctx)
	target := in.entitlement(in.Condition)
	err := web.CheckReadOnly(in.Body, target.Target, func() (any, int64, error) {
		stored, err := s.entitlements.Get(ctx, caller, target.CustomerID, target.ID)
		return encodeEntitlement(stored, s.now()), stored.Version, err
	})
	if err != nil {
		return nil, err
	}
	updated, err := s.entitlements.Update(ctx, target, in.change())
	if err != nil {
		return nil, err
	}
	return s.entitlementOutput(updated), nil
}
