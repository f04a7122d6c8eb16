package web

import (
	"net"
	"net/url"
	"strings"
)

// BaseURL returns the address that links in mails begin with: the configured one, or the host of the request if none is
// configured.
func BaseURL(configured, host string) string {
	if configured != "" {
		return configured
	}
	return "https://" + host
}

// PageURL returns the address that the page begins with which made a request: BaseURL, except that a service on this
// machine has several names, such as 127.0.0.1 and localhost. Its cookies and passkeys belong to the name with which
// the page was opened.
func PageURL(configured, host string) string {
	base := BaseURL(configured, host)
	at, err := url.Parse(base)
	if err != nil || !isLoopback(at.Hostname()) || !isLoopback((&url.URL{Host: host}).Hostname()) {
		return base
	}
	return at.Scheme + "://" + host
}

// HostURL returns the address to which a request was sent: its host with the scheme of the configured address. Tools
// send a credential only to the host for which it was entered, so an address for tools must not begin with BaseURL.
func HostURL(configured, host string) string {
	scheme, _, isConfigured := strings.Cut(configured, "://")
	if !isConfigured {
		scheme = "https"
	}
	return scheme + "://" + host
}

func isLoopback(name string) bool {
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}
