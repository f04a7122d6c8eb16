package main

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/web"
)

// ListedSession is a session in a list. Structs that are embedded in inputs and outputs are exported, because huma
// ignores the fields of unexported ones.
type ListedSession struct {
	ID              string     `json:"id" doc:"Public ID of the session." example:"3vQB7B6MrGQZ"`
	Device          string     `json:"device" doc:"The browser that signed in." example:"Firefox on Windows"`
	CreatedAt       time.Time  `json:"createdAt" doc:"UTC." example:"2026-03-02T09:15:30.250Z"`
	AuthenticatedAt *time.Time `json:"authenticatedAt" doc:"UTC; when the person signed in, which can be earlier than createdAt at an identity provider; null if the provider does not say it." example:"2026-03-02T09:15:30.250Z"`
	RecentUntil     time.Time  `json:"recentUntil" doc:"UTC; until when the session may create secrets and decide on requests." example:"2026-03-02T09:30:30.250Z"`
	LastUsedAt      time.Time  `json:"lastUsedAt" doc:"UTC, rounded down to 5 minutes. The session ends 12 hours later if it is not used." example:"2026-03-02T09:15:00Z"`
	ExpiresAt       time.Time  `json:"expiresAt" doc:"UTC; when the session ends even if it is used." example:"2026-04-01T09:15:30.250Z"`
}

// Session is a session and its user.
type Session struct {
	ListedSession
	User SessionUser `json:"user"`
}

// SessionUser is the user of a session.
type SessionUser struct {
	ID          string                 `json:"id" format:"uuid" example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Email       string                 `json:"email" format:"email" example:"ada@example.com"`
	Name        string                 `json:"name" example:"Ada Lovelace"`
	CustomerID  *string                `json:"customerId" format:"uuid" doc:"ID of the user's customer; null for the vendor's staff." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
	Role        principal.Role         `json:"role" enum:"admin,manager,user,viewer" example:"user"`
	Permissions []principal.Permission `json:"permissions" doc:"Permissions of the role, sorted." example:"[\"users:read\"]"`
}

func encodeListedSession(c credentials.Credential) ListedSession {
	return ListedSession{
		ID: c.ID, Device: c.Name, CreatedAt: c.CreatedAt, AuthenticatedAt: web.NullIfZero(c.AuthenticatedAt), RecentUntil: c.RecentUntil(),
		LastUsedAt: c.LastUsedAt, ExpiresAt: c.ExpiresAt,
	}
}

func encodeSession(c credentials.Credential, p principal.Person) Session {
	return Session{ListedSession: encodeListedSession(c), User: SessionUser{
		ID: p.ID, Email: p.Email, Name: p.Name, CustomerID: web.NullIfZero(p.CustomerID), Role: p.Role, Permissions: p.Role.Permissions(),
	}}
}

type sessionOutput struct {
	Body struct {
		Data Session `json:"data"`
	}
}

type foundSessionOutput struct {
	Body struct {
		Data *Session `json:"data,omitempty" doc:"Absent without a working session."`
	}
}

var findSession = huma.Operation{
	OperationID: "findSession", Tags: []string{"Sessions"},
	Summary: "Find out who is signed in",
	Description: "Returns the session of this request, and its user, as `GET /v1/sessions/current` does. Without a session that works, " +
		"there is no `data`. The status is 200 then, too, because browsers show a 401 as an error.",
}

