package web

import (
	"net/http"

	"portside/shared/core/fault"
	"portside/shared/credentials"
)

// SessionCookie is the cookie that holds the session of a browser. The prefix makes browsers accept it only over HTTPS
// (or from localhost), only for this host and for all of its paths.
const SessionCookie = "__Host-portside-session"

var (
	errOtherOrigin = fault.New(fault.Forbidden, "A page of another origin sent this request. Sessions work only on the portal's own "+
		"pages; programs send an API key in X-API-Key.")
	errSignInRequired = fault.New(fault.SignInRequired, "You signed in more than 15 minutes ago. Sign in again to confirm that it is "+
		"you, and repeat the request.")
)

// Cookie returns the value of a cookie from the Cookie header, or "" if it is missing. It also returns "" if there are
// several with the name, because then one of them was planted.
func Cookie(header, name string) string {
	request := http.Request{Header: http.Header{"Cookie": {header}}}
	found := request.CookiesNamed(name)
	if len(found) != 1 {
		return ""
	}
	return found[0].Value
}

var crossOrigin = http.NewCrossOriginProtection()

// checkOrigin refuses a request with a session that a page of another origin makes. Browsers send SameSite=Strict
// cookies only with requests from the same site. This check also refuses other origins of that site, and requests of
// browsers that ignore the attribute.
func (a Access) checkOrigin(r *http.Request, kind credentials.Kind) error {
	if kind != credentials.Session && !a.sameOrigin {
		return nil
	}
	asChange := *r
	asChange.Method = http.MethodPost // Check passes all requests with safe methods
	if crossOrigin.Check(&asChange) != nil {
		return errOtherOrigin
	}
	return nil
}
