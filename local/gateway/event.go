package gateway

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"portside/local/template"
)

// event is an event in payload format 2.0. Like API Gateway, it omits empty fields.
type event struct {
	Version               string            `json:"version"`
	RouteKey              string            `json:"routeKey"`
	RawPath               string            `json:"rawPath"`
	RawQueryString        string            `json:"rawQueryString"`
	Cookies               []string          `json:"cookies,omitempty"`
	Headers               map[string]string `json:"headers"`
	QueryStringParameters map[string]string `json:"queryStringParameters,omitempty"`
	RequestContext        requestContext    `json:"requestContext"`
	PathParameters        map[string]string `json:"pathParameters,omitempty"`
	Body                  string            `json:"body,omitempty"`
	IsBase64Encoded       bool              `json:"isBase64Encoded"`
}

type requestContext struct {
	AccountID    string      `json:"accountId"`
	APIID        string      `json:"apiId"`
	DomainName   string      `json:"domainName"`
	DomainPrefix string      `json:"domainPrefix"`
	HTTP         httpContext `json:"http"`
	RequestID    string      `json:"requestId"`
	RouteKey     string      `json:"routeKey"`
	Stage        string      `json:"stage"`
	Time         string      `json:"time"`
	TimeEpoch    int64       `json:"timeEpoch"`
}

type httpContext struct {
	Method    string `json:"method"`
	Path      string `json:"path"`
	Protocol  string `json:"protocol"`
	SourceIP  string `json:"sourceIp"`
	UserAgent string `json:"userAgent"`
}

// event encodes the request for the function.
func (g *gateway) event(c *call) []byte {
	r := c.request
	e := event{
		Version: "2.0", RouteKey: c.match.key, RawPath: c.path, RawQueryString: r.URL.RawQuery,
		Cookies: cookies(r.Header), Headers: headers(c),
		QueryStringParameters: query(r.URL.RawQuery), PathParameters: c.match.parameters,
		RequestContext: g.context(c),
	}
	e.Body, e.IsBase64Encoded = encodeBody(r.Header, c.body)
	return encode(e)
}

// encode does not escape <, > and &, because that would make the event larger than on AWS.
func encode(e event) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		panic(err) // strings and numbers always marshal
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

func (g *gateway) context(c *call) requestContext {
	r := c.request
	prefix, _, _ := strings.Cut(r.Host, ".")
	if host, _, err := net.SplitHostPort(prefix); err == nil {
		prefix = host
	}
	return requestContext{
		AccountID: g.AccountID, APIID: g.APIID, DomainName: r.Host, DomainPrefix: prefix,
		HTTP: httpContext{
			Method: r.Method, Path: c.path, Protocol: r.Proto, SourceIP: sourceIP(r), UserAgent: r.UserAgent(),
		},
		RequestID: c.record.RequestID, RouteKey: c.match.key, Stage: template.DefaultPath,
		Time:      c.record.Time.UTC().Format("02/Jan/2006:15:04:05 -0700"),
		TimeEpoch: c.record.Time.UnixMilli(),
	}
}

// decodedPath returns the event's rawPath. HTTP APIs decode it and cut it off at an encoded "?".
func decodedPath(r *http.Request) string {
	path, _, _ := strings.Cut(r.URL.Path, "?")
	return strings.ToValidUTF8(path, "\uFFFD")
}

func sourceIP(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

func cookies(h http.Header) []string {
	var all []string
	for _, line := range h["Cookie"] {
		for cookie := range strings.SplitSeq(line, ";") {
			if cookie = strings.TrimSpace(cookie); cookie != "" {
				all = append(all, cookie)
			}
		}
	}
	return all
}

// connectionHeaders apply to one connection, so they are not in the event. Cookies have a separate
// field.
var connectionHeaders = [...]string{
	"Connection", "Cookie", "Expect", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization",
	"Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

func headers(c *call) map[string]string {
	r := c.request
	all := map[string]string{}
	for name, values := range r.Header {
		if !slices.Contains(connectionHeaders[:], name) {
			all[strings.ToLower(name)] = strings.Join(values, ",")
		}
	}
	all["host"] = r.Host
	all["content-length"] = strconv.Itoa(len(c.body))
	if before := all["x-forwarded-for"]; before != "" {
		all["x-forwarded-for"] = before + ", " + sourceIP(r)
	} else {
		all["x-forwarded-for"] = sourceIP(r)
	}
	all["x-forwarded-proto"], all["x-forwarded-port"] = "http", port(r)
	if all["x-amzn-trace-id"] == "" {
		all["x-amzn-trace-id"] = traceID(c.record.Time)
	}
	return all
}

// port returns the local port of the connection.
func port(r *http.Request) string {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if _, port, err := net.SplitHostPort(local.String()); err == nil {
			return port
		}
	}
	return "80"
}

// query joins repeated parameters with commas and keeps badly encoded parts unchanged.
func query(raw string) map[string]string {
	var all map[string]string
	for pair := range strings.SplitSeq(raw, "&") {
		if pair == "" {
			continue
		}
		key, value, _ := strings.Cut(pair, "=")
		key, value = unescape(key), unescape(value)
		if all == nil {
			all = map[string]string{}
		}
		if before, ok := all[key]; ok {
			value = before + "," + value
		}
		all[key] = value
	}
	return all
}

func unescape(s string) string {
	if decoded, err := url.QueryUnescape(s); err == nil {
		s = decoded
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// encodeBody returns text unchanged and other bodies in base64. HTTP APIs treat only these types as
// text: not forms, not …+json, and not bodies without a type.
func encodeBody(h http.Header, body []byte) (string, bool) {
	if len(body) == 0 {
		return "", false
	}
	typ, _, _ := strings.Cut(strings.ToLower(h.Get("Content-Type")), ";")
	compressed := h.Get("Content-Encoding") != "" && !strings.EqualFold(h.Get("Content-Encoding"), "identity")
	switch typ = strings.TrimSpace(typ); {
	case compressed:
	case strings.HasPrefix(typ, "text/"), typ == "application/json", typ == "application/xml",
		typ == "application/javascript":
		return string(body), false
	}
	return base64.StdEncoding.EncodeToString(body), true
}

// headerBytes returns the size that counts for API Gateway's quota: the request line and the header
// values.
func headerBytes(r *http.Request) int {
	size := len(r.Method) + len(r.RequestURI) + len(r.Proto) + len(r.Host) + 2
	for _, values := range r.Header {
		for _, value := range values {
			size += len(value)
		}
	}
	return size
}

// randomID returns an ID in the format of HTTP APIs' request IDs: 15 characters and "=".
func randomID() string {
	id := make([]byte, 11)
	_, _ = rand.Read(id) // never fails
	return base64.URLEncoding.EncodeToString(id)
}

func traceID(now time.Time) string {
	id := make([]byte, 12)
	_, _ = rand.Read(id)                                                             // never fails
	return fmt.Sprintf("Root=1-%08x-%s", uint32(now.Unix()), hex.EncodeToString(id)) //nolint:gosec // 32 bits in this format
}
