package main

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// CredentialRequest is a credential request with its history.
type CredentialRequest struct {
	ID            string                    `json:"id" format:"uuid" doc:"UUIDv7; never changes." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Status        credentialrequests.Status `json:"status" enum:"pending,approved,denied,collected,expired" doc:"approved means that the requester was sent a link to collect the password; expired means that the link was not used in time."`
	AccessLevel   credentialrequests.Level  `json:"accessLevel" enum:"charts,images,full"`
	Justification string                    `json:"justification" example:"Our staging cluster pulls your images."`
	UserID        string                    `json:"userId" format:"uuid" doc:"ID of the requester." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Requester     *RequestPerson            `json:"requester" doc:"Who made the request; null without credentials:approve and after the user was deleted."`
	CreatedAt     time.Time                 `json:"createdAt" doc:"UTC."`
	DueAt         time.Time                 `json:"dueAt" doc:"When a decision is due: after one business day, Monday to Friday in UTC. A request made on a weekend is due at the end of Monday."`
	DecidedBy     *string                   `json:"decidedBy" doc:"User ID; null while the request is pending."`
	Decider       *RequestPerson            `json:"decider" doc:"Who decided; null without credentials:approve, while the request is pending, and after the user was deleted."`
	DecidedAt     *time.Time                `json:"decidedAt" doc:"UTC; null while the request is pending."`
	Reason        *string                   `json:"reason" doc:"Reason for the decision; null if none was given."`
	CollectBy     *time.Time                `json:"collectBy" doc:"UTC. When the link in the mail expires; null until it is sent."`
	CredentialID  *string                   `json:"credentialId" doc:"Public ID of the password; null until it is collected." example:"3vQB7B6MrGQZ"`
	Events        []RequestEvent            `json:"events" doc:"History of the request, oldest first."`
	Makers        []resource.Maker          `json:"makers" nullable:"false" doc:"Who really made the request: the requester, with the credential that was used; then who created that credential, and so on, up to a sign-in."`
	Deciders      []resource.Maker          `json:"deciders" nullable:"false" doc:"The same for the decision; empty while the request is pending. No user is both here and in makers."`
}

// RequestPerson is a person in a credential request.
type RequestPerson struct {
	_ struct{} `nullable:"true"`

	Email string `json:"email" format:"email" example:"ada@example.com"`
	Name  string `json:"name" example:"Ada Lovelace"`
}

// RequestEvent is one entry in the history of a request.
type RequestEvent struct {
	At     time.Time                 `json:"at" doc:"UTC."`
	Actor  string                    `json:"actor" doc:"User ID, or system." example:"system"`
	Action credentialrequests.Action `json:"action" enum:"requested,approved,denied,mailed,collected,withdrawn,expired"`
	Detail string                    `json:"detail" doc:"A reason or details; may be empty." example:"Needed for the nightly build."`
}

func encodePerson(people map[string]principal.Person, id string) *RequestPerson {
	if p, known := people[id]; known {
		return &RequestPerson{Email: p.Email, Name: p.Name}
	}
	return nil
}

func encodeRequest(r credentialrequests.Request, people map[string]principal.Person) CredentialRequest {
	encoded := CredentialRequest{
		ID: r.ID, Status: r.Status, AccessLevel: r.Level, Justification: r.Justification, UserID: r.UserID,
		CreatedAt: r.CreatedAt, DueAt: r.DueAt, DecidedBy: web.NullIfZero(r.DecidedBy), DecidedAt: web.NullIfZero(r.DecidedAt),
		Requester: encodePerson(people, r.UserID), Decider: encodePerson(people, r.DecidedBy),
		Reason: web.NullIfZero(r.Reason), CollectBy: web.NullIfZero(r.CollectBy), CredentialID: web.NullIfZero(r.CredentialID),
		Events: make([]RequestEvent, len(r.Events)), Makers: resource.EncodeMakers(r.Makers), Deciders: resource.EncodeMakers(r.Deciders),
	}
	for i, e := range r.Events {
		encoded.Events[i] = RequestEvent{At: e.At, Actor: e.Actor, Action: e.Action, Detail: e.Detail}
	}
	return encoded
}

type createRequestInput struct {
	resource.Idempotency
	Body struct {
		AccessLevel   credentialrequests.Level `json:"accessLevel" enum:"charts,images,full" doc:"charts grants read:helm-charts, images grants read:docker-images, full grants both."`
		Justification string                   `json:"justification" doc:"1 to 2000 characters, for the person who decides." example:"Our staging cluster pulls your images."`
	}
	host string
}

// Resolve implements huma.Resolver. It adds the failures of the domain to the failures of the schema, and records the
// host.
func (in *createRequestInput) Resolve(ctx huma.Context) []error {
	in.host = ctx.Host()
	return web.Failures(in.request().Check())
}

