package principal_test

import (
	"testing"

	"portside/shared/core/principal"
)

func TestScopeCovers(t *testing.T) {
	for _, c := range []struct {
		held, wanted principal.Scope
		covers       bool
	}{
		{"read:helm-charts", "read:helm-charts", true},
		{"read:helm-charts", "read:docker-images", false},
		{"read:docker-images", "read:docker-images:acme/*", true},
		{"read:docker-images:acme/*", "read:docker-images", false},
		{"read:docker-images:acme/*", "read:docker-images:acme/*", true},
		{"read:docker-images:acme/*", "read:docker-images:acme/api", true},
		{"read:docker-images:acme/*", "read:docker-images:acme/team/*", true},
		{"read:docker-images:acme/*", "read:docker-images:acme/team/api", true},
		{"read:docker-images:acme/team/*", "read:docker-images:acme/*", false},
		{"read:docker-images:acme/*", "read:docker-images:acme", false},
		{"read:docker-images:acme/*", "read:docker-images:acme2/api", false},
		{"read:docker-images:acme/*", "read:docker-images:acme-evil/api", false},
		{"read:docker-images:acme/api", "read:docker-images:acme/api", true},
		{"read:docker-images:acme/api", "read:docker-images:acme/api/*", false},
		{"read:docker-images:acme/api", "read:docker-images:acme/api2", false},
		{"read:helm-charts:product", "read:helm-charts:product", true},
		{"read:helm-charts:Product", "read:helm-charts:Product", true},
		{"read:helm-charts:Product", "read:helm-charts:product", false},
		{"read:helm-charts:product", "read:helm-charts:Product", false},
		{"", "", false},
		{"read:*", "read:helm-charts", false},
	} {
		t.Run(string(c.held)+" covers "+string(c.wanted), func(t *testing.T) {
			if got := c.held.Covers(c.wanted); got != c.covers {
				t.Errorf("%v, want %v", got, c.covers)
			}
		})
	}
}

func TestScopeKnown(t *testing.T) {
	for scope, known := range map[principal.Scope]bool{
		"read:helm-charts": true, "read:docker-images": true, "read:docker-images:acme/*": true,
		"read:helm-charts:my-chart": true,
		"":                          false, "read": false, "write:helm-charts": false, "read:helm-charts:": false,
		"read:helm-charts:*":       false,
		"read:docker-images:*/api": false, "read:docker-images:acme/**": false, "read:docker-images:../x": false,
		"read:helm-charts:My-Chart": true, "read:helm-charts:Charts/*": true, "read:helm-charts:My--Chart_2.X": true,
		"read:helm-charts:-a": false, "read:helm-charts:a..b": false, "read:helm-charts:Ä": false,
		"read:docker-images:Acme": false, "read:docker-images:acme/A/*": false,
		"read:docker-images:acme//api": false, "read:docker-images:acme/\x00": false,
		"READ:helm-charts": false, "read:helm-charts\n": false,
	} {
		if got := scope.Known(); got != known {
			t.Errorf("%q known: %v, want %v", scope, got, known)
		}
	}
}

// FuzzCovers checks that a scope that covers another one permits all that the other permits.
func FuzzCovers(f *testing.F) {
	f.Add("read:docker-images:acme/*", "read:docker-images:acme/team/*", "acme/team/api")
	f.Add("read:docker-images", "read:docker-images:a", "a")
	f.Fuzz(func(t *testing.T, held, wanted, name string) {
		h, w := principal.Scope(held), principal.Scope(wanted)
		if !h.Known() || !w.Known() || !h.Covers(w) {
			return
		}
		for _, action := range []principal.Scope{principal.ReadCharts, principal.ReadImages} {
			if (action + ":" + principal.Scope(name)).Known() && w.Permits(action, name) && !h.Permits(action, name) {
				t.Errorf("%q covers %q, which permits %s %q, but does not permit it itself", h, w, action, name)
			}
		}
	})
}
