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

// request is an event with its request ID and decoded body.
type request struct {
	event events.APIGatewayV2HTTPRequest
	id    string
	body  string // decoded
}

// restore sets the parts of r that the adapter did not get.
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

// path returns rawPath unchanged, because an HTTP API decodes it in spite of its name: the client encoded a percent
// sign in it as %25, and "%2F" as "%252F". REST APIs and function URLs do not decode it; Portside uses neither.
func path(event events.APIGatewayV2HTTPRequest) string {
	if strings.HasPrefix(event.RawPath, "/") {
		return event.RawPath
	}
	return "/" + event.RawPath
}

// host returns the domain name that API Gateway matched. It uses the Host header only if the event has no domain name,
// or to add the port, which links to a local stack need.
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

// remoteAddr returns the client's IP address with port 0, because readers of RemoteAddr expect a port.
func remoteAddr(event events.APIGatewayV2HTTPRequest) string {
	ip, err := netip.ParseAddr(event.RequestContext.HTTP.SourceIP)
	if err != nil {
		return ":0"
	}
	return netip.AddrPortFrom(ip, 0).String()
}

// header returns the header lines unchanged. API Gateway joins repeated lines with commas.
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

// contentLength returns the length of the decoded body, or "" if the request has neither a body nor a Content-Length.
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

// requestID returns API Gateway's ID of the request, which its access log also contains. It falls back to the ID of the
// invocation for an event that was not sent by API Gateway.
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
