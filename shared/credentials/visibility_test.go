package credentials_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
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
	suspension := g.table.Tally("sue", credentialsdynamo.Change{Active: &isActive})
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
		viewer, err := visibility.Of(t.Context(), c.caller)
		slices.Sort(viewer.Scopes)
		if err != nil || !slices.Equal(viewer.Scopes, c.want) || !viewer.Scoped() || viewer.UserID != c.caller.UserID {
			t.Errorf("%+v sees as %+v, %v; want the scopes %v", c.caller, viewer, err, c.want)
		}
	}
}
