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

// Authenticator authenticates a credential of one of the kinds. credentials.Authenticator implements it.
type Authenticator interface {
	Authenticate(ctx context.Context, text string, kinds ...credentials.Kind) (principal.Principal, credentials.Allowance, error)
	// IsThrottled reports whether the network in the context has sent too many unknown credentials.
	IsThrottled(ctx context.Context) bool
	// CountUnknown counts an unknown secret that the body of a request had, such as a link.
	CountUnknown(ctx context.Context) error
	// Refused counts a request that its caller may not make.
	Refused(ctx context.Context, who principal.Principal)
}

// errOnlyStaff refuses users of customers.
var errOnlyStaff = fault.New(fault.Forbidden,
	"This operation is only for the vendor's staff, and you belong to a customer. Ask the vendor.")

func forbidden(needed principal.Permission, who principal.Principal) error {
	detail := "This operation requires the permission " + string(needed) + ", which your role does not include."
	if who.Can(principal.UsersRead) {
		detail += " GET /v1/users/" + who.UserID + " lists your permissions."
	}
	return fault.New(fault.Forbidden, detail)
}

// authenticate returns a handler that passes a request on to its operation with the principal in its context, if access
// permits the caller.
func (a *API) authenticate(access Access, operation *lazyOperation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if access.public {
			if err := access.checkOrigin(r, ""); err != nil {
				writeFault(w, r, err, credentials.Allowance{})
				return
			}
			operation.ServeHTTP(w, r.WithContext(credentials.WithNetwork(r.Context(), NetworkOf(r.RemoteAddr))))
			return
		}
		defer CountRefusal(r, a.auth)
		who, allowance, err := a.identify(access, r, operation)
		setRateLimit(w.Header(), allowance)
		if access.orAnonymous && fault.KindOf(err) == fault.Unauthorized {
			operation.ServeHTTP(w, r)
			return
		}
		server.RecordFrom(r.Context()).Caller = who
		if err == nil {
			err = access.check(who)
		}
		if access.tokens && fault.KindOf(err) == fault.Unauthorized {
			w.Header().Set("WWW-Authenticate", `Bearer realm="Portside"`)
		}
		if err != nil {
			writeFault(w, r, err, allowance)
			return
		}
		operation.ServeHTTP(w, r.WithContext(principal.With(r.Context(), who)))
	}
}

// CountRefusal counts the request if its caller was known but not allowed to make it. Handlers call it when they have
// recorded the outcome.
func CountRefusal(r *http.Request, auth Authenticator) {
	rec := server.RecordFrom(r.Context())
	if rec.Caller.UserID != "" && fault.KindOf(rec.Err) == fault.Forbidden {
		auth.Refused(r.Context(), rec.Caller)
	}
}

// identify authenticates the credential in the request. It refuses a session that a page of another origin sends,
// before it reads the session. Meanwhile the operation begins, unless the client's network is throttled.
func (a *API) identify(access Access, r *http.Request, operation *lazyOperation) (principal.Principal, credentials.Allowance, error) {
	text, kind := access.credential(r)
	if err := access.checkOrigin(r, kind); err != nil {
		return principal.Principal{}, credentials.Allowance{}, err
	}
	ctx := credentials.WithNetwork(r.Context(), NetworkOf(r.RemoteAddr))
	if !a.auth.IsThrottled(ctx) {
		operation.begin(r, text, kind)
	}
	return a.auth.Authenticate(credentials.WithRequest(ctx, credentials.APIRequest, r.Method == http.MethodHead), text, kind)
}

// check returns an error if the access rules do not permit the caller.
func (a Access) check(who principal.Principal) error {
	if who.CustomerID != "" && !a.customers {
		return errOnlyStaff
	}
	if a.permission != "" && !who.Scoped() && !who.Can(a.permission) {
		return forbidden(a.permission, who)
	}
	if a.recent && who.MustSignInAgain {
		return errSignInRequired
	}
	return nil
}

// credential returns the credential in the request. The API key wins if there is also a token. A session counts only if
// the request has neither of the other headers, so that a client that sends a wrong key learns that.
func (a Access) credential(r *http.Request) (text string, kind credentials.Kind) {
	authorization, key := r.Header.Get("Authorization"), r.Header.Get("X-API-Key")
	if a.onlySession || len(r.Header.Values("Authorization"))+len(r.Header.Values("X-API-Key")) == 0 {
		if session := Cookie(r.Header.Get("Cookie"), SessionCookie); session != "" || a.onlySession {
			return session, credentials.Session
		}
	}
	scheme, token, _ := strings.Cut(authorization, " ")
	if a.tokens && key == "" && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token), credentials.AccessToken
	}
	return key, credentials.APIKey
}

// writeFault sends the problem of an error that occurred before the handler ran, and records it for the log.
func writeFault(w http.ResponseWriter, r *http.Request, err error, allowance credentials.Allowance) {
	p := server.ProblemOf(err)
	if p.Status == http.StatusTooManyRequests {
		p.Header.Set("Retry-After", seconds(allowance))
	}
	server.RecordFrom(r.Context()).Err = err
	p.Write(w, r)
}
