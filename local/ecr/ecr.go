// Package ecr answers the one call of Amazon ECR that Portside makes, GetAuthorizationToken: where the
// registry is, and the user and password for it.
//
// It checks a request as strictly as the service does, so that code which the service would refuse does
// not get through here. That there is a signature is checked, not whose it is: it keeps out a web page
// that posts to this address from a browser, which cannot send one unasked.
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
)

// Config says what the answer is.
type Config struct {
	// Registry is the address of the registry, with http:// and without a trailing slash.
	Registry string
	// Password is that of the registry's user AWS.
	Password string
	Now      func() time.Time
}

const (
	service     = "AmazonEC2ContainerRegistry_V20150921."
	operation   = "GetAuthorizationToken"
	contentType = "application/x-amz-json-1.1"
	maxRequest  = 16 << 10
	// validity is the service's. Here the password stays good, which nobody may rely on.
	validity = 12 * time.Hour
)

// API answers the calls. Other operations get the service's answer to an unknown one.
func (c Config) API() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refused := check(w, r); refused != nil {
			w.Header().Set("X-Amzn-Errortype", refused.Kind)
			writeJSON(w, http.StatusBadRequest, refused)
			return
		}
		writeJSON(w, http.StatusOK, c.answer())
	})
}

// refusal is an error in the service's shape.
type refusal struct {
	Kind    string `json:"__type"`
	Message string `json:"message,omitempty"`
}

func check(w http.ResponseWriter, r *http.Request) *refusal {
	target, ours := strings.CutPrefix(r.Header.Get("X-Amz-Target"), service)
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/" || !ours || err != nil || media != contentType:
		return &refusal{"UnknownOperationException", "this is not a call of Amazon ECR in JSON 1.1"}
	case !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 "):
		return &refusal{"MissingAuthenticationTokenException", "Missing Authentication Token"}
	case target != operation:
		return &refusal{"UnknownOperationException", "the local Amazon ECR has only " + operation}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		return &refusal{"SerializationException", fmt.Sprintf("the request is larger than %d bytes or could not be read", maxRequest)}
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
		return &refusal{"SerializationException", "the request is not JSON of this operation's shape"}
	}
	if len(input.RegistryIDs) > 0 {
		return &refusal{"InvalidParameterException", "registryIds is deprecated: leave it out, there is one registry"}
	}
	return nil
}

type authorizationData struct {
	AuthorizationToken string  `json:"authorizationToken"`
	ExpiresAt          instant `json:"expiresAt"`
	ProxyEndpoint      string  `json:"proxyEndpoint"`
}

type authorization struct {
	AuthorizationData []authorizationData `json:"authorizationData"`
}

func (c Config) answer() authorization {
	return authorization{[]authorizationData{{
		AuthorizationToken: base64.StdEncoding.EncodeToString([]byte("AWS:" + c.Password)),
		ExpiresAt:          instant(c.Now().Add(validity)),
		ProxyEndpoint:      c.Registry,
	}}}
}

// instant is a time as the protocol has it: seconds as a number.
type instant time.Time

// MarshalJSON writes milliseconds as decimals.
func (i instant) MarshalJSON() ([]byte, error) {
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
	_, _ = w.Write(body) // the client is gone when this fails
}
