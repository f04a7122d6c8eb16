package passkeys

import (
	"net"
	"net/url"
	"strings"

	"portside/shared/core/fault"
)

// Site is where a passkey works ("relying party").
type Site struct {
	ID     string // its host name
	Origin string // the only origin whose pages may use the passkey
}

// Name is what authenticators show.
const Name = "Portside"

// errNoHostName is about a site with an IP address, which no browser accepts for passkeys.
var errNoHostName = fault.NewFinal(fault.Conflict, "Passkeys need a host name, and this site has an IP address. "+
	"Set the parameter BaseUrl to an address with a host name, and open that.")

// SiteOf returns the site that browsers reach at an address such as https://portal.example.com. host
// is the one of the request. If the address is one of this machine, the page may also have been opened
// as localhost. Errors: a Conflict if the host is an IP address.
func SiteOf(address, host string) (Site, error) {
	at, err := url.Parse(strings.ToLower(address))
	if err != nil {
		return Site{}, errNoHostName
	}
	if isLoopback(at.Hostname()) && isLocalhost(host) {
		at.Host = strings.ToLower(host)
	}
	if isLoopback(at.Hostname()) && !isLocalhost(at.Host) {
		return Site{}, noHostName(at)
	}
	if at.Hostname() == "" || net.ParseIP(at.Hostname()) != nil {
		return Site{}, errNoHostName
	}
	return Site{ID: at.Hostname(), Origin: at.Scheme + "://" + at.Host}, nil
}

// noHostName names the same address with a host name.
func noHostName(at *url.URL) error {
	local := url.URL{Scheme: at.Scheme, Host: "localhost"}
	if port := at.Port(); port != "" {
		local.Host += ":" + port
	}
	return fault.NewFinal(fault.Conflict, "Passkeys need a host name; open "+local.String()+".")
}

func isLoopback(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

func isLocalhost(host string) bool {
	return strings.EqualFold((&url.URL{Host: host}).Hostname(), "localhost")
}
