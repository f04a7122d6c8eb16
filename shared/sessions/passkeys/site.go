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

// Name is the name of the site that authenticators show.
const Name = "Portside"

// errNoHostName is about a site with an IP address, which no browser accepts for passkeys.
var errNoHostName = fault.NewFinal(fault.Conflict, "Passkeys need a host name, and this site has an IP address. "+
	"Set the parameter BaseUrl to an address with a host name, and open that.")

// SiteOf returns the site with an address such as https://portal.example.com. Errors: a Conflict if
// its host is an IP address.
func SiteOf(address string) (Site, error) {
	at, err := url.Parse(strings.ToLower(address))
	if err != nil || at.Hostname() == "" {
		return Site{}, errNoHostName
	}
	if ip := net.ParseIP(at.Hostname()); ip != nil {
		return Site{}, explainHostName(at, ip)
	}
	return Site{ID: at.Hostname(), Origin: at.Scheme + "://" + at.Host}, nil
}

// explainHostName returns the error for an IP address. For a loopback address, it suggests localhost.
func explainHostName(at *url.URL, ip net.IP) error {
	if !ip.IsLoopback() {
		return errNoHostName
	}
	local := url.URL{Scheme: at.Scheme, Host: "localhost"}
	if port := at.Port(); port != "" {
		local.Host += ":" + port
	}
	return fault.NewFinal(fault.Conflict, "Passkeys need a host name; open "+local.String()+".")
}
