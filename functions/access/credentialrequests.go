package main

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/web"
)

// CredentialRequest is a request with all that happened to it.
type CredentialRequest struct {
	ID            string                    `json:"id" format:"uuid" doc:"UUIDv7; never changes." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Status        credentialrequests.Status `json:"status" enum:"pending,approved,denied,collected,expired" doc:"approved: a link to collect the password is out; expired: nobody used it in time."`
	AccessLevel   credentialrequests.Level  `json:"accessLevel" enum:"charts,images,full"`
	Justification string                    `json:"justification" example:"Our staging cluster pulls your images."`
	UserID        string                    `json:"userId" format:"uuid" doc:"Who asks."`
	CreatedAt     time.Time                 `json:"createdAt" doc:"UTC."`
	DueAt         time.Time                 `json:"dueAt" doc:"When a decision is due: one business day on, Monday to Friday in UTC. What comes on a weekend is due at the end of Monday."`
	DecidedBy     *string                   `json:"decidedBy" doc:"User id; null while pending."`
	DecidedAt     *time.Time                `json:"decidedAt" doc:"UTC; null while pending."`
	Reason        *string                   `json:"reason" doc:"Of the decision; null where none was given."`
	CollectBy     *time.Time                `json:"collectBy" doc:"UTC; when the mailed link ends. Null until it is mailed."`
	CredentialID  *string                   `json:"credentialId" doc:"Public id of the password; null until it is collected." example:"3vQB7B6MrGQZ"`
	Events        []RequestEvent            `json:"events" doc:"Everything that happened, oldest first."`
}

// RequestEvent is one entry of a request's trail.
type RequestEvent struct {
	At     time.Time                 `json:"at" doc:"UTC."`
	Actor  string                    `json:"actor" doc:"User id, or system." example:"system"`
	Action credentialrequests.Action `json:"action" enum:"requested,approved,denied,mailed,collected,withdrawn,expired"`
	Detail string                    `json:"detail" doc:"A reason, or what exactly happened; may be empty."`
}

func requestForm(r credentialrequests.Request) CredentialRequest {
	form := CredentialRequest{
		ID: r.ID, Status: r.Status, AccessLevel: r.Level, Justification: r.Justification, UserID: r.UserID,
		CreatedAt: r.CreatedAt, DueAt: r.DueAt, DecidedBy: optional(r.DecidedBy), DecidedAt: optional(r.DecidedAt),
		Reason: optional(r.Reason), CollectBy: optional(r.CollectBy), CredentialID: optional(r.CredentialID),
		Events: make([]RequestEvent, len(r.Events)),
	}
	for i, e := range r.Events {
		form.Events[i] = RequestEvent{At: e.At, Actor: e.Actor, Action: e.Action, Detail: e.Detail}
	}
	return form
}

type createRequestInput struct {
	Body struct {
		AccessLevel   credentialrequests.Level `json:"accessLevel" enum:"charts,images,full" doc:"charts: read:helm-charts; images: read:docker-images; full: both."`
		Justification string                   `json:"justification" doc:"1 to 2000 characters, for whoever decides." example:"Our staging cluster pulls your images."`
	}
	host string
}

// Resolve implements huma.Resolver: it adds the domain's failures to those of the schema, and notes the host.
func (in *createRequestInput) Resolve(ctx huma.Context) []error {
	in.host = ctx.Host()
	return web.Failures(in.request().Check())
}

func (in *createRequestInput) request() credentialrequests.New {
	return credentialrequests.New{Level: in.Body.AccessLevel, Justification: in.Body.Justification}
}

type createRequestOutput struct {
	Location string `header:"Location" doc:"Where the request is." example:"/api/v1/credential-requests/01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Body     requestBody
}

// requestBody is the envelope of one request.
type requestBody struct {
	Data CredentialRequest `json:"data"`
}

func (h *handlers) createRequest(ctx context.Context, in *createRequestInput) (*createRequestOutput, error) {
	caller, _ := principal.From(ctx)
	made, err := h.requests.Create(ctx, caller, h.portal(in.host), in.request())
	if err != nil {
		return nil, err
	}
	return &createRequestOutput{
		Location: "/api/v1/credential-requests/" + made.ID, Body: requestBody{Data: requestForm(made)},
	}, nil
}

// portal is the address that mailed links begin with.
func (h *handlers) portal(host string) string {
	if h.baseURL != "" {
		return h.baseURL
	}
	return "https://" + host
}

