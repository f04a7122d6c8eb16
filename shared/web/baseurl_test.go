package web_test

import (
	"testing"

	"portside/shared/web"
)

func TestPageURL(t *testing.T) {
	for _, c := range []struct{ configured, host, want string }{
		{"", "api.example.com", "https://api.example.com"},
		{"https://portal.example.com", "api.example.com", "https://portal.example.com"},
		{"https://portal.example.com", "localhost", "https://portal.example.com"},
		{"http://127.0.0.1:3000", "localhost:3000", "http://localhost:3000"},
		{"http://localhost:3000", "127.0.0.1:3000", "http://127.0.0.1:3000"},
		{"http://127.0.0.1:3000", "[::1]:3000", "http://[::1]:3000"},
		{"http://127.0.0.1:3000", "evil.example.com", "http://127.0.0.1:3000"},
		{"http://127.0.0.1:3000", "localhost:3000@evil.example.com", "http://127.0.0.1:3000"},
		{"http://127.0.0.1:3000", "", "http://127.0.0.1:3000"},
	} {
		t.Run(c.configured+" "+c.host, func(t *testing.T) {
			if got := web.PageURL(c.configured, c.host); got != c.want {
				t.Errorf("PageURL(%q, %q) = %q, want %q", c.configured, c.host, got, c.want)
			}
		})
	}
}

func TestHostURL(t *testing.T) {
	for _, c := range []struct{ configured, host, want string }{
		{"", "abc123.execute-api.eu-central-1.amazonaws.com", "https://abc123.execute-api.eu-central-1.amazonaws.com"},
		{"https://portal.example.com", "registry.example.com", "https://registry.example.com"},
		{"https://portal.example.com", "portal.example.com", "https://portal.example.com"},
		{"http://localhost:3000", "127.0.0.1:3000", "http://127.0.0.1:3000"},
	} {
		t.Run(c.host, func(t *testing.T) {
			if got := web.HostURL(c.configured, c.host); got != c.want {
				t.Errorf("HostURL(%q, %q) = %q, want %q", c.configured, c.host, got, c.want)
			}
		})
	}
}
