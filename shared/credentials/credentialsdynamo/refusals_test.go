package credentialsdynamo_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/testkit/audittest"
)

// TestRefusalsAreReported refuses many requests of one credential in an hour, a few of another one, and some in the next hour.
func TestRefusalsAreReported(t *testing.T) {
	s := newFixture(t)
	log := audittest.Log(t, s.client)
	table := credentialsdynamo.New(s.client, s.table.Name(), s.counts).Audited(log)
	refuse := func(id string, times int, at time.Time) {
		who := principal.Principal{UserID: "ada", CustomerID: "acme", CredentialID: id}
		for range times {
			if err := table.CountRefusal(t.Context(), credentials.Refusal{Who: who, Reason: credentials.NoPermission}, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	refuse("often", 210, noon)
	refuse("seldom", 19, noon)
	refuse("seldom", 19, noon.Add(time.Hour))

	var got []string
	for _, e := range audittest.Events(t, s.client, log) {
		if e.Action != audit.CredentialRefused || e.Actor.ID != "ada" || e.CustomerID != "acme" || e.Target.Kind != audit.Credential {
			t.Errorf("the event is %+v", e)
		}
		got = append(got, e.Target.ID+" "+string(e.After["refusals"]))
	}
	if diff := cmp.Diff([]string{"often 20", "often 200"}, got); diff != "" {
		t.Error(diff)
	}
}
