package stack

import (
	"bytes"
	_ "embed" // the page below
	"encoding/json"
	"html/template"
	"net/http"
)

//go:embed index.html
var indexHTML string

// pages returns the handler of the stack's pages below /_local/.
func (s *Stack) pages() (http.Handler, error) {
	page, err := template.New("index").Parse(indexHTML)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	outbox := s.outbox.Pages()
	mux.Handle("/_local/outbox", outbox)
	mux.Handle("/_local/outbox/", outbox)
	mux.HandleFunc("POST /_local/invoke/{function}", s.serveInvoke)
	mux.HandleFunc("POST /_local/rotate", s.serveRotate)
	mux.HandleFunc("POST /_local/dynamodb/calls", s.serveDynamoDBCalls)
	mux.HandleFunc("POST /_local/usage", s.serveUsage)
	mux.HandleFunc("GET /_local/{$}", func(w http.ResponseWriter, _ *http.Request) { s.serveIndex(w, page) })
	return localOnly(mux), nil
}

func (s *Stack) serveIndex(w http.ResponseWriter, page *template.Template) {
	var body bytes.Buffer
	err := page.Execute(&body, map[string]any{
		"Info":     s.info,
		"Data":     s.options.DataDir,
		"Template": s.template.Load(),
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
func (s *Stack) serveDynamoDBCalls(w http.ResponseWriter, r *http.Request) {
	if !s.isAuthorized(w, r) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(s.dynamoDB.TakeCalls()) // fails if the command has exited
}

// serveUsage returns what the functions used since the last request, for `make cost`.
func (s *Stack) serveUsage(w http.ResponseWriter, r *http.Request) {
	if !s.isAuthorized(w, r) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(s.used.Take()) // fails if the command has exited
}
