package web_test

import (
	"net/http"
	"testing"

	"portside/shared/web"
)

func TestCookie(t *testing.T) {
	for header, want := range map[string]string{
		"": "", "a=1": "1", "b=2; a=1": "1", "a=1; a=1": "", "a=1; a=2": "", `a="1"`: "1", "a": "", "a=; b=1": "", "aa=1": "", "A=1": "",
	} {
		if got := web.Cookie(header, "a"); got != want {
			t.Errorf("%q: got %q, want %q", header, got, want)
		}
	}
}

// FuzzCookie checks that no header fails and that a value is one that the header contains once.
func FuzzCookie(f *testing.F) {
	f.Add("a=1; b=2")
	f.Add("a=1;a=\"2\";;=")
	f.Fuzz(func(t *testing.T, header string) {
		value := web.Cookie(header, "a")
		request := http.Request{Header: http.Header{"Cookie": {header}}}
		if n := len(request.CookiesNamed("a")); value != "" && n != 1 {
			t.Errorf("%q has the cookie %d times, but the value %q", header, n, value)
		}
	})
}
