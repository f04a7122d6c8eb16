package credentials_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/entitlementlists"
	"portside/shared/dynamo/transactions"
)

func TestVisibilityUnitesOwnWorkingCredentials(t *testing.T) {
	g := newFixture(t, 100)
	scoped := func(kind credentials.Kind, owner string, change func(*credentials.Credential), scopes ...string) {
		g.issue(kind, func(c *credentials.Credential) {
			c.Owner.ID, c.Scopes = owner, scopes
			if change != nil {
				change(c)
			}
		})
	}
	scoped(credentials.AccessToken, "ada", nil, "read:docker-images:acme/api", "read:helm-charts:product")
	scoped(credentials.Password, "ada", nil, "read:docker-images:acme/*")
	scoped(credentials.AccessToken, "ada", nil, "read:docker-images:acme/web", "read:helm-charts:product")
	scoped(credentials.AccessToken, "ada", func(c *credentials.Credential) { c.RevokedAt = g.now }, "read:helm-charts:revoked")
	scoped(credentials.Password, "ada", func(c *credentials.Credential) { c.ExpiresAt = g.now }, "read:helm-charts:expired")
	scoped(credentials.AccessToken, "sue", nil, "read:helm-charts:inactive")
	isActive := false
	suspension := g.table.Writes.Tally("sue", credentialsdynamo.Change{Active: &isActive})
	if err := transactions.Write(t.Context(), g.client, []types.TransactWriteItem{suspension}); err != nil {
		t.Fatal(err)
	}
	scoped(credentials.AccessToken, "eve", nil, "read:helm-charts")
	visibility := credentials.NewVisibility(g.table, func() time.Time { return g.now })
	for _, c := range []struct {
		caller principal.Principal
		want   []principal.Scope
	}{
		{principal.Principal{UserID: "ada", Role: principal.User}, []principal.Scope{"read:docker-images:acme/*", "read:helm-charts:product"}},
		{principal.Principal{UserID: "eve", Role: principal.Viewer}, []principal.Scope{"read:helm-charts"}},
		{principal.Principal{UserID: "sue", Role: principal.Viewer}, nil},
		{principal.Principal{UserID: "new", Role: principal.Viewer}, nil},
		{principal.Principal{UserID: "new", Role: principal.Manager}, []principal.Scope{"read:docker-images", "read:helm-charts"}},
	} {
		t.Run(c.caller.UserID+", "+string(c.caller.Role), func(t *testing.T) {
			viewer, err := visibility.Of(t.Context(), c.caller)
			slices.Sort(viewer.Scopes)
			if err != nil || !slices.Equal(viewer.Scopes, c.want) || !viewer.Scoped() || viewer.UserID != c.caller.UserID {
				t.Errorf("%+v sees as %+v, %v; want the scopes %v", c.caller, viewer, err, c.want)
			}
		})
	}
}

// A viewer of a customer has the entitlements in effect at the moment, as the viewer's credentials have.
func TestVisibilityHasEntitlementsInEffect(t *testing.T) {
	const acme, other, none = "acme", "other", "none"
	g := newFixture(t, 100)
	for _, id := range []string{acme, other, none} {
		g.write(g.table.Customers.Add(id, customerstates.State{}))
	}
	for id, names := range map[string][]string{acme: {"current", "ended", "scheduled", "always"}, other: {"others"}} {
		g.write(entitlementlists.Set(g.table.Name(), id, entitlementlists.List{Version: 1, All: g.entitledTo(names...)})...)
	}
	for owner, customerID := range map[string]string{"ada": acme, "bob": acme, "eve": none, "sam": ""} {
		g.issue(credentials.AccessToken, func(c *credentials.Credential) {
			c.Owner.ID, c.Owner.CustomerID, c.Scopes = owner, customerID, []string{"read:helm-charts"}
		})
	}
	visibility := credentials.NewVisibility(g.table, func() time.Time { return g.now })
	inEffect := []string{"current", "always"}
	for _, c := range []struct {
		name   string
		caller principal.Principal
		want   []string
		all    bool
	}{
		{"a viewer of a customer", principal.Principal{UserID: "ada", CustomerID: acme, Role: principal.Viewer}, inEffect, false},
		{"an admin of a customer", principal.Principal{UserID: "bob", CustomerID: acme, Role: principal.Admin}, inEffect, false},
		{"without entitlements", principal.Principal{UserID: "eve", CustomerID: none, Role: principal.Admin}, nil, false},
		{"without credentials", principal.Principal{UserID: "new", CustomerID: acme, Role: principal.Admin}, nil, false},
		{"staff with credentials", principal.Principal{UserID: "sam", Role: principal.Viewer}, nil, true},
		{"staff with tokens:read", principal.Principal{UserID: "new", Role: principal.Manager}, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			viewer, err := visibility.Of(t.Context(), c.caller)
			if err != nil || viewer.CustomerID != c.caller.CustomerID {
				t.Errorf("%s sees as %+v, %v", c.name, viewer, err)
			}
			var names []string
			for _, e := range viewer.Entitled {
				names = append(names, e.Repository)
			}
			if !slices.Equal(names, c.want) || viewer.Entitlements().AllowAllEverywhere() != c.all {
				t.Errorf("%s is entitled to %q, want %q; to everything: %v", c.name, names, c.want, viewer.Entitlements().AllowAllEverywhere())
			}
		})
	}
}

func (g *fixture) write(writes ...types.TransactWriteItem) {
	g.tb.Helper()
	if err := transactions.Write(g.tb.Context(), g.client, writes); err != nil {
		g.tb.Fatal(err)
	}
}

// entitledTo returns entitlements for charts, whose names say in which period.
func (g *fixture) entitledTo(names ...string) entitlement.Set {
	all := make(entitlement.Set, len(names))
	for i, name := range names {
		all[i] = entitlement.Entitlement{ID: name, Artifact: entitlement.Chart, Repository: name, Versions: entitlement.AllVersions()}
		switch name {
		case "current":
			all[i].From, all[i].Until = g.now, g.now.Add(time.Hour)
		case "ended":
			all[i].Until = g.now
		case "scheduled":
			all[i].From = g.now.Add(time.Millisecond)
		}
	}
	return all
}
