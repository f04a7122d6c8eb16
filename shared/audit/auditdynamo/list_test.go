package auditdynamo_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"portside/shared/audit"
	"portside/shared/audit/auditdynamo"
	coreaudit "portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
	"portside/shared/testkit/awstest"
	"portside/testclient/scale"
)

var midnight = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

// Two customers, and callers.
const (
	acme = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e21"
	bolt = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e22"
)

var (
	staff  = principal.Principal{UserID: "root", Role: principal.Manager}
	ofAcme = principal.Principal{UserID: "ada", Role: principal.Manager, CustomerID: acme}
)

var actors = []coreaudit.Actor{
	{Kind: coreaudit.Person, ID: "root", Address: "198.51.100.1", CredentialID: "vendorkey"},
	{Kind: coreaudit.Person, ID: "ada", CustomerID: acme, Address: "203.0.113.9", CredentialID: "adaskey"},
	{Kind: coreaudit.Person, ID: "bob", CustomerID: bolt, Address: "203.0.113.10"},
	{Kind: coreaudit.Workload, ID: "policy", CustomerID: acme},
	{Kind: coreaudit.Schedule, Name: "portside-RotateTokensFunction"},
	{Kind: coreaudit.Operator, Name: "ops@vendor.example"},
	{Kind: coreaudit.Anonymous, Address: "203.0.113.66"},
}

var targets = []coreaudit.Target{
	{Kind: coreaudit.User, ID: "u1", Name: "u1@example.com"}, {Kind: coreaudit.User, ID: "u2"}, {Kind: coreaudit.Credential, ID: "u1"},
	{Kind: coreaudit.Project, ID: "p"}, {Kind: coreaudit.Customer, ID: acme},
}

// event returns an event at a time. Its number decides the rest. No event is the restoration of a table.
func event(at time.Time, n int) coreaudit.Event {
	actions := slices.DeleteFunc(coreaudit.Actions(), func(a coreaudit.Action) bool { return a == coreaudit.TableRestored })
	return coreaudit.Event{
		ID: coreaudit.FirstID(at) + "-" + strings.Map(base32, fmt.Sprintf("%026d", n)), Time: at,
		Action: actions[n*7%len(actions)], Actor: actors[n%11%len(actors)], Target: targets[n%13%len(targets)],
		CustomerID: []string{acme, bolt, ""}[n%5%3], RequestID: "request",
	}
}

// log returns events of more than a year: a few on most days, none for two months, and thousands on one day, some at
// the same time.
func log() []coreaudit.Event {
	var all []coreaudit.Event
	for n := range 500 {
		at := midnight.Add(-time.Duration(n/2) * 41 * time.Hour)
		if at.Month() != time.April && at.Month() != time.May {
			all = append(all, event(at.Add(time.Duration(n%2)*time.Microsecond), n))
		}
	}
	for n := range 2500 {
		all = append(all, event(midnight.AddDate(0, 0, -12).Add(time.Duration(n/3)*time.Second), n))
	}
	return all
}

// base32 returns a letter of an ID for a digit.
func base32(digit rune) rune { return digit - '0' + 'a' }

func write(tb testing.TB, client *dynamodb.Client, table string, all []coreaudit.Event) {
	tb.Helper()
	for part := range slices.Chunk(all, 25) {
		var puts []types.WriteRequest
		for _, e := range part {
			text, err := json.Marshal(e)
			if err != nil {
				tb.Fatal(err)
			}
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: items.Encode(auditlog.NewItem(e,
				string(text)))}})
		}
		input := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: puts}}
		if _, err := client.BatchWriteItem(tb.Context(), input); err != nil {
			tb.Fatal(err)
		}
	}
}

// matching returns the IDs that List should return, computed from all events.
func matching(all []coreaudit.Event, caller principal.Principal, q audit.Query) []string {
	var found []string
	for _, e := range all {
		kind, isKind := strings.CutSuffix(string(q.Action), ".*")
		ofAction := q.Action == "" || e.Action == q.Action || isKind && strings.HasPrefix(string(e.Action), kind+".")
		ofActor := q.ActorID == "" || e.Actor.ID == q.ActorID &&
			(caller.CustomerID == "" || e.Actor.CustomerID == caller.CustomerID)
		ofTarget := q.Target.ID == "" || e.Target.Kind == q.Target.Kind && e.Target.ID == q.Target.ID
		ofCustomer := q.CustomerID == "" || e.CustomerID == q.CustomerID
		isVisible := caller.CustomerID == "" || e.CustomerID == caller.CustomerID
		if ofAction && ofActor && ofTarget && ofCustomer && isVisible && !e.Time.Before(q.From) && e.Time.Before(q.To) {
			found = append(found, e.ID)
		}
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Compare(a, b) * map[bool]int{true: 1, false: -1}[q.OldestFirst] })
	return found
}

func anyQuery(t *rapid.T) audit.Query {
	from := midnight.Add(time.Duration(rapid.Int64Range(-400*24, 30).Draw(t, "from")) * time.Hour)
	return audit.Query{
		ActorID:    rapid.SampledFrom([]string{"", "", "", "root", "ada", "bob", "policy", "nobody"}).Draw(t, "actor"),
		CustomerID: rapid.SampledFrom([]string{"", "", acme, bolt}).Draw(t, "customer"),
		Target: rapid.SampledFrom(append([]coreaudit.Target{{}, {}, {}, {Kind: coreaudit.User, ID: acme}}, targets...)).
			Draw(t, "target"),
		Action: rapid.SampledFrom(append([]coreaudit.Action{"", "", "", "user.*"}, audit.Filters()...)).Draw(t, "action"),
		From:   from, To: from.Add(time.Duration(rapid.Int64Range(1, 400*24).Draw(t, "hours")) * time.Hour).
			Add(time.Microsecond),
		OldestFirst: rapid.Bool().Draw(t, "oldest"), Limit: rapid.SampledFrom([]int{1, 2, 7, 20, 99, 100}).Draw(t, "limit"),
	}
}

func TestListMatchesTheFilters(t *testing.T) {
	client := awstest.DynamoDB(t)
	table := awstest.Table(t, client, "AuditTable")
	all := log()
	write(t, client, table, all)
	counted, meter := awstest.Metered(client)
	service := audit.NewService(auditdynamo.New(counted, table))
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		caller := rapid.SampledFrom([]principal.Principal{staff, ofAcme}).Draw(t, "caller")
		q := anyQuery(t)
		want := matching(all, caller, q)
		var got []string
		isComplete := false
		for !isComplete && len(got) < 500 {
			meter.Reset()
			page, err := service.List(t.Context(), caller, q)
			if err != nil {
				t.Fatal(err)
			}
			if meter.Calls() > 31*auditlog.Parts || len(page.Events) > q.Limit {
				t.Fatalf("a page with %d events took %d calls", len(page.Events), meter.Calls())
			}
			for _, e := range page.Events {
				got = append(got, e.ID)
			}
			isComplete = page.Next == ""
			if !isComplete && (!page.Next.IsValid() || page.Next == q.After) {
				t.Fatalf("after %q comes %q", q.After, page.Next)
			}
			q.After = page.Next
		}
		if !isComplete {
			want = want[:min(len(want), len(got))]
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %d events, want %d: %v and %v", len(got), len(want), got, want)
		}
	})
}
