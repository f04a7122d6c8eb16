package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"

	"github.com/distribution/distribution/v3/registry/api/errcode"

	"portside/local/ecr"
)

// userName is the user name of all ECR logins.
const userName = "AWS"

// requirePassword refuses all requests without the password, including HEAD requests and unknown
// paths. The password may belong to a role.
func requirePassword(password string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(userName + ":" + password))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, given, _ := r.BasicAuth()
		given, _ = ecr.SplitPassword(given)
		got := sha256.Sum256([]byte(user + ":" + given))
		if subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Docker-Distribution-Api-Version", "registry/2.0")
		w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
		_ = errcode.ServeJSON(w, errcode.ErrorCodeUnauthorized) // fails if the client is gone
	})
}
