package main

import (
	"net/http"
	"runtime"
	"runtime/debug"
	"time"
)

// idleTimeout is the time without requests after which the memory is freed.
const idleTimeout = 2 * time.Second

// whenIdle calls do once when no request has ended for idleTimeout.
func whenIdle(next http.Handler, do func()) http.Handler {
	timer := time.AfterFunc(idleTimeout, do)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer timer.Reset(idleTimeout)
		next.ServeHTTP(w, r)
	})
}

// freeMemory returns the buffers of a push, up to 100 MB, to the system. Otherwise an idle server
// keeps them for minutes, because its buffer pool survives one garbage collection.
func freeMemory() {
	runtime.GC()
	debug.FreeOSMemory()
}
