package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/sessions"
	"portside/shared/sessions/passkeys"
	"portside/shared/sessions/passkeys/passkeysdynamo"
	"portside/shared/sessions/passkeys/passkeyswebauthn"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// newPasskeys returns the service of passkeys.
func newPasskeys(store *passkeysdynamo.Store, people passkeys.People, mailer passkeys.Mailer, now func() time.Time) *passkeys.Service {
	return passkeys.NewService(passkeys.Dependencies{
		Store: store, Challenges: store, People: people, Verifier: passkeyswebauthn.Verifier{}, Mailer: mailer,
		NewID: resource.NewID, Now: now,
	})
}

// RequestSource is the host that a request was sent to, and where it comes from. It is exported because huma ignores
// the fields of unexported embedded structs.
type RequestSource struct {
	host    string
	network string // of the client; see web.NetworkOf
	cookies string // the Cookie header
	site    string // the Sec-Fetch-Site header: how the page that made the request relates to this host
}

func sourceOf(ctx huma.Context) RequestSource {
	return RequestSource{
		host: ctx.Host(), network: web.NetworkOf(ctx.RemoteAddr()), cookies: ctx.Header("Cookie"), site: ctx.Header("Sec-Fetch-Site"),
	}
}

// Resolve implements huma.Resolver.
func (in *RequestSource) Resolve(ctx huma.Context) []error { //nolint:unparam // the signature of huma.Resolver
	*in = sourceOf(ctx)
	return nil
}

// site returns the site of the page that made a request. Errors: a Conflict if the page was opened by an IP address.
func (h *handlers) site(host string) (passkeys.Site, error) {
	return passkeys.SiteOf(web.PageURL(h.baseURL, host))
}

