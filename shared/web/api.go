// Package web is the edge between HTTP and the domains: it authenticates, checks permissions, decodes and validates,
// calls a typed handler, encodes, and turns every error into problem details.
//
// A function lists its operations with [Handle], each with the [Access] that it needs; there is no way to add one
// without. What the operations say of themselves is also their part of the OpenAPI document, so the document cannot
// differ from what is served. Handlers return their error and write nothing themselves.
package web

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

// API is one function's operations, and what they share.
type API struct {
	mux  *http.ServeMux
	huma huma.API
	auth Authenticator
}

// NewAPI returns an API without operations. auth may be nil where all are for Anyone.
func NewAPI(auth Authenticator) *API {
	tameHuma()
	mux := http.NewServeMux()
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0", Info: &huma.Info{Title: "Portside", Version: "1"},
			Components: &huma.Components{Schemas: registry},
		},
		Formats:       map[string]huma.Format{"application/json": strictJSON, "json": strictJSON},
		DefaultFormat: "application/json",
	}
	return &API{mux: mux, huma: humago.New(mux, config), auth: auth}
}

// Document returns the API's part of the OpenAPI document, as JSON.
func (a *API) Document() ([]byte, error) { return a.huma.OpenAPI().MarshalJSON() }

// Page adds a plain handler, for pages and files; pattern is that of http.ServeMux. Pages are for Anyone.
func (a *API) Page(pattern string, handler http.HandlerFunc) { a.mux.HandleFunc(pattern, handler) }

// Access is who may use an operation. The zero value is nobody.
type Access struct {
	public     bool
	signedIn   bool
	tokens     bool
	permission principal.Permission
}

// Anyone lets everybody in, without a credential.
func Anyone() Access { return Access{public: true} }

// SignedIn lets in whoever has a working credential; the domain decides the rest.
func SignedIn() Access { return Access{signedIn: true} }

// Needs lets in whoever has a working credential whose role includes the permission.
func Needs(p principal.Permission) Access { return Access{signedIn: true, permission: p} }

// OrToken lets in, besides, whoever has a working access token, sent as Bearer; the domain decides what its scopes permit.
func (a Access) OrToken() Access {
	a.tokens = true
	return a
}

// Handle adds an operation. Its errors are mapped by kind; see Problem.
func Handle[I, O any](a *API, access Access, op huma.Operation, handler func(context.Context, *I) (*O, error)) {
	if !access.public && !access.signedIn {
		panic("web: operation " + op.OperationID + " does not say who may use it")
	}
	if op.MaxBodyBytes == 0 && op.RequestBody == nil {
		op.MaxBodyBytes = MaxBody
	}
	op.MaxBodyBytes++ // huma refuses a body that reaches the limit
	op.Errors = append(op.Errors, access.errors()...)
	if access.signedIn {
		op.Security = []map[string][]string{{"apiKey": {}}}
	}
	if access.tokens {
		op.Security = append(op.Security, map[string][]string{"accessToken": {}})
	}
	if access.permission != "" {
		op.Extensions = map[string]any{"x-permission": access.permission}
		op.Description += "\n\n" + access.needs()
	}
	op.Middlewares = append(huma.Middlewares{a.gate(access), checkParameters, checkBody}, op.Middlewares...)
	form := op.RequestBody
	op.RequestBody = nil // huma would read it
	huma.Register(a.huma, op, func(ctx context.Context, input *I) (*O, error) {
		if failures := recordFrom(ctx).unread; len(failures) > 0 {
			return nil, problemFor(ctx, fault.Invalid(failures...))
		}
		output, err := handler(ctx, input)
		if err != nil {
			return nil, problemFor(ctx, err)
		}
		return output, nil
	})
	document(a.huma.OpenAPI(), op, form)
}

func (a Access) needs() string {
	if a.tokens {
		return "Needs an access token, or an API key with the permission `" + string(a.permission) + "`."
	}
	return "Needs the permission `" + string(a.permission) + "`."
}

func (a Access) errors() []int {
	all := []int{http.StatusBadRequest}
	if a.signedIn {
		all = append(all, http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusServiceUnavailable)
	}
	if a.permission != "" {
		all = append(all, http.StatusForbidden)
	}
	return all
}

// document takes back what huma adds to every operation and we never answer, for a failed validation is a 400 here, and adds a
// form that the operation's own handler reads.
func document(doc *huma.OpenAPI, op huma.Operation, form *huma.RequestBody) {
	item := doc.Paths[op.Path]
	for _, documented := range []*huma.Operation{item.Get, item.Post, item.Put, item.Delete} {
		if documented == nil || documented.OperationID != op.OperationID {
			continue
		}
		if !slices.Contains(op.Errors, http.StatusUnprocessableEntity) {
			delete(documented.Responses, "422")
		}
		if form != nil {
			documented.RequestBody = form
		}
	}
}
