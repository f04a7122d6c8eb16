package ses

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// API returns the handler of SES v2's SendEmail. Other operations get SES's error for unknown ones.
//
// It requires a signature but does not verify it. That is enough to keep out web pages, which
// cannot send an Authorization header to this address.
func (o *Outbox) API() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v2/email/outbound-emails", func(w http.ResponseWriter, r *http.Request) {
		id, err := o.send(w, r)
		if err != nil {
			writeError(w, err)
			return
		}
		writeJSON(w, http.StatusOK, map[string]string{"MessageId": id})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		writeError(w, &refusal{http.StatusNotFound, "UnknownOperationException", "the local SES supports only SendEmail"})
	})
	return mux
}

func (o *Outbox) send(w http.ResponseWriter, r *http.Request) (string, error) {
	if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ") {
		return "", &refusal{http.StatusForbidden, "MissingAuthenticationTokenException", "Missing Authentication Token"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequestBytes))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return "", badRequest("the message is larger than %d bytes", MaxRequestBytes)
	}
	if err != nil {
		return "", badRequest("the request body could not be read")
	}
	request, err := decode(body)
	if err != nil {
		return "", err
	}
	at := o.now()
	id := newID(at)
	message, err := request.compose(stamp{id: id, at: at})
	if err != nil {
		return "", err
	}
	return id, o.addMessage(id, message)
}

// refusal is an error in SES's format.
type refusal struct {
	status        int
	kind, message string
}

func (r *refusal) Error() string { return r.message }

func writeError(w http.ResponseWriter, err error) {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		// The only caller is the developer, so the error may show internal details.
		r = &refusal{http.StatusInternalServerError, "InternalServiceErrorException", err.Error()}
	}
	w.Header().Set("X-Amzn-Errortype", r.kind)
	writeJSON(w, r.status, map[string]string{"message": r.message})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // fails if the client is gone
}
