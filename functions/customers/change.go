package main

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/customers"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// ReadOnlyCustomer has the fields of a customer that an update cannot change.
type ReadOnlyCustomer struct {
	ID        web.ReadOnly `json:"id,omitempty" hidden:"true"`
	Users     web.ReadOnly `json:"users,omitempty" hidden:"true"`
	CreatedAt web.ReadOnly `json:"createdAt,omitempty" hidden:"true"`
	UpdatedAt web.ReadOnly `json:"updatedAt,omitempty" hidden:"true"`
}

type updateCustomerInput struct {
	CustomerPath
	resource.Condition
	Body struct {
		ReadOnlyCustomer

		Name       *string              `json:"name,omitempty" doc:"1 to 200 characters." example:"Acme Logistics"`
		Slug       *string              `json:"slug,omitempty" doc:"Unique; 1 to 63 lower-case letters and digits, in words joined by single hyphens." example:"acme-logistics"`
		Status     *customers.Status    `json:"status,omitempty" enum:"active,suspended" doc:"The credentials of a suspended customer's users do not work." example:"suspended"`
		ExternalID *string              `json:"externalId,omitempty" nullable:"true" doc:"Unique ID of the customer in another system; at most 200 characters. Null or empty removes it." example:"C-1816"`
		Contacts   []ContactInput       `json:"contacts,omitempty" nullable:"true" doc:"At most 20 people. Replaces all contacts; null or an empty list removes them."`
		Limits     *CustomerLimitsInput `json:"limits,omitempty" doc:"Limits of the customer. Only those in the object change."`
		Metadata   web.Object           `json:"metadata,omitempty" nullable:"true" doc:"Any JSON object, at most 16 KB and 8 levels. PUT replaces the current one, PATCH merges into it; null empties it." example:"{\"region\":\"apac\"}"`
	}
}

// Resolve implements huma.Resolver.
func (in *updateCustomerInput) Resolve(ctx huma.Context) []error {
	failures := web.ApplyNulls(ctx, &in.Body)
	return web.Failures(append(failures, in.change(false).Check()...))
}

func (in *updateCustomerInput) change(isPatch bool) customers.Change {
	b := in.Body
	change := customers.Change{
		IsPatch: isPatch,
		Name:    b.Name, Slug: b.Slug, Status: b.Status, ExternalID: b.ExternalID, Contacts: contactsOf(b.Contacts),
		Metadata: json.RawMessage(b.Metadata),
	}
	if b.Limits != nil {
		change.MaxUsers, change.MaxRequests = b.Limits.Users, b.Limits.RequestsPerMinute
	}
	return change
}

var updateCustomer = huma.Operation{
	OperationID: "updateCustomer", Tags: tags, Summary: "Change a customer",
	Description: "Changes the fields in the body and leaves other fields unchanged. `contacts` and `metadata` are each replaced " +
		"completely. To remove the limit of users, set `users` of `limits` to null.\n\nIf you suspend a customer, all credentials of " +
		"its users stop working with the next request. They work again when the customer is `active` again. A limit below the present number of users only stops new users.",
	Errors: web.BodyErrors(http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed),
}

func (s *service) update(ctx context.Context, in *updateCustomerInput) (*customerOutput, error) {
	return s.change(ctx, in, in.change(false))
}

var patchCustomer = huma.Operation{
	OperationID: "patchCustomer", Tags: tags, Summary: "Patch a customer",
	Description: "Changes a customer as `PUT` does, with a JSON Merge Patch (RFC 7396): `metadata` is merged into the current one, " +
		"and a member of it that is null is removed. `contacts` is replaced completely.",
	Errors: web.BodyErrors(http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed),
}

func (s *service) patch(ctx context.Context, in *updateCustomerInput) (*customerOutput, error) {
	return s.change(ctx, in, in.change(true))
}

func (s *service) change(ctx context.Context, in *updateCustomerInput,
	change customers.Change) (*customerOutput, error) {
	caller, _ := principal.From(ctx)
	target := in.target(in.Condition)
	err := web.CheckReadOnly(in.Body, target, func() (any, int64, error) {
		stored, err := s.customers.Get(ctx, caller, target.ID)
		return encodeCustomer(stored), stored.Version, err
	})
	if err != nil {
		return nil, err
	}
	customer, err := s.customers.Update(ctx, target, change)
	if err != nil {
		return nil, err
	}
	return newCustomerOutput(customer), nil
}
