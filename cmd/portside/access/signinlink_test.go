package access

import (
	"strings"
	"testing"

	"portside/shared/credentials"
)

//proves:docs/security.md
func TestSignInLink(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	o.Expect(o.Bootstrap(), 0, "created the admin")
	got := o.Expect(o.Run("sign-in-link", "--email", " Ada@example.com", "--base-url", "https://portal.example.com/"), 0, "works once, until")
	token, found := strings.CutPrefix(strings.TrimSpace(got.Stdout), "https://portal.example.com/portal/sign-in#")
	if _, err := credentials.Parse(token); err != nil || !found {
		t.Errorf("stdout is %q, %v", got.Stdout, err)
	}
	stranger := o.Run("sign-in-link", "--email", "nobody@example.com", "--base-url", "https://portal.example.com")
	o.Expect(stranger, 1, "no active user has the address")
	o.Expect(o.Run("sign-in-link", "--base-url", "https://portal.example.com"), 2, "--email is required")
	own := o.Expect(o.Run("sign-in-link", "--email", "ada@example.com"), 0, "works once, until")
	if !strings.HasPrefix(own.Stdout, "http://localhost:3999/portal/sign-in#") {
		t.Errorf("stdout is %q, want a link to the portal of the local stack", own.Stdout)
	}
}
