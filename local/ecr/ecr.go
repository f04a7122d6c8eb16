// Package ecr emulates GetAuthorizationToken, the only call of Amazon ECR that Portside makes. The
// response has the registry's address and the user and password for it.
//
// It checks requests as strictly as the service does, so that a request that fails in the cloud
// also fails here. It requires a signature but does not verify it. That is enough to keep out web
// pages, which cannot send an Authorization header to this address without a preflight request.
package ecr

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"portside/local/iam"
)

// Config holds the contents of the response.
type Config struct {
	// Registry is the address of the registry, with http:// and without a trailing slash.
	Registry string
	// Password is the password of the registry's user AWS.
	Password string
	Now      func() time.Time
}

const (
	targetPrefix    = "AmazonEC2ContainerRegistry_V20150921."
	operation       = "GetAuthorizationToken"
	contentType     = "application/x-amz-json-1.1"
	maxRequestBytes = 16 << 10
	// tokenLifetime is the service's. The local password does not expire, but callers must not rely
	// on that.
	tokenLifetime = 12 * time.Hour
)

// API returns the handler of GetAuthorizationToken. Other operations get the service's error for
// unknown ones.
func (c Config) API() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refused := checkRequest(w, r); refused != nil {
			w.Header().Set("X-Amzn-Errortype", refused.Kind)
			writeJSON(w, http.StatusBadRequest, refused)
			return
		}
		writeJSON(w, http.StatusOK, c.newAuthorization(iam.RoleOf(r)))
	})
}

// refusal is an error in the service's format.
type refusal struct {
	Kind    string `json:"__type"`
	Message string `json:"message,omitempty"`
}

func checkRequest(w http.ResponseWriter, r *http.Request) *refusal {
	target, ours := strings.CutPrefix(r.Header.Get("X-Amz-Target"), targetPrefix)
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/" || !ours || err != nil || media != contentType:
		return &refusal{"UnknownOperationException", "the request is not a call of Amazon ECR in JSON 1.1"}
	case !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 "):
		return &refusal{"MissingAuthenticationTokenException", "Missing Authentication Token"}
	case target != operation:
		return &refusal{"UnknownOperationException", "the local Amazon ECR supports only " + operation}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBytes))
	if err != nil {
		return &refusal{"SerializationException",
			fmt.Sprintf("the request is larger than %d bytes or could not be read", maxRequestBytes)}
	}
	return checkInput(body)
}

func checkInput(body []byte) *refusal {
	var input *struct {
		RegistryIDs []string `json:"registryIds"`
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&input)
	if _, more := decoder.Token(); err != nil || input == nil || !errors.Is(more, io.EOF) {
		return &refusal{"SerializationException", "the request is not valid JSON for this operation"}
	}
	if len(input.RegistryIDs) > 0 {
		return &refusal{"InvalidParameterException", "registryIds is deprecated: omit it, there is only one registry"}
	}
	return nil
}

// roleMark separates the registry's password from the role that has logged in. The registry asks what that role may do.
const roleMark = "|role="

func passwordOf(password, role string) string {
	if role == "" {
		return password
	}
	return password + roleMark + role
}

// SplitPassword returns the registry's password and the ID of the role that has logged in, which is empty for a
// developer.
func SplitPassword(given string) (password, role string) {
	password, role, _ = strings.Cut(given, roleMark)
	return password, role
}

type authorizationData struct {
	AuthorizationToken string       `json:"authorizationToken"`
	ExpiresAt          epochSeconds `json:"expiresAt"`
	ProxyEndpoint      string       `json:"proxyEndpoint"`
}

type authorization struct {
	AuthorizationData []authorizationData `json:"authorizationData"`
}

func (c Config) newAuthorization(role string) authorization {
	return authorization{[]authorizationData{{
		AuthorizationToken: base64.StdEncoding.EncodeToString([]byte("AWS:" + passwordOf(c.Password, role))),
		ExpiresAt:          epochSeconds(c.Now().Add(tokenLifetime)),
		ProxyEndpoint:      c.Registry,
	}}}
}

// epochSeconds is a time in the protocol's format, a number of seconds.
type epochSeconds time.Time

// MarshalJSON writes milliseconds as decimals.
func (i epochSeconds) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%.3f", float64(time.Time(i).UnixMilli())/1000), nil
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails if the client is gone
}
