package lambdahttp

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

const requestIDHeader = "X-Request-Id"

// request is an event with what was learned from it before the adapter runs.
type request struct {
	event events.APIGatewayV2HTTPRequest
	id    string
	body  string // decoded
}

// restore gives r what the adapter was not shown.
func restore(r *http.Request, in request) {
	r.Method = method(in.event)
	r.URL = &url.URL{Path: path(in.event), RawQuery: in.event.RawQueryString}
	r.RequestURI = r.URL.RequestURI()
	r.Host = host(in.event)
	r.RemoteAddr = remoteAddr(in.event)
	r.Header = header(in)
}

func method(event events.APIGatewayV2HTTPRequest) string {
	if event.RequestContext.HTTP.Method == "" {
		return http.MethodGet
	}
	return strings.ToUpper(event.RequestContext.HTTP.Method)
}

// path is rawPath as it stands, for in spite of its name an HTTP API decodes it: a percent sign in it
// is one that the client encoded as %25, and "%2F" was "%252F". (REST APIs and function URLs send it
// encoded; Portside uses neither.)
func path(event events.APIGatewayV2HTTPRequest) string {
	if strings.HasPrefix(event.RawPath, "/") {
		return event.RawPath
	}
	return "/" + event.RawPath
}

// host is the domain name that API Gateway matched. The Host header is believed only where there is
// none, or to add the port, which a domain name lacks and a link to a local stack needs.
func host(event events.APIGatewayV2HTTPRequest) string {
	domain, sent := event.RequestContext.DomainName, headerValue(event, "host")
	if domain == "" {
		return sent
	}
	name, port, err := net.SplitHostPort(sent)
	if err != nil || name != domain {
		return domain
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return domain
	}
	return sent
}

// remoteAddr has a port, always 0, because code that reads it expects net.SplitHostPort to work.
func remoteAddr(event events.APIGatewayV2HTTPRequest) string {
	ip, err := netip.ParseAddr(event.RequestContext.HTTP.SourceIP)
	if err != nil {
		return ":0"
	}
	return netip.AddrPortFrom(ip, 0).String()
}

// header has each line as it was sent; API Gateway has already joined repeated ones by commas.
func header(in request) http.Header {
	h := make(http.Header, len(in.event.Headers)+3)
	for name, value := range in.event.Headers {
		h.Add(name, value)
	}
	h.Del("Host") // net/http moves it to Request.Host
	if len(in.event.Cookies) > 0 {
		h.Set("Cookie", strings.Join(in.event.Cookies, "; "))
	}
	setOrDelete(h, "Content-Length", contentLength(in, h))
	setOrDelete(h, requestIDHeader, in.id)
	return h
}

// contentLength counts the decoded body. A request with neither a body nor a declared length has none.
func contentLength(in request, h http.Header) string {
	if in.body == "" && h.Get("Content-Length") == "" {
		return ""
	}
	return strconv.Itoa(len(in.body))
}

func setOrDelete(h http.Header, name, value string) {
	if value == "" {
		h.Del(name)
		return
	}
	h.Set(name, value)
}

// requestID is API Gateway's ID, which its access log has too; an event made by hand may lack one and
// gets the invocation's.
func requestID(ctx context.Context, event events.APIGatewayV2HTTPRequest) string {
	if id := event.RequestContext.RequestID; id != "" {
		return id
	}
	if invocation, ok := lambdacontext.FromContext(ctx); ok {
		return invocation.AwsRequestID
	}
	return ""
}

func headerValue(event events.APIGatewayV2HTTPRequest, name string) string {
	if value, ok := event.Headers[name]; ok { // API Gateway sends names in lower case
		return value
	}
	for key, value := range event.Headers {
		if strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}
