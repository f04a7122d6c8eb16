package main

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/entitlements"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// Status says whether an entitlement is in effect.
type Status string

// The states of an entitlement.
const (
	Scheduled Status = "scheduled"
	Active    Status = "active"
	Ended     Status = "ended"
)

// statusOf returns the status of an entitlement at the given time.
func statusOf(e entitlement.Entitlement, at time.Time) Status {
	switch {
	case e.InEffect(at):
		return Active
	case at.Before(e.From):
		return Scheduled
	default:
		return Ended
	}
}

// Entitlement is an entitlement in a response.
type Entitlement struct {
	ID         string               `json:"id" format:"uuid" doc:"UUIDv7; never changes." example:"01939f6f-1d3c-7b4e-9a55-3d7c1f0e8b64"`
	Artifact   entitlement.Artifact `json:"artifact" enum:"chart,image" doc:"chart: charts of the Helm repository, and chart artifacts of the registry. image: everything in a repository of the registry." example:"chart"`
	Repository string               `json:"repository" doc:"Name of the chart or repository, a folder with /*, or * for all." example:"acme/api"`
	Versions   string               `json:"versions" doc:"Constraint of the versions, or * for all versions and tags." example:"^1.2.0"`
	From       *time.Time           `json:"from" doc:"UTC; null if it holds from the beginning." example:"2026-04-01T00:00:00Z"`
	Until      *time.Time           `json:"until" doc:"UTC, exclusive; null if it has no end." example:"2027-04-01T00:00:00Z"`
	Status     Status               `json:"status" enum:"scheduled,active,ended" doc:"Whether it is in effect now." example:"active"`
	CreatedAt  time.Time            `json:"createdAt" doc:"UTC." example:"2026-03-02T09:15:30.250Z"`
	UpdatedAt  time.Time            `json:"updatedAt" doc:"UTC; time of the last change." example:"2026-03-02T09:15:30.250Z"`
}

// encodeEntitlement returns an entitlement with its status at the given time.
func encodeEntitlement(e entitlement.Entitlement, at time.Time) Entitlement {
	return Entitlement{
		ID: e.ID, Artifact: e.Artifact, Repository: e.Repository, Versions: e.Versions.String(), From: web.NullIfZero(e.From),
		Until: web.NullIfZero(e.Until), Status: statusOf(e, at), CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
	}
}

// entitlementBody is the body of a response with one entitlement.
type entitlementBody struct {
	Data Entitlement `json:"data"`
}

type entitlementOutput struct {
	resource.Version
	Body entitlementBody
}

func (s *service) entitlementOutput(e entitlement.Entitlement) *entitlementOutput {
	return &entitlementOutput{Version: resource.VersionOf(e.Version), Body: entitlementBody{encodeEntitlement(e, s.now())}}
}

type listEntitlementsInput struct {
	CustomerPath
	web.Paging
}

type listEntitlementsOutput struct {
	Body struct {
		Data       []Entitlement  `json:"data"`
		Pagination web.Pagination `json:"pagination"`
	}
}

var listEntitlements = huma.Operation{
	OperationID: "listEntitlements", Tags: entitlementTags,
	Summary: "List the entitlements of a customer",
	Description: "Returns one page of the customer's entitlements in the order of their creation, with the exact total. Users of a " +
		"customer see only the entitlements of that customer.",
	Errors: []int{http.StatusNotFound},
}

func (s *service) listEntitlements(ctx context.Context, in *listEntitlementsInput) (*listEntitlementsOutput, error) {
	caller, _ := principal.From(ctx)
	all, err := s.entitlements.List(ctx, caller, resource.CanonicalID(in.CustomerID))
	if err != nil {
		return nil, err
	}
	out, now := &listEntitlementsOutput{}, s.now()
	page, pagination, err := web.PageOf(in.Paging, all, func(e entitlement.Entitlement) string { return e.ID })
	if err != nil {
		return nil, err
	}
	out.Body.Pagination = pagination
	out.Body.Data = make([]Entitlement, len(page))
	for i, e := range page {
		out.Body.Data[i] = encodeEntitlement(e, now)
	}
	return out, nil
}

// EntitlementPath has the path parameters of operations on one entitlement.
type EntitlementPath struct {
	CustomerPath

	EntitlementID string `path:"entitlementId" format:"uuid" doc:"ID of the entitlement." example:"01939f6f-1d3c-7b4e-9a55-3d7c1f0e8b64"`
}

func (p EntitlementPath) entitlement(c resource.Condition) entitlements.Target {
	return entitlements.Target{
		CustomerID: resource.CanonicalID(p.CustomerID),
		Target:     versions.Target{ID: resource.CanonicalID(p.EntitlementID), IfMatch: c.Wanted()},
	}
}

var getEntitlement = huma.Operation{
	OperationID: "getEntitlement", Tags: entitlementTags,
	Summary: "Get an entitlement",
	Description: "Returns one entitlement. The `ETag` identifies the version; send it in `If-Match` to change only this version. " +
		"`status` changes with time, and does not change the `ETag`.",
	Errors: []int{http.StatusNotFound},
}

func (s *service) getEntitlement(ctx context.Context, in *EntitlementPath) (*entitlementOutput, error) {
	caller, _ := principal.From(ctx)
	e, err := s.entitlements.Get(ctx, caller, resource.CanonicalID(in.CustomerID), resource.CanonicalID(in.EntitlementID))
	if err != nil {
		return nil, err
	}
	return s.entitlementOutput(e), nil
}

type deleteEntitlementInput struct {
	EntitlementPath
	resource.Condition
}

var deleteEntitlement = huma.Operation{
	OperationID: "deleteEntitlement", Tags: entitlementTags,
	Summary: "Delete an entitlement", DefaultStatus: http.StatusNoContent,
	Description: "Deletes an entitlement permanently. From the next request on, the customer can fetch " +
		"only what its other entitlements allow. To keep the entitlement, set `until` instead.",
	Errors: []int{http.StatusNotFound, http.StatusPreconditionFailed},
}

func (s *service) deleteEntitlement(ctx context.Context, in *deleteEntitlementInput) (*struct{}, error) {
	return nil, s.entitlements.Delete(ctx, in.entitlement(in.Condition))
}
