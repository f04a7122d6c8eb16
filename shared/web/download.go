package web

import (
	"context"
	"net/http"
	"strings"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentials"
)

// ToolAuthenticator tells who presents what chart and container clients send; credentials.Authenticator is the real one.
type ToolAuthenticator interface {
	Authenticator
	// AuthenticateBasic takes a token with any user name, or a password with its own.
	AuthenticateBasic(ctx context.Context, username, text string) (principal.Principal, credentials.Allowance, error)
}

var errNoTool = fault.New(fault.Unauthorized, "The request has no working credential. Send a user name and password, or an access "+
	"token in place of the password; those that are expired, revoked, mistyped or of an inactive user do not work.")

// Download adds a plain handler for what chart clients fetch, for whoever Admit lets in; principal.From tells the handler
// who that is. Its error becomes problem details, so it must not have written anything before.
func (a *API) Download(pattern string, auth ToolAuthenticator, handler func(http.ResponseWriter, *http.Request) error) {
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		who, err := Admit(w, r, auth)
		if err == nil {
			err = handler(w, r.WithContext(principal.With(r.Context(), who)))
		}
		if err == nil {
			return
		}
		recordOf(r).err = err
		p := problemOf(err)
		p.header.Del("WWW-Authenticate") // Admit has asked for what these clients have
		p.write(w, r)
	})
}

// Admit returns who sends a request with a client that knows HTTP's own schemes only: a token or password by Basic (RFC
// 7617), or a token as Bearer (RFC 6750). Whatever the outcome, the response headers that belong to it are set on w: the
// rate limit, Retry-After, and the challenge, which is Basic because every chart and container client answers that one.
// Errors: those of credentials.Authenticator.
func Admit(w http.ResponseWriter, r *http.Request, auth ToolAuthenticator) (principal.Principal, error) {
	who, allowance, err := identify(r, auth)
	announce(w.Header(), allowance)
	recordOf(r).caller = who
	switch fault.KindOf(err) {
	case fault.Unauthorized:
		w.Header().Set("WWW-Authenticate", `Basic realm="Portside"`)
		return who, errNoTool
	case fault.RateLimited:
		w.Header().Set("Retry-After", seconds(allowance))
	}
	return who, err
}

func identify(r *http.Request, auth ToolAuthenticator) (principal.Principal, credentials.Allowance, error) {
	if username, text, ok := r.BasicAuth(); ok {
		return auth.AuthenticateBasic(r.Context(), username, text)
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		token = ""
	}
	return auth.Authenticate(r.Context(), strings.TrimSpace(token), credentials.AccessToken)
}
