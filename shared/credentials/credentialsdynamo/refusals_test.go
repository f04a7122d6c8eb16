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

// TestRefusalsOfWorkloadsAndSessions checks which actors events name for credentials other than a person's tokens and
// keys.
func TestRefusalsOfWorkloadsAndSessions(t *testing.T) {
	s := newFixture(t)
	log := audittest.Log(t, s.client)
	table := credentialsdynamo.New(s.client, s.table.Name(), s.counts).Audited(log)
	for _, who := range []principal.Principal{
		{UserID: "policy", CredentialID: "exchanged", Workload: true}, {UserID: "ada", CredentialID: "session", SessionID: "session"},
	} {
		for range credentials.ReportedRefusals[0] {
			if err := table.Requests.CountRefusal(t.Context(), credentials.Refusal{Who: who, Reason: credentials.NotWorking}, noon); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := map[string]audit.Kind{}
	for _, e := range audittest.Events(t, s.client, log) {
		got[string(e.Actor.Kind)+" "+e.Actor.ID] = e.Target.Kind
	}
	if diff := cmp.Diff(map[string]audit.Kind{"workload policy": audit.Credential, "user ada": audit.Session}, got); diff != "" {
		t.Error(diff)
	}
}

// TestRefusalsAreReported refuses many requests of one credential in an hour, a few of another one, and some in the
// next hour.
func TestRefusalsAreReported(t *testing.T) {
	s := newFixture(t)
	log := audittest.Log(t, s.client)
	table := credentialsdynamo.New(s.client, s.table.Name(), s.counts).Audited(log)
	refuse := func(id string, times int, at time.Time) {
		who := principal.Principal{UserID: "ada", CustomerID: "acme", CredentialID: id}
		for range times {
			if err := table.Requests.CountRefusal(t.Context(), credentials.Refusal{Who: who, Reason: credentials.NoPermission}, at); err != nil {
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
