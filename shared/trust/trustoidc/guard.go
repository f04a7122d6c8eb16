package trustoidc

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

const (
	timeout  = 4 * time.Second // of one request; an exchange has up to two, within the function's 15 seconds
	maxBytes = 256 << 10       // of one response
)

// The errors of requests that are not sent.
var (
	errNotPublic = errors.New("trustoidc: the address is not public")
	errNotHTTPS  = errors.New("trustoidc: the address does not begin with https")
)

// newClient returns a client whose requests are bounded in time and size, use HTTPS, and follow no redirect.
func newClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Timeout: timeout, Transport: bounded{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// guarded returns a transport that connects only to public addresses. It checks the address that it dials, so a name
// that leads to another address the next time has no effect. It uses no proxy, which would connect for it.
func guarded() *http.Transport {
	dialer := &net.Dialer{Timeout: timeout, Control: func(_, address string, _ syscall.RawConn) error { return checkAddress(address) }}
	return &http.Transport{
		DialContext: dialer.DialContext, TLSHandshakeTimeout: timeout, ResponseHeaderTimeout: timeout,
		ForceAttemptHTTP2: true,
		IdleConnTimeout:   time.Minute, MaxIdleConns: 10, MaxResponseHeaderBytes: 64 << 10,
	}
}

// checkAddress returns an error unless an address with a port is public.
func checkAddress(address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("trustoidc: parse an address: %w", err)
	}
	if !isPublic(to.Addr()) {
		return errNotPublic
	}
	return nil
}

// notPublic are the networks of the IANA registries of special-purpose addresses, and those that lead to an IPv4
// address. Others, such as loopback and private addresses, have methods of netip.Addr.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("3fff::/20"),
}

// globalIPv6 has all public IPv6 addresses (RFC 4291).
var globalIPv6 = netip.MustParsePrefix("2000::/3")

func isPublic(addr netip.Addr) bool {
	if addr.Zone() != "" {
		return false
	}
	addr = addr.Unmap()
	if !addr.IsGlobalUnicast() || addr.IsPrivate() || addr.Is6() && !globalIPv6.Contains(addr) {
		return false
	}
	for _, network := range notPublic {
		if network.Contains(addr) {
			return false
		}
	}
	return true
}

// bounded is a transport for HTTPS whose responses end after maxBytes.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" {
		return nil, errNotHTTPS
	}
	response, err := b.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err //nolint:wrapcheck // http.Client adds the method and the address
	}
	response.Body = boundedBody{io.LimitReader(response.Body, maxBytes), response.Body}
	return response, nil
}

type boundedBody struct {
	io.Reader
	io.Closer
}
