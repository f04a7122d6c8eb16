package web

import (
	"context"
	"encoding/base64"
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

// BasicChallenge is the challenge for tools, because every chart and container client answers it.
const BasicChallenge = `Basic realm="Portside"`

// AuthenticateTool authenticates a client that supports only HTTP's own schemes: a token or password by Basic (RFC
// 7617), or as Bearer (RFC 6750) in the form of BearerOf. It always sets the response headers that belong to the
// outcome: the rate limit, Retry-After, and BasicChallenge. The request counts as one of the kind. It returns the
// errors of credentials.Authenticator.
func AuthenticateTool(
	w http.ResponseWriter, r *http.Request, auth ToolAuthenticator, kind credentials.RequestKind,
) (principal.Principal, error) {
	who, allowance, err := identify(r.WithContext(credentials.WithRequest(r.Context(), kind, r.Method == http.MethodHead)), auth)
	setRateLimit(w.Header(), allowance)
	server.RecordFrom(r.Context()).Caller = who
	switch fault.KindOf(err) {
	case fault.Unauthorized:
		w.Header().Set("WWW-Authenticate", BasicChallenge)
		return who, errToolUnauthorized
	case fault.RateLimited:
		w.Header().Set("Retry-After", seconds(allowance))
	}
	return who, err
}

func identify(r *http.Request, auth ToolAuthenticator) (principal.Principal, credentials.Allowance, error) {
	ctx := credentials.WithNetwork(r.Context(), NetworkOf(r.RemoteAddr))
	sent := loginOf(r)
	if sent.hasUsername {
		return auth.AuthenticateBasic(ctx, sent.username, sent.text)
	}
	return auth.Authenticate(ctx, sent.text, credentials.AccessToken)
}

// login is the text of a credential with its user name, which is empty for a Bearer value of the text alone.
type login struct {
	text, username string
	hasUsername    bool
}

func loginOf(r *http.Request) login {
	if username, text, ok := r.BasicAuth(); ok {
		return login{text, username, true}
	}
	scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return login{}
	}
	text, encoded, hasUsername := strings.Cut(strings.TrimSpace(bearer), bearerSeparator)
	username, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return login{} // other schemes are not supported
	}
	return login{text, string(username), hasUsername}
}

// bearerSeparator separates the text of a password from its user name. A Bearer value may contain it, but the text of a
// credential and base64url never do.
const bearerSeparator = "~"

// BearerOf returns a Bearer value that AuthenticateTool accepts in place of the request's credential. For a token, it
// is the text. For a password, it is the text followed by the user name in base64url, because user names can have
// characters that a Bearer value cannot. The text comes first and unchanged, so that secret scanners recognize it. The
// caller must have authenticated the request.
func BearerOf(r *http.Request) (string, error) {
	sent := loginOf(r)
	secret, err := credentials.Parse(sent.text)
	if err != nil || secret.Kind() != credentials.Password {
		return secret.Reveal(), err
	}
	username := strings.TrimRight(sent.username, "\r\n") // AuthenticateBasic ignores line ends
	return secret.Reveal() + bearerSeparator + base64.RawURLEncoding.EncodeToString([]byte(username)), nil
}
