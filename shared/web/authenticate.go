package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentials"
)

// Authenticator authenticates a credential of one of the kinds. credentials.Authenticator implements it.
type Authenticator interface {
	Authenticate(ctx context.Context, text string, kinds ...credentials.Kind) (principal.Principal, credentials.Allowance, error)
}

func forbidden(needed principal.Permission) error {
	return fault.New(fault.Forbidden, "This operation requires the permission "+string(needed)+", which your role does not include. "+
		"GET /v1/users/{your id} lists your permissions.")
}

// authenticate returns a middleware that passes a request on to its operation with the principal in its context, if
// access permits the caller.
func (a *API) authenticate(access Access) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if access.public {
			next(ctx)
			return
		}
		r, w := humago.Unwrap(ctx)
		text, kind := access.credential(r)
		who, allowance, err := a.auth.Authenticate(r.Context(), text, kind)
		setRateLimit(w.Header(), allowance)
		recordOf(r).caller = who
		if err == nil && access.permission != "" && !who.Scoped() && !who.Can(access.permission) {
			err = forbidden(access.permission)
		}
		if access.tokens && fault.KindOf(err) == fault.Unauthorized {
			w.Header().Set("WWW-Authenticate", `Bearer realm="Portside"`)
		}
		if err != nil {
			writeFault(w, r, err, allowance)
			return
		}
		next(huma.WithContext(ctx, principal.With(ctx.Context(), who)))
	}
}

// credential returns the credential in the request. The API key wins if there is also a token.
func (a Access) credential(r *http.Request) (text string, kind credentials.Kind) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if a.tokens && r.Header.Get("X-API-Key") == "" && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token), credentials.AccessToken
	}
	return r.Header.Get("X-API-Key"), credentials.APIKey
}

// writeFault sends the problem of an error that occurred before the handler ran, and records it for the log.
func writeFault(w http.ResponseWriter, r *http.Request, err error, allowance credentials.Allowance) {
	p := problemOf(err)
	if p.Status == http.StatusTooManyRequests {
		p.header.Set("Retry-After", seconds(allowance))
	}
	recordOf(r).err = err
	p.write(w, r)
}
