package stack

import (
	"net/http"
	"sync/atomic"

	"portside/local/gateway"
	"portside/local/stack/console"
	"portside/local/stack/delivery"
	"portside/local/stack/deployment"
	"portside/local/stack/folder"
	"portside/local/stack/functions"
	"portside/local/template"
)

// api is the HTTP API.
type api struct {
	functions *functions.Functions
	logs      *delivery.Logs
	console   *console.Console
	disk      *folder.Disk
	handler   atomic.Pointer[http.Handler]
}

// setRoutes replaces the routes by those of t.
func (a *api) setRoutes(t *template.Stack) error {
	handler, err := gateway.New(gateway.Config{
		Routes:    t.Routes,
		Invoker:   a.functions.Built(),
		Ready:     a.functions.MistakeIn,
		CORS:      t.CORS,
		Throttle:  t.Throttle,
		Throttles: t.RouteThrottles,
		AccountID: deployment.AccountID,
		Log:       a.logRequest,
		AccessLog: a.logs.AccessLog(t.AccessLog),
	})
	if err != nil {
		return err
	}
	a.handler.Store(&handler)
	return nil
}

// ServeHTTP implements http.Handler.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) { (*a.handler.Load()).ServeHTTP(w, r) }

func (a *api) logRequest(r gateway.Record) {
	a.console.LogRequest(r)
	if r.Status >= http.StatusInternalServerError {
		a.disk.Report()
	}
}
