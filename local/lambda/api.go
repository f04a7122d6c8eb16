package lambda

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

// maxResponseBytes is Lambda's limit, slightly more than 6 MB.
const maxResponseBytes = MaxPayloadBytes + 100

// api returns the handler of the Lambda Runtime API. One listener serves all sandboxes:
// AWS_LAMBDA_RUNTIME_API may contain a path, and the path identifies the sandbox.
func (r *Runtime) api() http.Handler {
	const version = "/{sandbox}/2018-06-01/runtime"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+version+"/invocation/next", r.forSandbox((*sandbox).next))
	mux.HandleFunc("POST "+version+"/invocation/{id}/response", r.forSandbox((*sandbox).response))
	mux.HandleFunc("POST "+version+"/invocation/{id}/error", r.forSandbox((*sandbox).invocationError))
	mux.HandleFunc("POST "+version+"/init/error", r.forSandbox((*sandbox).handleInitError))
	return mux
}

func (r *Runtime) forSandbox(handle func(*sandbox, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		s, ok := r.sandboxes[req.PathValue("sandbox")]
		r.mu.Unlock()
		if !ok {
			writeError(w, http.StatusForbidden, "InvalidSandbox", "the sandbox of this process has been removed")
			return
		}
		handle(s, w, req)
	}
}

func writeError(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"errorMessage": message, "errorType": kind}) // fails if the process has exited
}

// next blocks until there is an invocation.
func (s *sandbox) next(w http.ResponseWriter, r *http.Request) {
	if !s.completeCurrent() {
		writeError(w, http.StatusForbidden, "InvalidStateTransition", "the last invocation has no response yet")
		return
	}
	s.readyOnce.Do(func() { close(s.ready) })
	select {
	case inv := <-s.work:
		s.deliver(w, inv)
	case <-r.Context().Done():
	}
}

// completeCurrent marks the last invocation as complete. It returns false if that has no response
// yet.
func (s *sandbox) completeCurrent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return true
	}
	select {
	case <-s.current.answered:
		close(s.current.completed)
		s.current = nil
		return true
	default:
		return false
	}
}

func (s *sandbox) deliver(w http.ResponseWriter, inv *invocation) {
	s.mu.Lock()
	s.current = inv
	s.mu.Unlock()
	deadline := inv.delivered.Add(s.function.Timeout)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(inv.payload)))
	h.Set("Lambda-Runtime-Aws-Request-Id", inv.id)
	h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(deadline.UnixMilli(), 10))
	h.Set("Lambda-Runtime-Invoked-Function-Arn", s.arn)
	h.Set("Lambda-Runtime-Trace-Id", traceID(inv.delivered))
	_, _ = w.Write(inv.payload) // fails if the process has exited; run handles that
}

// traceID returns an ID in X-Ray's format. Nothing is traced.
func traceID(at time.Time) string {
	return "Root=1-" + strconv.FormatInt(at.Unix(), 16) + "-" + randomHex(12) + ";Parent=" + randomHex(8) + ";Sampled=0"
}

// running returns the invocation that the request answers. If the request answers none, it writes an error.
func (s *sandbox) running(w http.ResponseWriter, r *http.Request) (*invocation, bool) {
	s.mu.Lock()
	inv := s.current
	s.mu.Unlock()
	if inv == nil || inv.id != r.PathValue("id") {
		writeError(w, http.StatusBadRequest, "InvalidRequestID", "this process is not running that invocation")
		return nil, false
	}
	return inv, true
}

func (s *sandbox) response(w http.ResponseWriter, r *http.Request) {
	s.answer(w, r, "")
}

func (s *sandbox) invocationError(w http.ResponseWriter, r *http.Request) {
	s.answer(w, r, Unhandled)
}

func (s *sandbox) answer(w http.ResponseWriter, r *http.Request, functionError string) {
	inv, ok := s.running(w, r)
	if !ok {
		return
	}
	payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxResponseBytes))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		inv.finish(responseTooLarge())
		writeError(w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", "Exceeded maximum allowed payload size.")
		return
	}
	if err != nil {
		return // the process exited while sending; run handles that
	}
	if broken := streamError(r); broken != nil {
		payload, functionError = broken, Unhandled
	}
	inv.finish(answer{payload: payload, functionError: functionError})
	w.WriteHeader(http.StatusAccepted)
}

// streamError returns the error that a function reports in the trailer of an incomplete streaming
// response.
func streamError(r *http.Request) []byte {
	if r.Trailer.Get("Lambda-Runtime-Function-Error-Type") == "" {
		return nil
	}
	body, err := base64.StdEncoding.DecodeString(r.Trailer.Get("Lambda-Runtime-Function-Error-Body"))
	if err != nil {
		return []byte(`{"errorType":"Runtime.TruncatedResponse"}`)
	}
	return body
}

// handleInitError stores the error. The invocation fails with it when the process exits.
func (s *sandbox) handleInitError(w http.ResponseWriter, r *http.Request) {
	reason, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxResponseBytes))
	if err != nil {
		return
	}
	s.mu.Lock()
	s.initError = reason
	s.mu.Unlock()
	w.WriteHeader(http.StatusAccepted)
}
