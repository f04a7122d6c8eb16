package cli

import (
	"net/http"
	"testing"
)

// auditEvent has its fields in the order in which the command prints them.
const auditEvent = `{"action":"user.update","actor":{"address":"203.0.113.9","credentialId":"k","customerId":null,"id":"` + adaID + `",` +
	`"kind":"user","name":null},"after":{"role":"manager"},"before":{"role":"user"},"customerId":null,"id":"1-a","requestId":"r",` +
	`"target":{"id":"u1","kind":"user","name":"bob@example.com"},"time":"2026-11-21T14:30:00.125431Z"}`

func TestAuditLog(t *testing.T) {
	c := newTestCLI(t, map[string]http.HandlerFunc{
		"GET /v1/audit": answer(`{"data":[` + auditEvent + `],"pagination":{"limit":100,"hasMore":false,"next":null}}`),
		"GET /v1/users": answer(`{"data":[{"id":"` + adaID + `"}],"pagination":{"total":1,"limit":1,"offset":0,"hasMore":false}}`),
	}).loggedIn()
	wantText(t, c.want("audit", "list", "--json-lines"), auditEvent+"\n")
	wantText(t, c.want("audit", "list", "--csv"), "time,action,actorKind,actorId,targetName,targetId,address,actorName,actorCustomerId,"+
		"credentialId,targetKind,customerId,requestId,before,after,id\n2026-11-21T14:30:00.125431Z,user.update,user,"+adaID+
		",bob@example.com,u1,203.0.113.9,,,k,user,,r,\"{\"\"role\"\":\"\"user\"\"}\",\"{\"\"role\"\":\"\"manager\"\"}\",1-a\n")
	c.wantCalls("GET /v1/audit?limit=100", "GET /v1/audit?limit=100")
	c.want("audit", "list", "--user", "ada@example.com", "--actor", adaID, "--action", "user.*", "--oldest", "--from", "2026-11-01",
		"--limit", "5")
	c.wantCalls("GET /v1/users?email=ada%40example.com",
		"GET /v1/audit?action=user.%2A&actorId="+adaID+"&from=2026-11-01&limit=5&order=oldest&target=user%3A"+adaID)
	c.want("audit", "list", "--target", "project:p1", "--last-month")
	c.wantCalls("GET /v1/audit?from=2028-02-01&limit=100&target=project%3Ap1&to=2028-02-29")
	c.wantUsageError("--json-lines excludes --json and --csv", "audit", "list", "--json-lines", "--csv")
	c.wantUsageError("--user and --target exclude each other", "audit", "list", "--user", adaID, "--target", "user:u1")
	c.wantUsageError("give a month, or --from and --to", "audit", "list", "--last-month", "--from", "2028-01-01")
}