func (in *createRequestInput) request() credentialrequests.New {
	return credentialrequests.New{
		Level: in.Body.AccessLevel, Justification: in.Body.Justification, IdempotencyKey: in.IdempotencyKey,
	}
}

type createRequestOutput struct {
	resource.Creation
	Body requestBody
}

// requestBody is the body of a response with one request.
type requestBody struct {
	Data CredentialRequest `json:"data"`
}

var createCredentialRequest = huma.Operation{
	OperationID: "createCredentialRequest",
	Tags:        []string{"Credential requests"}, Summary: "Request a password", DefaultStatus: http.StatusCreated,
	Description: "Requests a user name and password for charts, images or both. All users with `credentials:approve` get a mail, " +
		"and one of them, but not the requester, decides. Within an hour after such a mail, further requests of the customer's users are " +
		"collected, and one mail announces all of them. A user can have at most 5 pending requests. All users of a customer together can " +
		"make 100 requests on one day (UTC), and the vendor's staff 1,000; then the response is a 429 with the code `QUOTA_EXCEEDED`.\n\n" +
		"With an `Idempotency-Key` you can safely repeat the request for 24 hours: the same body gets the first response again with `Idempotency-Replayed: true`, and a different body gets a 422.",
	Errors: web.BodyErrors(http.StatusConflict, http.StatusUnprocessableEntity), Extensions: map[string]any{web.OwnLimit: true},
}

func (h *handlers) createRequest(ctx context.Context, in *createRequestInput) (*createRequestOutput, error) {
	caller, _ := principal.From(ctx)
	made, err := h.requests.Create(ctx, caller, web.BaseURL(h.baseURL, in.host), in.request())
	if err != nil {
		return nil, err
	}
	return &createRequestOutput{
		Creation: resource.CreatedAt("/api/v1/credential-requests/"+made.Request.ID, made.Replayed),
		Body:     requestBody{Data: encodeRequest(made.Request, nil)},
	}, nil
}

type listRequestsInput struct {
	Status credentialrequests.Status `query:"status" enum:"pending,approved,denied,collected,expired" doc:"Only requests with this status."`
	Limit  int                       `query:"limit" default:"20" minimum:"1" maximum:"100" doc:"Maximum number of requests on the page."`
	UserID string                    `query:"userId" format:"uuid" doc:"Only requests of this user. Default: your own, or those of all users if you have credentials:approve."`
	Order  string                    `query:"order" enum:"newest,oldest" default:"newest" doc:"Which requests come first. Requests are due in the order in which they were made, so with status=pending, oldest lists the most urgent ones first."`
	Cursor string                    `query:"cursor" format:"uuid" doc:"Start of the page: pagination.next of the previous page. The other parameters but limit must be the same."`
	Before string                    `query:"before" format:"uuid" doc:"Only requests older than the one with this ID. Cannot be combined with cursor."`
	After  string                    `query:"after" format:"uuid" doc:"Only requests newer than the one with this ID, with order=oldest. Cannot be combined with cursor."`
}

// Resolve implements huma.Resolver.
func (in *listRequestsInput) Resolve(huma.Context) []error {
	switch {
	case in.Cursor != "" && (in.Before != "" || in.After != ""):
		return web.Failures([]fault.Field{{Pointer: "query/cursor", Detail: "cannot be combined with before or after"}})
	case in.Order == "oldest" && in.Before != "":
		return web.Failures([]fault.Field{{Pointer: "query/before", Detail: "must not be sent with order=oldest; use after"}})
	case in.Order != "oldest" && in.After != "":
		return web.Failures([]fault.Field{{Pointer: "query/after", Detail: "needs order=oldest; without it, use before"}})
	}
	return nil
}

// query returns the query of the input. A cursor is the ID of the last request on the page before.
func (in *listRequestsInput) query() credentialrequests.Query {
	query := credentialrequests.Query{
		UserID: resource.CanonicalID(in.UserID), Status: in.Status, Limit: in.Limit, Before: in.Before,
		OldestFirst: in.Order == "oldest", After: in.After,
	}
	if query.OldestFirst {
		query.After = cmp.Or(resource.CanonicalID(in.Cursor), query.After)
	} else {
		query.Before = cmp.Or(resource.CanonicalID(in.Cursor), query.Before)
	}
	return query
}

type listRequestsOutput struct {
	Body struct {
		Data       []CredentialRequest  `json:"data"`
		Pagination web.CursorPagination `json:"pagination"`
	}
}

var listCredentialRequests = huma.Operation{
	OperationID: "listCredentialRequests",
	Tags:        []string{"Credential requests"}, Summary: "List credential requests",
	Description: "Returns your own requests, newest first, or those of all users if you have `credentials:approve`.",
	Errors:      []int{http.StatusForbidden},
}

