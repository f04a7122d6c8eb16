// Package control has the stack's pages and commands below /_local/, and calls the commands of a stack in another
// process.
package control

import (
	"bytes"
	"context"
	"crypto/subtle"
	_ "embed" // the page below
	"encoding/json"
	"html/template"
	"net/http"

	"portside/local/stack/deployment"
	"portside/local/stack/folder"
	"portside/local/stack/functions"
	"portside/local/stack/loopback"
	"portside/local/stack/services"
	"portside/local/usage"
)

//go:embed index.html
var indexHTML string

// Config holds the parameters of New.
type Config struct {
	Info       folder.Info
	Data       string // the data folder
	Deployment *deployment.Deployment
	Services   *services.Services
	Used       *usage.Counter
	// Invoke invokes a function.
	Invoke func(ctx context.Context, function string, event []byte) functions.Invocation
}

// New returns the handler of everything below /_local/.
func New(c Config) (http.Handler, error) {
	page, err := template.New("index").Parse(indexHTML)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	outbox := c.Services.Outbox()
	mux.Handle("/_local/outbox", outbox)
	mux.Handle("/_local/outbox/", outbox)
	mux.Handle("POST /_local/invoke/{function}", c.authorized(c.serveInvoke))
	mux.Handle("POST /_local/rotate", c.authorized(c.serveRotate))
	mux.Handle("POST /_local/dynamodb/calls", c.authorized(c.serveDynamoDBCalls))
	mux.Handle("POST /_local/usage", c.authorized(c.serveUsage))
	mux.HandleFunc("GET /_local/{$}", func(w http.ResponseWriter, _ *http.Request) { c.serveIndex(w, page) })
	return loopback.Only(mux), nil
}

// authorized refuses requests without the control token. Web
// pages can post to any port of this machine, but only the user's programs can read the token.
func (c Config) authorized(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := r.Header.Get("Authorization")
		if subtle.ConstantTimeCompare([]byte(token), []byte("Bearer "+c.Info.Control)) != 1 {
			http.Error(w, "the control token of stack.json is missing", http.StatusForbidden)
			return
		}
		next(w, r)
	})
}

func (c Config) serveIndex(w http.ResponseWriter, page *template.Template) {
	var body bytes.Buffer
	err := page.Execute(&body, map[string]any{
		"Info":     c.Info,
		"Data":     c.Data,
		"Template": c.Deployment.Template(),
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	_, _ = body.WriteTo(w) // fails if the client is gone
}

// serveDynamoDBCalls returns the calls of DynamoDB since the last request, for `make bench`.
func (c Config) serveDynamoDBCalls(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(c.Services.TakeCalls()) // fails if the command has exited
}

// serveUsage returns what the functions used since the last request, for `make cost`.
func (c Config) serveUsage(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(c.Used.Take()) // fails if the command has exited
}