func (h *handlers) find(ctx context.Context, _ *struct{}) (*foundSessionOutput, error) {
	out := &foundSessionOutput{}
	if _, isSignedIn := principal.From(ctx); !isSignedIn {
		return out, nil
	}
	current, err := h.current(ctx, nil)
	if fault.KindOf(err) == fault.NotFound { // the session has just ended
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	out.Body.Data = &current.Body.Data
	return out, nil
}

var getCurrentSession = huma.Operation{
	OperationID: "getCurrentSession", Tags: []string{"Sessions"},
	Summary:     "Get the current session",
	Description: "Returns the session of this request, and its user.",
}

func (h *handlers) current(ctx context.Context, _ *struct{}) (*sessionOutput, error) {
	caller, _ := principal.From(ctx)
	session, person, err := h.sessions.Current(ctx, caller)
	if err != nil {
		return nil, err
	}
	out := &sessionOutput{}
	out.Body.Data = encodeSession(session, person)
	return out, nil
}

// ownSession is a session in the list of its user.
type ownSession struct {
	ListedSession
	IsCurrent bool `json:"isCurrent" doc:"Whether the request belongs to this session."`
}

type listSessionsOutput struct {
	Body struct {
		Data []ownSession `json:"data"`
	}
}

var listSessions = huma.Operation{
	OperationID: "listSessions", Tags: []string{"Sessions"},
	Summary:     "List your sessions",
	Description: "Returns your sessions that have not ended, newest first.",
}

func (h *handlers) list(ctx context.Context, _ *struct{}) (*listSessionsOutput, error) {
	caller, _ := principal.From(ctx)
	found, err := h.sessions.List(ctx, caller)
	if err != nil {
		return nil, err
	}
	out := &listSessionsOutput{}
	out.Body.Data = make([]ownSession, len(found))
	for i, c := range found {
		out.Body.Data[i] = ownSession{ListedSession: encodeListedSession(c), IsCurrent: c.ID == caller.SessionID}
	}
	return out, nil
}

type endSessionInput struct {
	SessionID string `path:"sessionId" doc:"Public ID of the session." example:"3vQB7B6MrGQZ"`
}

// endedOutput removes the cookie of the session that made the request, and what the portal stored in the browser, if
// the session has ended.
type endedOutput struct {
	SetCookie     string `header:"Set-Cookie" doc:"Removes the cookie of the session, if the session of this request has ended."`
	ClearSiteData string `header:"Clear-Site-Data" doc:"Removes what the portal stored in the browser, if the session of this request has ended."`
}

var deleteSession = huma.Operation{
	OperationID: "deleteSession", Tags: []string{"Sessions"},
	Summary: "End a session", DefaultStatus: http.StatusNoContent,
	Description: "Ends one of your sessions. It stops working with the next request.",
	Errors:      []int{http.StatusNotFound},
}

func (h *handlers) end(ctx context.Context, in *endSessionInput) (*endedOutput, error) {
	caller, _ := principal.From(ctx)
	return endedBy(caller, in.SessionID == caller.SessionID), h.sessions.End(ctx, caller, in.SessionID)
}

var deleteCurrentSession = huma.Operation{
	OperationID: "deleteCurrentSession",
	Tags:        []string{"Sessions"},
	Summary:     "Sign out", DefaultStatus: http.StatusNoContent,
	Description: "Ends the session of this request and removes its cookie.",
}

func (h *handlers) signOut(ctx context.Context, _ *struct{}) (*endedOutput, error) {
	caller, _ := principal.From(ctx)
	return endedBy(caller, true), h.sessions.End(ctx, caller, caller.SessionID)
}

var deleteSessions = huma.Operation{
	OperationID: "deleteSessions", Tags: []string{"Sessions"},
	Summary: "Sign out everywhere", DefaultStatus: http.StatusNoContent,
	Description: "Ends all your sessions, also the one of this request.",
}

func (h *handlers) endAll(ctx context.Context, _ *struct{}) (*endedOutput, error) {
	caller, _ := principal.From(ctx)
	return endedBy(caller, true), h.sessions.EndAll(ctx, caller)
}

func endedBy(caller principal.Principal, isCurrent bool) *endedOutput {
	if caller.SessionID == "" || !isCurrent {
		return &endedOutput{}
	}
	return &endedOutput{SetCookie: noSessionCookie(), ClearSiteData: `"storage"`}
}
