package server

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// minGzipBytes is the size from which compression is worthwhile.
const minGzipBytes = 1 << 10

// Negotiated wraps a handler that reads. A successful response with JSON, CSV or JSON Lines becomes a 304 if the client
// has it (If-None-Match), and is compressed if the client accepts gzip.
//
// A response with a strong ETag is not compressed: strong tags identify exact bytes, and clients send them in If-Match.
// Large responses have no tag or a weak one. Responses to other methods than GET and HEAD pass unchanged, so that
// nothing compresses a secret together with what a client chose.
func Negotiated(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			next(w, r)
			return
		}
		out := &negotiator{ResponseWriter: w, request: r}
		next(out, r)
		out.finish()
	}
}

// negotiator keeps the body of a successful response with one of dataTypes until finish. It passes on everything else.
type negotiator struct {
	http.ResponseWriter
	request *http.Request
	started bool
	keeps   bool
	body    bytes.Buffer
}

var dataTypes = []string{"application/json", "text/csv", "application/x-ndjson"}

// WriteHeader implements http.ResponseWriter.
func (n *negotiator) WriteHeader(status int) {
	if n.started {
		return
	}
	n.started = true
	kind := n.Header().Get("Content-Type")
	isData := slices.ContainsFunc(dataTypes, func(data string) bool { return strings.HasPrefix(kind, data) })
	n.keeps = status == http.StatusOK && isData && n.Header().Get("Content-Encoding") == ""
	if !n.keeps {
		n.ResponseWriter.WriteHeader(status)
	}
}

// Write implements http.ResponseWriter.
func (n *negotiator) Write(p []byte) (int, error) {
	n.WriteHeader(http.StatusOK)
	if n.keeps {
		return n.body.Write(p)
	}
	return n.ResponseWriter.Write(p)
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (n *negotiator) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// finish sends a response that was kept.
func (n *negotiator) finish() {
	if !n.keeps {
		return
	}
	header, tag := n.Header(), n.Header().Get("ETag")
	if tag != "" && MatchesTag(n.request.Header.Values("If-None-Match"), tag) {
		header.Del("Content-Type")
		header.Del("Content-Length")
		n.ResponseWriter.WriteHeader(http.StatusNotModified)
		return
	}
	if isWeak := tag == "" || strings.HasPrefix(tag, "W/"); isWeak && n.body.Len() >= minGzipBytes {
		header.Add("Vary", "Accept-Encoding")
		if AcceptsGzip(n.request.Header.Values("Accept-Encoding")) {
			n.compress()
		}
	}
	n.ResponseWriter.WriteHeader(http.StatusOK)
	_, _ = n.ResponseWriter.Write(n.body.Bytes()) // the client may have disconnected
}

// compress replaces the body. Its level is the fastest one, because a function has little CPU and the network is near.
func (n *negotiator) compress() {
	var packed bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // fails only for an unknown level
	_, _ = writer.Write(n.body.Bytes())                       // never fails
	_ = writer.Close()
	n.body = packed
	n.Header().Set("Content-Encoding", "gzip")
	if n.Header().Get("Content-Length") != "" {
		n.Header().Set("Content-Length", strconv.Itoa(packed.Len()))
	}
}
