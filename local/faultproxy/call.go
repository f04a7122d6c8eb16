package faultproxy

import (
	"bytes"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
)

// The services that the proxy tells apart.
const (
	DynamoDB       = "DynamoDB"
	SecretsManager = "Secrets Manager"
	SES            = "SES"
	S3             = "S3"
	Other          = "other" // other services of AWS with JSON, or registries
)

// The operations of DynamoDB that faults look at.
const (
	getItem    = "GetItem"
	query      = "Query"
	scan       = "Scan"
	batchGet   = "BatchGetItem"
	batchWrite = "BatchWriteItem"
)

// Call names what a request asks for. The operation of a service without names of operations in its requests is the
// method.
type Call struct{ Service, Operation string }

// CallOf returns the call of a request.
func CallOf(r *http.Request) Call {
	prefix, operation, isNamed := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	switch {
	case strings.HasPrefix(prefix, "DynamoDB_"):
		return Call{DynamoDB, operation}
	case prefix == "secretsmanager":
		return Call{SecretsManager, operation}
	case isNamed:
		return Call{Other, operation}
	case strings.HasPrefix(r.URL.Path, "/v2/email/"):
		return Call{SES, r.Method}
	case strings.HasPrefix(r.URL.Path, "/v2/"), strings.HasPrefix(r.URL.Path, "/model/"):
		return Call{Other, r.Method}
	}
	return Call{S3, r.Method}
}

// request is a request to the service. The body of DynamoDB's is in memory, because faults change it.
type request struct {
	call Call
	raw  *http.Request
	body []byte
}

// readRequest prepares a request. The function that decides may read its body, too.
func readRequest(r *http.Request) (*request, error) {
	in := &request{call: CallOf(r), raw: r}
	if in.call.Service != DynamoDB {
		return in, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	in.body, r.Body = body, io.NopCloser(bytes.NewReader(body))
	return in, nil
}

// with returns the request with another body. The signature does not match it, which the local engine does not verify.
func (in *request) with(body []byte) *request {
	return &request{call: in.call, raw: in.raw, body: body}
}

// response is a response of the service.
type response struct {
	status int
	header http.Header
	body   []byte
}

// forward returns the response of the service.
func (p *Proxy) forward(in *request) (*response, error) {
	r := in.raw
	body, length := io.Reader(r.Body), r.ContentLength
	if in.call.Service == DynamoDB {
		body, length = bytes.NewReader(in.body), int64(len(in.body))
	}
	address := p.service + r.URL.RequestURI()
	out, err := http.NewRequestWithContext(r.Context(), r.Method, address, body) //nolint:gosec // the host is the service's
	if err != nil {
		return nil, err
	}
	out.Header, out.Host, out.ContentLength = r.Header.Clone(), r.Host, length // signatures cover the host
	answer, err := p.transport.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	found := &response{status: answer.StatusCode, header: answer.Header, body: content}
	p.remember(in, found)
	return found, nil
}

// replace returns the response with another body of JSON, and the checksum that DynamoDB adds.
func (out *response) replace(body []byte) *response {
	header := out.header.Clone()
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10))
	return &response{status: out.status, header: header, body: body}
}

// send writes the response. It sends only the first half of the body and closes the connection if isCut is true.
func (out *response) send(w http.ResponseWriter, isCut bool) {
	maps.Copy(w.Header(), out.header)
	if !isCut {
		w.WriteHeader(out.status)
		_, _ = io.Copy(w, bytes.NewReader(out.body)) // the client may be gone
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(out.body)+1)) // so that even an empty body is incomplete
	w.WriteHeader(out.status)
	_, _ = w.Write(out.body[:len(out.body)/2]) //nolint:gosec // a proxy sends what the service sent
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}