type listRequestsInput struct {
	Status credentialrequests.Status `query:"status" enum:"pending,approved,denied,collected,expired" doc:"Only requests of this status."`
	Limit  int                       `query:"limit" default:"20" minimum:"1" maximum:"100" doc:"Requests on a page."`
	Before string                    `query:"before" format:"uuid" doc:"Only requests older than the one with this id: pagination.next of the page before."`
}

type listRequestsOutput struct {
	Body struct {
		Data       []CredentialRequest `json:"data"`
		Pagination struct {
			Limit   int     `json:"limit" doc:"Most that a page has." example:"20"`
			HasMore bool    `json:"hasMore" doc:"Whether there is a page after this one."`
			Next    *string `json:"next" doc:"What before must be for the next page; null on the last one."`
		} `json:"pagination"`
	}
}

func (h *handlers) listRequests(ctx context.Context, in *listRequestsInput) (*listRequestsOutput, error) {
	caller, _ := principal.From(ctx)
	page, err := h.requests.List(ctx, caller, credentialrequests.Query{Status: in.Status, Before: in.Before, Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	out := &listRequestsOutput{}
	out.Body.Data = make([]CredentialRequest, len(page.Requests))
	for i, r := range page.Requests {
		out.Body.Data[i] = requestForm(r)
	}
	out.Body.Pagination.Limit, out.Body.Pagination.Next = in.Limit, optional(page.Next)
	out.Body.Pagination.HasMore = page.Next != ""
	return out, nil
}

type requestInput struct {
	RequestID string `path:"requestId" format:"uuid" doc:"Id of the request." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
}

type requestOutput struct {
	Body requestBody
}

func (h *handlers) getRequest(ctx context.Context, in *requestInput) (*requestOutput, error) {
	caller, _ := principal.From(ctx)
	found, err := h.requests.Get(ctx, caller, in.RequestID)
	if err != nil {
		return nil, err
	}
	return &requestOutput{Body: requestBody{Data: requestForm(found)}}, nil
}

type decideInput struct {
	RequestID string `path:"requestId" format:"uuid" doc:"Id of the request." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Body      *decisionBody
	host      string
}

// decisionBody is what an approver may say.
type decisionBody struct {
	Reason string `json:"reason,omitempty" doc:"At most 1000 characters; the requester's mail has it." example:"Agreed with your account manager."`
}

// Resolve implements huma.Resolver.
func (in *decideInput) Resolve(ctx huma.Context) []error {
	in.host = ctx.Host()
	return web.Failures(credentialrequests.CheckReason(in.reason()))
}

func (in *decideInput) reason() string {
	if in.Body == nil {
		return ""
	}
	return in.Body.Reason
}

func (h *handlers) approveRequest(ctx context.Context, in *decideInput) (*requestOutput, error) {
	return h.decide(ctx, in, true)
}

func (h *handlers) denyRequest(ctx context.Context, in *decideInput) (*requestOutput, error) {
	return h.decide(ctx, in, false)
}

func (h *handlers) decide(ctx context.Context, in *decideInput, approve bool) (*requestOutput, error) {
	caller, _ := principal.From(ctx)
	decided, err := h.requests.Decide(ctx, caller, credentialrequests.Decision{
		ID: in.RequestID, Approve: approve, Reason: in.reason(), BaseURL: h.portal(in.host),
	})
	if err != nil {
		return nil, err
	}
	return &requestOutput{Body: requestBody{Data: requestForm(decided)}}, nil
}

type collectInput struct {
	Body struct {
		Token string `json:"token" doc:"What stands behind the # of the mailed address." example:"psl_…"`
	}
}

// Password is a password that was just made.
type Password struct {
	Username  string    `json:"username" doc:"The password works with exactly this user name." example:"example-7f3k2q5m"`
	Password  string    `json:"password" doc:"Shown this once." example:"psp_…"`
	Scopes    []string  `json:"scopes" doc:"What it may fetch." example:"[\"read:helm-charts\"]"`
	ExpiresAt time.Time `json:"expiresAt" doc:"UTC."`
}

type collectOutput struct {
	Body struct {
		Data Password `json:"data"`
	}
}

func (h *handlers) collect(ctx context.Context, in *collectInput) (*collectOutput, error) {
	made, err := h.requests.Collect(ctx, in.Body.Token)
	if err != nil {
		return nil, err
	}
	out := &collectOutput{}
	out.Body.Data = Password{
		Username: made.Username, Password: made.Secret.Reveal(), Scopes: made.Scopes, ExpiresAt: made.ExpiresAt,
	}
	return out, nil
}
