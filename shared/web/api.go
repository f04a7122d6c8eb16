// Package web connects HTTP to the domains. It authenticates a request, checks permissions, decodes and validates the
// input, calls a typed handler, encodes its output, and turns every error into problem details.
//
// A function adds its operations with [Handle], each with the [Access] that it requires; an operation without access
// rules cannot be added. The OpenAPI document is generated from the same operations, so it cannot differ from what is
// served. Handlers return their error and do not write to the response.
package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/errorcode"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/web/server"
)

// API is the operations of one function.
type API struct {
	mux        *server.Mux
	auth       Authenticator
	operations []operation
}

// NewAPI returns an API without operations. auth may be nil if every operation is for Anyone.
func NewAPI(auth Authenticator) *API { return &API{mux: server.NewMux(), auth: auth} }

// Document returns the OpenAPI document of this API as JSON. `make generate` merges the documents of all functions.
func (a *API) Document() ([]byte, error) {
	all := newHuma(http.NewServeMux(), nil)
	for _, o := range a.operations {
		o.add(all)
	}
	document := all.OpenAPI()
	listCodes(document)
	return document.MarshalJSON()
}

// listCodes adds the codes to the schema of problems. A tag of the Go type would be a second list.
func listCodes(document *huma.OpenAPI) {
	problem, hasProblem := document.Components.Schemas.Map()["Problem"]
	if !hasProblem {
		return
	}
	for _, d := range errorcode.All() {
		problem.Properties["code"].Enum = append(problem.Properties["code"].Enum, string(d.Code))
	}
}

// Handler returns the API as a handler that logs every request and recovers from panics.
func (a *API) Handler() http.Handler {
	return server.Observe(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), inputKey{}, &input{})))
	}), server.WritePanic)
}

// Page adds a plain handler for a page or file, without authentication. The pattern is one of http.ServeMux.
func (a *API) Page(pattern string, handler http.HandlerFunc) { a.mux.HandleFunc(pattern, handler) }

// Access defines who may call an operation. The zero value denies every caller.
type Access struct {
	public     bool
	link       bool
	signedIn   bool
	tokens     bool
	permission principal.Permission

	onlySession bool // API keys are not accepted
	orAnonymous bool // also accepts callers without a working credential
	recent      bool
	sameOrigin  bool
	customers   bool // users of customers are accepted
}

// Anyone permits every caller, without a credential.
func Anyone() Access { return Access{public: true} }

// WithLink permits every caller who sends a mailed link in the body, which the domain checks. A link that does not
// exist, for which the domain returns a credentials.ErrUnknown, counts as an unknown credential of the client's
// network.
func WithLink() Access { return Access{public: true, link: true} }

// SignedIn permits every caller of the vendor's staff with a valid API key or session; the domain checks further rules.
func SignedIn() Access { return Access{signedIn: true} }

// InSession permits every caller of the vendor's staff with a valid session.
func InSession() Access { return Access{signedIn: true, onlySession: true} }

// OrAnonymous also permits callers without a session or with one that does not work; their context has no principal.
// The sign-in page needs it to ask for the current session, because browsers report a 401 as an error.
func (a Access) OrAnonymous() Access {
	a.orAnonymous = true
	return a
}

// Needs permits callers of the vendor's staff with a valid API key or session whose role includes the permission.
func Needs(p principal.Permission) Access { return Access{signedIn: true, permission: p} }

// OrToken also permits callers with a valid access token, sent as Bearer; the domain checks its scopes.
func (a Access) OrToken() Access {
	a.tokens = true
	return a
}

// ForCustomers also permits users of customers. They must reach only what belongs to their customer, or to themselves,
// which the domain ensures; see principal.Principal.Reaches. Without it, an operation is only for the vendor's staff.
func (a Access) ForCustomers() Access {
	a.customers = true
	return a
}

// RecentSignIn refuses sessions that began more than credentials.SessionRecent ago. It has no effect on other
// credentials. Operations that create secrets or decide on requests need it, which prevents misuse of a browser that
// was left open.
func (a Access) RecentSignIn() Access {
	a.recent = true
	return a
}

