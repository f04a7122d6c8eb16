package main

import (
	"net/http"
	"time"

	"portside/shared/credentials"
	"portside/shared/sessions"
	"portside/shared/web"
)

// browserCookie holds the secret of a browser that asked for a sign-in mail.
const browserCookie = "__Host-portside-browser"

// knownCookie holds the secret of a browser in which a user has signed in.
const knownCookie = "__Host-portside-known"

// newCookie returns a Set-Cookie header. Scripts cannot read the cookie, and browsers send it only with requests of the
// portal's own pages.
func newCookie(name, value string, lifetime time.Duration) string {
	return newSiteCookie(name, value, lifetime, http.SameSiteStrictMode)
}

// newSiteCookie is newCookie with another rule about the pages whose requests send the cookie.
func newSiteCookie(name, value string, lifetime time.Duration, sameSite http.SameSite) string {
	cookie := http.Cookie{ //nolint:gosec // the callers choose Strict or Lax
		Name: name, Value: value, Path: "/", MaxAge: int(lifetime.Seconds()), Secure: true, HttpOnly: true,
		SameSite: sameSite,
	}
	return cookie.String()
}

// sessionCookies returns the Set-Cookie headers of a session that has just begun.
func sessionCookies(signedIn sessions.SignedIn) []string {
	all := []string{newCookie(web.SessionCookie, signedIn.Secret.Reveal(), credentials.SessionLifetime)}
	if signedIn.Known != nil {
		all = append(all, newCookie(knownCookie, signedIn.Known.Reveal(), sessions.KnownBrowserLifetime))
	}
	return all
}

// noSessionCookie returns the Set-Cookie header that removes the session's cookie.
func noSessionCookie() string { return newCookie(web.SessionCookie, "", -time.Second) }