func (h *handlers) listRequests(ctx context.Context, in *listRequestsInput) (*listRequestsOutput, error) {
	caller, _ := principal.From(ctx)
	page, err := h.requests.List(ctx, caller, in.query())
	if err != nil {
		return nil, err
	}
	people, err := h.requests.Involved(ctx, caller, page.Requests...)
	if err != nil {
		return nil, err
	}
	out := &listRequestsOutput{}
	out.Body.Data = make([]CredentialRequest, len(page.Requests))
	for i, r := range page.Requests {
		out.Body.Data[i] = encodeRequest(r, people)
	}
	out.Body.Pagination = web.CursorPagination{Limit: in.Limit, HasMore: page.Next != "", Next: web.NullIfZero(page.Next)}
	return out, nil
}

type requestInput struct {
	RequestID string `path:"requestId" format:"uuid" doc:"ID of the request." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
}

type requestOutput struct {
	resource.Version
	Body requestBody
}

var getCredentialRequest = huma.Operation{
	OperationID: "getCredentialRequest",
	Tags:        []string{"Credential requests"}, Summary: "Get a credential request",
	Description: "Returns the request with its history. Your own need no permission; those of other users need `credentials:approve`.",
	Errors:      []int{http.StatusNotFound},
}

func (h *handlers) getRequest(ctx context.Context, in *requestInput) (*requestOutput, error) {
	caller, _ := principal.From(ctx)
	found, err := h.requests.Get(ctx, caller, in.RequestID)
	if err != nil {
		return nil, err
	}
	return h.encodeWithPeople(ctx, caller, found)
}

func (h *handlers) encodeWithPeople(
	ctx context.Context, caller principal.Principal, r credentialrequests.Request,
) (*requestOutput, error) {
	people, err := h.requests.Involved(ctx, caller, r)
	if err != nil {
		return nil, err
	}
	encoded := encodeRequest(r, people)
	return &requestOutput{Version: resource.ContentVersion(encoded), Body: requestBody{Data: encoded}}, nil
}

type decideInput struct {
	RequestID string `path:"requestId" format:"uuid" doc:"ID of the request." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Body      *decisionBody
	host      string
}

// decisionBody is the optional body of a decision.
type decisionBody struct {
	Reason string `json:"reason,omitempty" doc:"At most 1000 characters. The mail to the requester contains it." example:"Agreed with your account manager."`
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

var approveCredentialRequest = huma.Operation{
	OperationID: "approveCredentialRequest",
	Tags:        []string{"Credential requests"}, Summary: "Approve a credential request",
	Description: "Sends the requester a mail with a link to collect the password. The link works once, within 7 days. A request " +
		"older than 60 days can only be denied. You cannot decide on your own request" + fourEyes,
	Errors: web.BodyErrors(http.StatusNotFound, http.StatusConflict),
}

func (h *handlers) approveRequest(ctx context.Context, in *decideInput) (*requestOutput, error) {
	return h.decide(ctx, in, true)
}

var denyCredentialRequest = huma.Operation{
	OperationID: "denyCredentialRequest",
	Tags:        []string{"Credential requests"}, Summary: "Deny a credential request",
	Description: "Sends the requester a mail with the reason. You cannot decide on your own request" + fourEyes,
	Errors:      web.BodyErrors(http.StatusNotFound, http.StatusConflict),
}

func (h *handlers) denyRequest(ctx context.Context, in *decideInput) (*requestOutput, error) {
	return h.decide(ctx, in, false)
}

func (h *handlers) decide(ctx context.Context, in *decideInput, approve bool) (*requestOutput, error) {
	caller, _ := principal.From(ctx)
	decided, err := h.requests.Decide(ctx, caller, credentialrequests.Decision{
		ID: in.RequestID, Approve: approve, Reason: in.reason(), BaseURL: web.BaseURL(h.baseURL, in.host),
	})
	if err != nil {
		return nil, err
	}
	return h.encodeWithPeople(ctx, caller, decided)
}

type collectInput struct {
	Body struct {
		Token string `json:"token" doc:"The part after # in the link from the mail." example:"psl_…"`
	}
}

// Password is a password that was just created.
type Password struct {
	Username  string    `json:"username" doc:"User name that the password must be sent with." example:"example-7f3k2q5m"`
	Password  string    `json:"password" doc:"The password, shown only once." example:"psp_…"`
	Scopes    []string  `json:"scopes" doc:"What the password may download." example:"[\"read:helm-charts\"]"`
	ExpiresAt time.Time `json:"expiresAt" doc:"UTC."`
}

type collectOutput struct {
	Body struct {
		Data Password `json:"data"`
	}
}

var collectCredential = huma.Operation{
	OperationID: "collectCredential",
	Tags:        []string{"Credential requests"}, Summary: "Collect a password",
	Description: "Creates the password and returns it with its user name. The token of the link works once, and only this response " +
		"contains the password. It is valid for 365 days for the chart repository and the container registry. Needs no credential but the " +
		"token.",
	Errors: web.BodyErrors(),
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
