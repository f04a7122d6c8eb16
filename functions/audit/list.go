package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/audit"
	coreaudit "portside/shared/core/audit"
	"portside/shared/core/calendar"
	"portside/shared/core/paging"
	"portside/shared/core/principal"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// actionFilter is an action, or all actions of a kind.
type actionFilter string

// Schema implements huma.SchemaProvider.
func (actionFilter) Schema(huma.Registry) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString}
	for _, filter := range audit.Filters() {
		schema.Enum = append(schema.Enum, string(filter))
	}
	return schema
}

// targetFilter is the kind and the ID of a target.
type targetFilter string

// Schema implements huma.SchemaProvider. Sessions, credentials and tables have IDs that are not UUIDs.
func (targetFilter) Schema(huma.Registry) *huma.Schema {
	others := []string{string(coreaudit.Session), string(coreaudit.Credential), string(coreaudit.Table)}
	var kinds []string
	for _, action := range coreaudit.Actions() {
		kind := string(action.Kind())
		if !slices.Contains(kinds, kind) && !slices.Contains(others, kind) {
			kinds = append(kinds, kind)
		}
	}
	return &huma.Schema{
		Type: huma.TypeString, MaxLength: new(300),
		Pattern: "^((" + strings.Join(kinds, "|") + "):[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|(" + strings.Join(others, "|") +
			"):[!-~]+)$",
		PatternDescription: "a kind and an ID, such as user:01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11; a slug or an email address is no ID",
	}
}

type listInput struct {
	From       string       `query:"from" doc:"Start of the period: a date in UTC or an RFC 3339 time. Default: 30 days before to." example:"2026-11-01"`
	To         string       `query:"to" doc:"End of the period: a date in UTC, which is included, or an RFC 3339 time, which is excluded. Default: today. At most 400 days after from." example:"2026-11-21"`
	ActorID    string       `query:"actorId" format:"uuid" doc:"Only changes by this user, or by workloads of this trust policy." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	CustomerID string       `query:"customerId" format:"uuid" doc:"Only changes of what belongs to this customer." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
	Target     targetFilter `query:"target" doc:"Only changes of this target: its kind and ID, as kind:ID. The ID is a UUID, except for sessions, credentials and tables." example:"user:01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
	Action     actionFilter `query:"action" doc:"Only this action, or all actions of a kind, as user.*." example:"user.update"`
	Order      string       `query:"order" enum:"newest,oldest" default:"newest" doc:"Which events come first."`
	web.CursorPaging
}

// Resolve implements huma.Resolver.
func (in *listInput) Resolve(huma.Context) []error { return web.Failures(in.period().Check()) }

func (in *listInput) period() calendar.Period { return calendar.Period{From: in.From, To: in.To} }

// target returns the target of the filter.
func (in *listInput) target() coreaudit.Target {
	kind, id, _ := strings.Cut(string(in.Target), ":")
	return coreaudit.Target{Kind: coreaudit.Kind(kind), ID: resource.CanonicalID(id)}
}

// after returns the position of the cursor.
func (in *listInput) after() (audit.Position, error) {
	position, err := in.After()
	if err == nil && position != "" && !audit.Position(position).IsValid() {
		err = paging.ErrCursor
	}
	return audit.Position(position), err
}

type listOutput struct {
	Body struct {
		Data       Events               `json:"data"`
		Pagination web.CursorPagination `json:"pagination"`
	}
}

var listEvents = huma.Operation{
	OperationID: "listAuditEvents", Tags: []string{"Audit log"},
	Summary: "List changes",
	Description: "Returns who changed what and when, with the values before and after. The log has each change of users, credentials, " +
		"credential requests, projects, customers, entitlements and trust policies, and sign-ins. Events contain no secrets. An event is " +
		"listed within moments after the change and for 400 days. The guide to the audit log describes the actions.\n\n" +
		"A user of a customer sees only events about what belongs to this customer. Of actors who do not belong to it, such a user sees only " +
		"the `kind`.\n\nA page can have fewer items than its limit although there is a next page. As CSV, an event is a record with the " +
		"columns `id`, `time`, `action`, `actorKind`, `actorId`, `actorCustomerId`, `credentialId`, `actorName`, `address`, `targetKind`, " +
		"`targetId`, `targetName`, `customerId`, `requestId`, `before` and `after`; the last two are JSON.",
}

func (h *handlers) list(ctx context.Context, in *listInput) (*listOutput, error) {
	caller, _ := principal.From(ctx)
	from, to, err := in.period().Bounds(h.now(), time.Microsecond)
	if err != nil {
		return nil, err
	}
	after, err := in.after()
	if err != nil {
		return nil, err
	}
	page, err := h.log.List(ctx, caller, audit.Query{
		ActorID: resource.CanonicalID(in.ActorID), CustomerID: resource.CanonicalID(in.CustomerID), Target: in.target(),
		Action: coreaudit.Action(in.Action), From: from, To: to, OldestFirst: in.Order == "oldest", After: after, Limit: in.Limit,
	})
	if err != nil {
		return nil, err
	}
	out := &listOutput{}
	out.Body.Data = make(Events, len(page.Events))
	for i, event := range page.Events {
		out.Body.Data[i] = encodeEvent(event)
	}
	out.Body.Pagination = in.Pagination(paging.Position(page.Next))
	return out, nil
}
