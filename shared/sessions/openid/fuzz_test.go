package openid_test

import (
	"net/url"
	"path"
	"strings"
	"testing"

	"portside/shared/sessions/openid"
)

// FuzzCheckReturn checks that a page to return to is on the own host and in the portal, also as a browser reads it:
// browsers take backslashes for slashes, leave out control characters, and resolve dots, also encoded ones.
func FuzzCheckReturn(f *testing.F) {
	for _, page := range []string{
		"/portal/", "/portal/access?a=b#c", "//example.org/portal/", "/\\example.org/portal/", "/portal/%2e%2e//example.org", "/portal/\t/../x",
		"https://example.org/portal/", "/portal/..%5c..%5cexample.org", "/portal//example.org", "/portal/%2F..%2F..%2Fv1",
	} {
		f.Add(page)
	}
	own := &url.URL{Scheme: "https", Host: "portal.example.com", Path: "/v1/sign-in/openid/callback"}
	f.Fuzz(func(t *testing.T, page string) {
		if len(openid.CheckReturn(page)) > 0 {
			return
		}
		read := strings.NewReplacer("\\", "/", "\t", "", "\n", "", "\r", "").Replace(strings.TrimSpace(page))
		at, err := own.Parse(read)
		if err != nil || at.Scheme != own.Scheme || at.Host != own.Host || at.User != nil {
			t.Fatalf("%q leads to %v, %v", page, at, err)
		}
		if !strings.HasPrefix(path.Clean(at.Path)+"/", openid.Home) {
			t.Errorf("%q leads to %q, which is not in the portal", page, path.Clean(at.Path))
		}
	})
}
