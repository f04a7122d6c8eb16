package mediatest

import "net/http"

// withoutHealthChecks answers GET /healthz with 404 before next sees it. The S3 engine of another test, which starts at the
// same time on a port that was free, may poll the port of this server.
func withoutHealthChecks(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
