package web

import (
	"net/netip"
)

// ipv6Network is the length of the prefix that providers assign to one customer at least (RFC 6177).
const ipv6Network = 64

// NetworkOf returns the network of a client for limits by source: its IPv4 address, or the /64 network of its IPv6
// address, because one customer can use every address of such a network. remoteAddr is the field of http.Request, with
// or without a port.
func NetworkOf(remoteAddr string) string {
	addr, err := netip.ParseAddr(remoteAddr)
	if err != nil {
		withPort, err := netip.ParseAddrPort(remoteAddr)
		if err != nil {
			return remoteAddr
		}
		addr = withPort.Addr()
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr.String()
	}
	network, err := addr.Prefix(ipv6Network)
	if err != nil {
		return addr.String()
	}
	return network.String()
}
