package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"portside/shared/core/fault"
	"portside/shared/credentials"
	"portside/shared/images/imagesecr"
	"portside/shared/web"
	"portside/shared/web/server"
)

// tokenPath is the path of the token endpoint, for clients that support only the Bearer scheme of the CNCF registry
// (https://distribution.github.io/distribution/spec/auth/token/). It is not the path of any repository.
const tokenPath = "/v2/token"

const (
	// tokenLifetime is how long a client may use a token before it requests another, if the credential does not end
	// before. The time is short so that a client soon uses a new credential.
	tokenLifetime = 5 * time.Minute
	maxTokenForm  = 8 << 10 // bytes; credentials and scopes are much shorter
)

var (
	errTokenMethod = fault.New(fault.Forbidden,
		"Ask for a token with GET and a user name and password, or with POST and a form.")
	errTokenForm = fault.New(fault.Validation, "Send a form (application/x-www-form-urlencoded) of at most 8 KiB with grant_type=password, "+
		"username and password, or with grant_type=refresh_token and refresh_token, which is an access token.")
)

// tokenAnswer is the response of the token endpoint. It has the token under two names, because clients read one or the
// other.
type tokenAnswer struct {
	Token       string    `json:"token"`
	AccessToken string    `json:"access_token"` // of OAuth 2.0, the same
	ExpiresIn   int       `json:"expires_in"`   // seconds
	IssuedAt    time.Time `json:"issued_at"`
}

// token returns the credential itself as the Bearer token, in the form of web.BearerOf. So the token expires with the
// credential and always has its scopes, whatever scope the client requests; see docs/decisions/0055-token-endpoint.md.
func (g *gateway) token(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Docker-Distribution-Api-Version", "registry/2.0")
	answer, err := g.answerToken(w, r)
	record := server.RecordFrom(r.Context())
	record.Route, record.Err, record.Brief = r.Method+" "+tokenPath, err, true
	if err != nil {
		writeFault(w, err)
		return
	}
	write(w, answer)
}

func (g *gateway) answerToken(w http.ResponseWriter, r *http.Request) (imagesecr.Response, error) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPost:
		if err := useForm(r); err != nil {
			return imagesecr.Response{}, err
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		return imagesecr.Response{}, errTokenMethod
	}
	who, err := web.AuthenticateTool(w, r, g.auth, credentials.ArtifactRequest)
	if err != nil {
		return imagesecr.Response{}, err
	}
	token, err := web.BearerOf(r)
	if err != nil {
		return imagesecr.Response{}, fmt.Errorf("the token of an authenticated request: %w", err)
	}
	issued, lifetime := g.now().UTC().Truncate(time.Second), tokenLifetime
	if ends := who.Token.ExpiresAt; !ends.IsZero() {
		lifetime = min(lifetime, ends.Sub(issued))
	}
	body, err := json.Marshal(tokenAnswer{ //nolint:gosec // G117: the response must have the token
		Token: token, AccessToken: token, ExpiresIn: int(lifetime.Seconds()), IssuedAt: issued,
	})
	return imagesecr.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: body}, err
}

// useForm authenticates a request with the credential in its form instead of its Authorization header. In OAuth, that
// header authenticates the client (RFC 6749, section 2.3.1), and this endpoint has no registered clients.
func useForm(r *http.Request) error {
	form, err := web.ReadURLForm(r, maxTokenForm)
	if err != nil {
		return errTokenForm
	}
	switch form.Get("grant_type") {
	case "password":
		r.SetBasicAuth(form.Get("username"), form.Get("password"))
	case "refresh_token":
		r.Header.Set("Authorization", "Bearer "+form.Get("refresh_token"))
	default:
		return errTokenForm
	}
	return nil
}

// basicClients are the product names, in the User-Agent header, of clients that support the Basic challenge. With it,
// they need no token, which saves one request per pull.
var basicClients = map[string]bool{
	"buildah": true, "buildkit": true, "containerd": true, "containers": true, "cosign": true, "crane": true,
	"cri-o": true, "docker": true,
	"docker-client": true, "go-containerregistry": true, "helm": true, "libpod": true, "oras": true, "oras-go": true,
	"podman":    true,
	"regclient": true, "skopeo": true, "wget": true,
}

// challenge returns the WWW-Authenticate header. Clients in basicClients get only the Basic challenge. Others get both
// challenges in one field, because API Gateway joins fields anyway. Most parsers read only the first challenge, so
// Bearer comes first. Both have the same realm, in case a parser mixes up their parameters. After a Bearer token that
// does not work, the challenge says so (RFC 6750, 3.1): containerd's library requests another token only then.
func (g *gateway) challenge(r *http.Request) string {
	for product := range strings.FieldsSeq(r.UserAgent()) {
		name, _, _ := strings.Cut(product, "/")
		if basicClients[strings.ToLower(name)] {
			return web.BasicChallenge
		}
	}
	realm := strconv.Quote(web.HostURL(g.baseURL, r.Host) + tokenPath)
	reason := ""
	if scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		reason = `,error="invalid_token"`
	}
	return "Bearer realm=" + realm + ",service=" + strconv.Quote(r.Host) + reason + ", Basic realm=" + realm
}