// SameOrigin refuses requests that a page of another origin makes, even without a session. Operations that scripts
// call and that set cookies need it.
func (a Access) SameOrigin() Access {
	a.sameOrigin = true
	return a
}

// Handle adds an operation. The kind of a returned error decides the HTTP status; see server.Problem.
func Handle[I, O any](a *API, access Access, op huma.Operation, handler func(context.Context, *I) (*O, error)) {
	if access.link {
		handler = countingLinks(a, handler)
	}
	a.handle(access, op, adding(access, op, handler), nil)
}

// countingLinks returns the handler of an operation that takes a link. Its error is a 429 if the network sends too many
// that do not exist.
func countingLinks[I, O any](a *API, handler func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		out, err := handler(ctx, in)
		if errors.Is(err, credentials.ErrUnknown) {
			err = cmp.Or(a.auth.CountUnknown(ctx), err)
		}
		return out, err
	}
}

// operation is an operation of any input and output.
type operation struct {
	add     func(huma.API)
	formats []string // see formatsOf
}

func adding[I, O any](access Access, op huma.Operation, handler func(context.Context, *I) (*O, error)) operation {
	return operation{formats: formatsOf(op.Method, reflect.TypeFor[O]()), add: func(to huma.API) { addOperation(to, access, op, handler) }}
}

func (a *API) handle(access Access, op huma.Operation, added operation, early func(*http.Request) earlyResult) {
	if !access.public && !access.signedIn {
		panic("web: operation " + op.OperationID + " has no access rules")
	}
	a.operations = append(a.operations, added)
	a.mux.HandleFunc(op.Method+" "+op.Path, server.Negotiated(a.authenticate(access, &lazyOperation{operation: added, early: early})))
}

// security returns the schemes of which a request needs one; nil if it needs none.
func (a Access) security() []map[string][]string {
	var schemes []map[string][]string
	if a.signedIn && !a.onlySession {
		schemes = append(schemes, map[string][]string{"apiKey": {}})
	}
	if a.signedIn {
		schemes = append(schemes, map[string][]string{"session": {}})
	}
	if a.tokens {
		schemes = append(schemes, map[string][]string{"accessToken": {}})
	}
	if a.orAnonymous {
		schemes = append(schemes, map[string][]string{})
	}
	return schemes
}

func (a Access) requirement() string {
	var sentences []string
	switch {
	case a.permission != "" && a.tokens:
		sentences = append(sentences, "Needs an access token, or an API key or session with the permission `"+string(a.permission)+"`.")
	case a.permission != "":
		sentences = append(sentences, "Needs the permission `"+string(a.permission)+"`.")
	}
	if a.signedIn && !a.customers {
		sentences = append(sentences, "Only for the vendor's staff, not for users of customers.")
	}
	if a.recent {
		sentences = append(sentences, "A session must have begun within the last 15 minutes; otherwise the response is a 403 with the "+
			"code `SIGN_IN_REQUIRED`.")
	}
	return strings.Join(sentences, " ")
}

func (a Access) errors() []int {
	all := []int{http.StatusBadRequest}
	if a.link {
		all = append(all, http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusServiceUnavailable)
	}
	if a.signedIn {
		all = append(all, http.StatusTooManyRequests, http.StatusServiceUnavailable)
	}
	if a.signedIn && !a.orAnonymous {
		all = append(all, http.StatusUnauthorized)
	}
	if a.signedIn || a.sameOrigin { // also for sessions, if the request comes from a page of another origin
		all = append(all, http.StatusForbidden)
	}
	return all
}

// BodyErrors returns the error statuses of an operation with a body: the statuses that every body can cause, and more.
func BodyErrors(more ...int) []int {
	return append(more, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
}

// At returns the operation with the method and the path of a pattern, such as "GET /v1/users/{id}". So the routes of a
// function show them, and its handlers have the descriptions. It panics if the pattern has no method, which is a
// defect.
func At(pattern string, op huma.Operation) huma.Operation {
	method, path, found := strings.Cut(pattern, " ")
	if !found {
		panic("web: the pattern " + pattern + " has no method")
	}
	op.Method, op.Path = method, path
	return op
}
