package iam

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// sessionOf returns the credentials with which a request is signed. The token is empty for permanent credentials.
func sessionOf(r *http.Request) Session {
	_, credential, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	key, _, _ := strings.Cut(credential, "/")
	return Session{AccessKeyID: key, SessionToken: r.Header.Get("X-Amz-Security-Token")}
}

// RoleOf returns the ID of the role whose credentials have signed a request. It is empty for permanent credentials.
func RoleOf(r *http.Request) string {
	role, _ := sessionOf(r).RoleID()
	return role
}

// authorize authorizes a request of a session. It permits every request with permanent credentials.
func authorize(a *Authorizer, r *http.Request, read func() ([]Request, error)) error {
	s := sessionOf(r)
	if !IsTemporary(s.AccessKeyID) && s.SessionToken == "" {
		return nil
	}
	if _, ok := s.RoleID(); !ok {
		return ErrInvalidToken
	}
	requests, err := read()
	if err != nil {
		return err
	}
	return a.Authorize(s, requests...)
}

// Service authorizes the calls of a service whose requests and errors are JSON.
type Service struct {
	Authorizer *Authorizer
	// Requests returns the requests of a call with the given body.
	Requests func(r *http.Request, body []byte) ([]Request, error)
	// DeniedStatus is the status of the answer to a denied call: 400 or, for REST services, 403.
	DeniedStatus int
}

// maxServiceBytes is above the limits of all services but DynamoDB.
const maxServiceBytes = 64 << 20

// Guard returns a handler that passes permitted calls to next, and answers others as the service does.
func (s Service) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := authorize(s.Authorizer, r, func() ([]Request, error) {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxServiceBytes))
			if err != nil {
				return nil, fmt.Errorf("read the call: %w", err)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			return s.Requests(r, body)
		})
		if err == nil {
			next.ServeHTTP(w, r)
			return
		}
		s.refuse(w, err)
	})
}

func (s Service) refuse(w http.ResponseWriter, err error) {
	kind := "UnrecognizedClientException"
	if _, denied := errors.AsType[*Denial](err); denied {
		kind = "AccessDeniedException"
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	w.Header().Set("X-Amzn-Errortype", kind)
	w.WriteHeader(s.DeniedStatus)
	_ = json.NewEncoder(w).Encode(map[string]string{"__type": kind, "message": err.Error()}) // fails if the client is gone
}