// Passkey is a passkey without its key.
type Passkey struct {
	ID         string     `json:"id" format:"uuid" example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Name       string     `json:"name" doc:"Name chosen by the user." example:"Work laptop"`
	CreatedAt  time.Time  `json:"createdAt" doc:"UTC." example:"2026-03-02T09:15:30.250Z"`
	LastUsedAt *time.Time `json:"lastUsedAt" doc:"UTC; null if it was never used." example:"2026-03-09T07:45:12.106Z"`
	IsSynced   bool       `json:"isSynced" doc:"Whether it may be on several devices of its user."`
	IsLocked   bool       `json:"isLocked" doc:"Whether it no longer works, because its counter shows that there may be a copy of its key. Delete it."`
}

func encodePasskey(p passkeys.Passkey) Passkey {
	return Passkey{
		ID: p.ID, Name: p.Name, CreatedAt: p.CreatedAt, LastUsedAt: web.NullIfZero(p.LastUsedAt),
		IsSynced: p.Synced, IsLocked: !p.ClonedAt.IsZero(),
	}
}

type creationOptionsOutput struct {
	Body struct {
		Data creationOptions `json:"data"`
	}
}

var createPasskeyOptions = huma.Operation{
	OperationID: "createPasskeyOptions",
	Tags:        []string{"Passkeys"},
	Summary:     "Begin the registration of a passkey",
	Description: "Returns options for `navigator.credentials.create()`. Send its response to `POST /v1/passkeys` within 5 minutes; it " +
		"works once." + needsHostName,
	Errors: []int{http.StatusConflict},
}

func (h *handlers) passkeyOptions(ctx context.Context, in *RequestSource) (*creationOptionsOutput, error) {
	caller, _ := principal.From(ctx)
	site, err := h.site(in.host)
	if err != nil {
		return nil, err
	}
	options, err := h.passkeys.BeginRegistration(ctx, caller, site)
	if err != nil {
		return nil, err
	}
	out := &creationOptionsOutput{}
	out.Body.Data = encodeCreationOptions(options)
	return out, nil
}

type registerPasskeyInput struct {
	RequestSource
	Body struct {
		Name       string     `json:"name" doc:"Name of the passkey, 1 to 100 characters." example:"Work laptop"`
		Credential web.Object `json:"credential" doc:"The PublicKeyCredential that navigator.credentials.create() returned, as its toJSON()."`
	}
}

type passkeyOutput struct {
	Body struct {
		Data Passkey `json:"data"`
	}
}

var createPasskey = huma.Operation{
	OperationID: "createPasskey", Tags: []string{"Passkeys"},
	Summary: "Register a passkey", DefaultStatus: http.StatusCreated,
	Description: "Registers a passkey of the caller, with which people sign in without a mail. A user has at most 20. User " +
		"verification (PIN, fingerprint or face) is required.",
	Errors: web.BodyErrors(http.StatusConflict, http.StatusUnprocessableEntity),
}

func (h *handlers) registerPasskey(ctx context.Context, in *registerPasskeyInput) (*passkeyOutput, error) {
	caller, _ := principal.From(ctx)
	site, err := h.site(in.host)
	if err != nil {
		return nil, err
	}
	input := passkeys.New{Name: in.Body.Name, Response: json.RawMessage(in.Body.Credential)}
	made, err := h.passkeys.Register(ctx, caller, site, input)
	if err != nil {
		return nil, err
	}
	out := &passkeyOutput{}
	out.Body.Data = encodePasskey(made)
	return out, nil
}

type passkeysOutput struct {
	Body struct {
		Data []Passkey `json:"data"`
	}
}

var listPasskeys = huma.Operation{
	OperationID: "listPasskeys", Tags: []string{"Passkeys"},
	Summary:     "List your passkeys",
	Description: "Returns your passkeys in the order of their registration.",
}

func (h *handlers) listPasskeys(ctx context.Context, _ *struct{}) (*passkeysOutput, error) {
	caller, _ := principal.From(ctx)
	found, err := h.passkeys.List(ctx, caller)
	if err != nil {
		return nil, err
	}
	out := &passkeysOutput{}
	out.Body.Data = make([]Passkey, len(found))
	for i, p := range found {
		out.Body.Data[i] = encodePasskey(p)
	}
	return out, nil
}

type deletePasskeyInput struct {
	PasskeyID string `path:"passkeyId" format:"uuid" doc:"ID of the passkey."`
}

var deletePasskey = huma.Operation{
	OperationID: "deletePasskey", Tags: []string{"Passkeys"},
	Summary: "Delete a passkey", DefaultStatus: http.StatusNoContent,
	Description: "Deletes one of your passkeys. Sessions that began with it continue.",
	Errors:      []int{http.StatusNotFound},
}

func (h *handlers) deletePasskey(ctx context.Context, in *deletePasskeyInput) (*struct{}, error) {
	caller, _ := principal.From(ctx)
	return nil, h.passkeys.Delete(ctx, caller, resource.CanonicalID(in.PasskeyID))
}

type requestOptionsOutput struct {
	Body struct {
		Data requestOptions `json:"data"`
	}
}

var createPasskeySignInOptions = huma.Operation{
	OperationID: "createPasskeySignInOptions",
	Tags:        []string{"Passkeys"},
	Summary:     "Begin a sign-in with a passkey",
	Description: "Returns options for `navigator.credentials.get()`. Send its response to `POST /v1/sessions` within 5 minutes; it " +
		"works once." + needsHostName,
	Errors: []int{http.StatusConflict},
}

func (h *handlers) passkeySignInOptions(ctx context.Context, in *RequestSource) (*requestOptionsOutput, error) {
	site, err := h.site(in.host)
	if err != nil {
		return nil, err
	}
	challenge, err := h.passkeys.BeginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	out := &requestOptionsOutput{}
	out.Body.Data = requestOptions{
		Challenge: base64URL(challenge), RPID: site.ID, Timeout: ceremonyTimeout(), UserVerification: required,
	}
	return out, nil
}

// signInByPasskey begins a session of the user whose passkey signed the response.
func (h *handlers) signInByPasskey(ctx context.Context, in *signInInput) (sessions.SignedIn, error) {
	site, err := h.site(in.host)
	if err != nil {
		return sessions.SignedIn{}, err
	}
	proved, err := h.passkeys.SignIn(ctx, site, in.Body.Passkey)
	if err != nil {
		return sessions.SignedIn{}, err
	}
	signedIn, err := h.sessions.SignIn(ctx, sessions.SignIn{
		UserID: proved.UserID, Generation: &proved.Generation, Device: in.visit.Device, Session: in.visit.Session,
		Known: in.visit.Known,
	})
	if errors.Is(err, sessions.ErrSignIn) {
		err = passkeys.ErrSignIn
	}
	return signedIn, err
}
