package web

import (
	"context"
	"net/http"
	"strings"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/web/server"
)

// ToolAuthenticator authenticates the credentials that chart and container clients send. credentials.Authenticator
// implements it.
type ToolAuthenticator interface {
	Authenticator
	// AuthenticateBasic accepts a token with any user name, or a password with its own user name.
	AuthenticateBasic(ctx context.Context, username, text string) (principal.Principal, credentials.Allowance, error)
}

var errToolUnauthorized = fault.New(fault.Unauthorized, "The request has no working credential. Send a user name and "+
	"password, or an access token as the password. API keys do not work here. Nor do expired and revoked credentials and those of "+
	"inactive users or suspended customers.")

// Download adds a plain handler for files that chart clients download. It authenticates the caller with
// AuthenticateTool, and principal.From returns the caller to the handler. An error of the handler becomes problem
// details, so the handler must not write to the response before it returns one.
func (a *API) Download(pattern string, auth ToolAuthenticator, handler func(http.ResponseWriter, *http.Request) error) {
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		who, err := AuthenticateTool(w, r, auth, credentials.ArtifactRequest)
		if err == nil {
			err = handler(w, r.WithContext(principal.With(r.Context(), who)))
		}
		if err == nil {
			return
		}
		server.RecordFrom(r.Context()).Err = err
		CountRefusal(r, auth)
		p := server.ProblemOf(err)
		if w.Header().Get("Retry-After") != "" {
			p.Header.Del("Retry-After")
		}
		p.Header.Del("WWW-Authenticate") // AuthenticateTool has set the challenge for these clients
		p.Write(w, r)
	})
}

// AuthenticateTool authenticates a client that supports only HTTP's own schemes: a token or password by Basic (RFC
// 7617), or a token as Bearer (RFC 6750). It always sets the response headers that belong to the outcome: the rate
// limit, Retry-After, and the challenge, which is Basic because every chart and container client answers that one.
// The request counts as one of the kind. It returns the errors of credentials.Authenticator.
func AuthenticateTool(
	w http.ResponseWriter, r *http.Request, auth ToolAuthenticator, kind credentials.RequestKind,
) (principal.Principal, error) {
	who, allowance, err := identify(r.WithContext(credentials.WithRequest(r.Context(), kind, r.Method == http.MethodHead)), auth)
	setRateLimit(w.Header(), allowance)
	server.RecordFrom(r.Context()).Caller = who
	switch fault.KindOf(err) {
	case fault.Unauthorized:
		w.Header().Set("WWW-Authenticate", `Basic realm="Portside"`)
		return who, errToolUnauthorized
	case fault.RateLimited:
		w.Header().Set("Retry-After", seconds(allowance))
	}
	return who, err
}

func identify(r *http.Request, auth ToolAuthenticator) (principal.Principal, credentials.Allowance, error) {
	ctx := credentials.WithNetwork(r.Context(), NetworkOf(r.RemoteAddr))
	if username, text, ok := r.BasicAuth(); ok {
		return auth.AuthenticateBasic(ctx, username, text)
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		token = ""
	}
	return auth.Authenticate(ctx, strings.TrimSpace(token), credentials.AccessToken)
}
