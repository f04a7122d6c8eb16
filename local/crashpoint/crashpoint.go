// Package crashpoint kills functions at their calls of AWS, so that a test can show what a crash leaves behind.
//
// A Guard stands between functions and the address of a service. Functions do not notice it. It asks a Hook about each
// call that is signed with the credentials of a function's role. Calls of clients with presigned URLs and calls of the
// developer pass.
package crashpoint

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	"portside/local/faultproxy"
)

// Action is what happens at a call.
type Action int

// The actions.
const (
	Forward    Action = iota // the call succeeds or fails as usual
	KillBefore               // the function is killed, and the service does not get the call
	KillAfter                // the service serves the call, and the function is killed before it gets the response
)

// Call is a call of a service by a function.
type Call struct {
	Function string
	faultproxy.Call
}

// IsRead reports whether the call cannot change anything.
func (c Call) IsRead() bool {
	switch c.Operation {
	case http.MethodGet, http.MethodHead, "GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan",
		"GetSecretValue", "DescribeSecret", "ListSecretVersionIds":
		return true
	}
	return false
}

// Hook decides about a call. It may be called concurrently.
type Hook func(Call) Action

// Guard asks a Hook about the calls of functions.
type Guard struct {
	Hook Hook
	// FunctionOf returns the function with an access key ID; "" if no function has it.
	FunctionOf func(accessKeyID string) string
	// Kill kills the processes of a function that work on an invocation. It returns when they have exited.
	Kill func(function string)
}

// Wrap returns a handler that passes calls to next, or kills their function. Without a Hook it returns next.
func (g Guard) Wrap(next http.Handler) http.Handler {
	if g.Hook == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		function := g.FunctionOf(accessKeyOf(r))
		if function == "" {
			next.ServeHTTP(w, r)
			return
		}
		switch g.Hook(Call{function, faultproxy.CallOf(r)}) {
		case KillBefore:
			g.Kill(function)
			panic(http.ErrAbortHandler)
		case KillAfter:
			next.ServeHTTP(&discarded{header: http.Header{}}, r)
			g.Kill(function)
			panic(http.ErrAbortHandler)
		case Forward:
			next.ServeHTTP(w, r)
		}
	})
}

// accessKeyOf returns the first part of the credential in the header of a signed request.
func accessKeyOf(r *http.Request) string {
	_, credential, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	key, _, _ := strings.Cut(credential, "/")
	return key
}

// discarded is a response that its client does not get.
type discarded struct{ header http.Header }

// Header implements http.ResponseWriter.
func (d *discarded) Header() http.Header { return d.header }

// Write implements http.ResponseWriter.
func (d *discarded) Write(p []byte) (int, error) { return len(p), nil }

// WriteHeader implements http.ResponseWriter.
func (d *discarded) WriteHeader(int) {}

// Proxy returns a handler that forwards requests to a service. It keeps the host, which signatures cover.
func Proxy(service string) (http.Handler, error) {
	address, err := url.Parse(service)
	if err != nil {
		return nil, err
	}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(address)
			r.Out.Host = r.In.Host
		},
		Transport: &http.Transport{DisableCompression: true},
	}, nil
}
