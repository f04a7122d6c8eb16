package resources

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"portside/cmd/portside/cli/clitest"
)

// auditEvent has its fields in the order in which the command prints them.
const auditEvent = `{"action":"user.update","actor":{"address":"203.0.113.9","credentialId":"k","customerId":null,"id":"` + adaID + `",` +
	`"kind":"user","name":null},"after":{"role":"manager"},"before":{"role":"user"},"customerId":null,"id":"1-a","requestId":"r",` +
	`"target":{"id":"u1","kind":"user","name":"bob@example.com"},"time":"2026-11-21T14:30:00.125431Z"}`

func TestAuditLog(t *testing.T) {
	c := newTestCLI(t, map[string]http.HandlerFunc{
		"GET /v1/audit": clitest.Answer(`{"data":[` + auditEvent + `],"pagination":{"limit":100,"hasMore":false,"next":null}}`),
		"GET /v1/users": clitest.Answer(`{"data":[{"id":"` + adaID + `"}],"pagination":{"total":1,"limit":1,"offset":0,"hasMore":false}}`),
	}).LoggedIn()
	clitest.WantText(t, c.Want("audit", "list", "--json-lines"), auditEvent+"\n")
	clitest.WantText(t, c.Want("audit", "list", "--csv"), "id,time,action,actorKind,actorId,actorCustomerId,credentialId,actorName,address,"+
		"targetKind,targetId,targetName,customerId,requestId,before,after\n1-a,2026-11-21T14:30:00.125431Z,user.update,user,"+adaID+
		",,k,,203.0.113.9,user,u1,bob@example.com,,r,\"{\"\"role\"\":\"\"user\"\"}\",\"{\"\"role\"\":\"\"manager\"\"}\"\n")
	c.WantCalls("GET /v1/audit?limit=100", "GET /v1/audit?limit=100")
	c.Want("audit", "list", "--user", "ada@example.com", "--actor", adaID, "--action", "user.*", "--oldest", "--from", "2026-11-01",
		"--limit", "5", "--json")
	c.WantCalls("GET /v1/users?email=ada%40example.com",
		"GET /v1/audit?action=user.%2A&actorId="+adaID+"&from=2026-11-01&limit=5&order=oldest&target=user%3A"+adaID)
	c.Want("audit", "list", "--target", "project:p1", "--last-month", "--json")
	c.WantCalls("GET /v1/audit?from=2028-02-01&limit=100&target=project%3Ap1&to=2028-02-29")
	c.Calls = nil
	c.Want("audit", "list", "--target", "user:ada@example.com", "--json")
	c.Want("audit", "list", "--target", "user:"+adaID, "--json")
	c.WantCalls("GET /v1/users?email=ada%40example.com", "GET /v1/audit?limit=100&target=user%3A"+adaID,
		"GET /v1/audit?limit=100&target=user%3A"+adaID)
	c.WantUsageError(`"u1" is neither an email address nor an ID`, "audit", "list", "--target", "user:u1")
	c.WantUsageError("--json-lines excludes --json and --csv", "audit", "list", "--json-lines", "--csv")
	c.WantUsageError("--user and --target exclude each other", "audit", "list", "--user", adaID, "--target", "user:u1")
	c.WantUsageError("give a month, or --from and --to", "audit", "list", "--last-month", "--from", "2028-01-01")
}

// eventBy is an event in JSON, with the members of its actor.
func eventBy(action, actor, changes string) string {
	return `{"id":"1-a","time":"2026-11-21T14:30:00Z","action":"` + action + `","actor":{` + actor + `},"customerId":"` + acmeID + `",` +
		`"target":{"kind":"customer","id":"t","name":"acme"},` + changes + `}`
}

func TestAuditTableHasNames(t *testing.T) {
	t.Parallel()
	answers := customerAnswers()
	answers["GET /v1/audit"] = clitest.Answer(`{"data":[` + strings.Join([]string{
		eventBy("customer.update", `"kind":"user","id":"`+adaID+`"`,
			`"before":{"limits":1,"version":1},"after":{"contacts":[],"limits":2,"version":2}`),
		eventBy("customer.create", `"kind":"user","id":"`+boltID+`"`, `"before":{},"after":{"name":"a"}`),
		eventBy("customer.update", `"kind":"user","id":null`, `"before":{},"after":{}`),
		eventBy("credential.refuse", `"kind":"workload","id":"p1"`, `"before":{},"after":{"refused":20}`),
		eventBy("table.rebuild", `"kind":"operator","name":"ops"`, `"before":{},"after":{}`),
		eventBy("credential.revoke", `"kind":"anonymous"`, `"before":{},"after":{}`),
	}, ",") + `],"pagination":{"limit":100,"hasMore":false,"next":null}}`)
	answers["GET /v1/users"] = clitest.Answer(`{"data":[` + clitest.Ada + `],"pagination":{"total":1,"limit":1,"offset":0,"hasMore":false}}`)
	c := newTestCLI(t, answers).LoggedIn()
	got := c.Want("audit", "list")
	for _, row := range [][]string{
		{"TIME", "ACTION", "ACTOR", "CUSTOMER", "TARGET", "TARGET", "ID", "CHANGED", "ADDRESS"},
		{"2026-11-21", "14:30", "customer.update", "ada@example.com", "acme", "acme", "t", "contacts", "limits"},
		{"2026-11-21", "14:30", "customer.create", boltID, "acme", "acme", "t"},
		{"2026-11-21", "14:30", "customer.update", "user", "acme", "acme", "t"},
		{"2026-11-21", "14:30", "credential.refuse", "workload", "p1", "acme", "acme", "t", "refused"},
		{"2026-11-21", "14:30", "table.rebuild", "operator", "ops", "acme", "acme", "t"},
		{"2026-11-21", "14:30", "credential.revoke", "anonymous", "acme", "acme", "t"},
	} {
		line, rest, _ := strings.Cut(got, "\n")
		if !slices.Equal(strings.Fields(line), row) {
			t.Errorf("got %q, want %q", line, row)
		}
		got = rest
	}
	c.WantCalls("GET /v1/audit?limit=100", "GET /v1/users?ids="+adaID+"%2C"+boltID, "GET /v1/customers/"+acmeID)
	if got := c.Want("audit", "list", "--csv"); strings.Count(got, ",{},") != 5 || strings.Count(got, ",{}\n") != 3 {
		t.Error(got)
	}
	c.Want("audit", "list", "--target", "customer:acme", "--json")
	c.WantCalls("GET /v1/audit?limit=100", "GET /v1/customers/search?limit=100&q=acme", "GET /v1/audit?limit=100&target=customer%3A"+acmeID)
	c.WantError("no customer has the slug ac", "audit", "list", "--target", "customer:ac")
}
