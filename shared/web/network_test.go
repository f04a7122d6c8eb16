package web_test

import (
	"testing"

	"portside/shared/web"
)

//proves:docs/security.md
func TestNetworkOf(t *testing.T) {
	for remoteAddr, want := range map[string]string{
		"203.0.113.7:4711":            "203.0.113.7",
		"203.0.113.7":                 "203.0.113.7",
		"[::ffff:203.0.113.7]:4711":   "203.0.113.7",
		"[2001:db8:1:2:3:4:5:6]:4711": "2001:db8:1:2::/64",
		"2001:db8:1:2::1":             "2001:db8:1:2::/64",
		"fe80::1%eth0":                "fe80::/64",
		"unknown":                     "unknown",
		"":                            "",
	} {
		if got := web.NetworkOf(remoteAddr); got != want {
			t.Errorf("NetworkOf(%q) = %q, want %q", remoteAddr, got, want)
		}
	}
}
