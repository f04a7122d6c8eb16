package main

import (
	"net/http"
	"runtime"
	"runtime/debug"
	"time"
)

// restTime is how long no request may have ended before the memory goes back.
const restTime = 2 * time.Second

// atRest calls do, once, some time after the last request.
func atRest(next http.Handler, do func()) http.Handler {
	timer := time.AfterFunc(restTime, do)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer timer.Reset(restTime)
		next.ServeHTTP(w, r)
	})
}

// giveBackMemory returns to the system what a push took, which is up to 100 MB of buffers. Left alone,
// a server that nobody uses keeps them for minutes, as its pool of buffers outlives one collection.
func giveBackMemory() {
	runtime.GC()
	debug.FreeOSMemory()
}
