package users_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"portside/shared/core/checks"
	"portside/shared/core/principal"
	"portside/shared/users"
)

func TestNewUserCheckAcceptsAddressesBeforeTheyAreNormal(t *testing.T) {
	for address, good := range map[string]bool{
		"ada@example.com": true, "ADA@Example.COM": true, " ada@example.com\t": true, "ada": false, "a@b\r\nBcc: c@d": false,
	} {
		t.Run(address, func(t *testing.T) {
			failures := users.NewUser{Email: address, Name: "N", Role: principal.User}.Check()
			if got := len(failures) == 0; got != good {
				t.Errorf("%q: accepted %v, want %v (%v)", address, got, good, failures)
			}
		})
	}
}

// FuzzNewUser checks that accepted input, after Normal, is normal, within the limits and printable,
// as the store and the mails require.
func FuzzNewUser(f *testing.F) {
	f.Add("ada@example.com", "Ada", "Engines", `{"a":[1,{"b":null}]}`)
	f.Add(" A@B.c ", " x ", "", ``)
	f.Add("a@b\r\n", "\x00", "\u202e", `[[[[`)
	f.Fuzz(func(t *testing.T, email, name, department, metadata string) {
		input := users.NewUser{Email: email, Name: name, Role: principal.User, Department: department,
			Metadata: json.RawMessage(metadata)}
		if len(input.Check()) > 0 {
			return
		}
		n := input.Normal()
		if again := n.Normal(); again.Email != n.Email || again.Name != n.Name ||
			string(again.Metadata) != string(n.Metadata) {
			t.Errorf("not normal after Normal: %+v", n)
		}
		if len(n.Email) > checks.MaxEmail || strings.ContainsAny(n.Email, " \r\n\t<>\",;:()[]\\\x00") {
			t.Errorf("accepted the address %q", n.Email)
		}
		if n.Name == "" || utf8.RuneCountInString(n.Name) > users.MaxName || strings.ContainsAny(n.Name, "\r\n\x00") {
			t.Errorf("accepted the name %q", n.Name)
		}
		var object map[string]any
		if err := json.Unmarshal(n.Metadata, &object); err != nil || object == nil {
			t.Errorf("accepted the metadata %q", n.Metadata)
		}
	})
}
