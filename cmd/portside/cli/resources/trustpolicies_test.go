package resources

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portside/cmd/portside/cli/clitest"
)

const (
	trustPolicyID = "01939f6f-1d3c-7b4e-9a55-3d7c1f0e8b64"
	trustPolicy   = `{"id":"` + trustPolicyID + `","name":"Builds","issuer":"https://gitlab.com","audience":"https://portside.example.com",` +
		`"conditions":[{"claim":"sub","value":"project_path:acme/app:*:*:*:*"},{"claim":"namespace_id","values":["65","66"]}],` +
		`"scopes":["read:helm-charts","read:docker-images:acme/*"],"maxMinutes":10,"jwks":"",` +
		`"createdAt":"2026-03-02T09:15:30Z","updatedAt":"2026-03-02T09:15:30Z"}`
	trustPoliciesPath = "/v1/customers/" + acmeID + "/trust-policies"
)

// trustPolicyAnswers is a service whose customer acme has one trust policy.
func trustPolicyAnswers() map[string]http.HandlerFunc {
	answers, one := customerAnswers(), clitest.Answer(`{"data":`+trustPolicy+`}`)
	answers["GET "+trustPoliciesPath] = clitest.Answer(`{"data":[` + trustPolicy + `],` +
		`"pagination":{"total":1,"limit":100,"offset":0,"hasMore":false}}`)
	answers["POST "+trustPoliciesPath] = one
	answers["GET "+trustPoliciesPath+"/"+trustPolicyID] = one
	answers["PUT "+trustPoliciesPath+"/"+trustPolicyID] = one
	answers["DELETE "+trustPoliciesPath+"/"+trustPolicyID] = clitest.Answer("")
	return answers
}

func TestTrustPoliciesAreListed(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, trustPolicyAnswers()).LoggedIn()
	got := c.Want("trust-policies", "list", "--customer", "acme")
	for _, text := range []string{
		"MINUTES", trustPolicyID + "  Builds  https://gitlab.com  https://portside.example.com  sub=project_path:acme/app:*:*:*:* namespace_id=65|66  read:helm-charts",
	} {
		if !strings.Contains(got, text) {
			t.Errorf("%q is missing in\n%s", text, got)
		}
	}
	c.WantCalls("GET /v1/customers/search?limit=100&q=acme", "GET "+trustPoliciesPath+"?limit=100")
	clitest.WantText(t, c.Want("trust-policies", "list", "--customer", acmeID, "--csv"),
		"id,name,issuer,audience,conditions,scopes,maxMinutes,jwks,createdAt,updatedAt\n"+trustPolicyID+
			",Builds,https://gitlab.com,https://portside.example.com,sub=project_path:acme/app:*:*:*:* namespace_id=65|66,"+
			"read:helm-charts read:docker-images:acme/*,10,,2026-03-02T09:15:30Z,2026-03-02T09:15:30Z\n")
	if got := c.Want("trust-policies", "list", "--customer", acmeID, "--json"); !strings.Contains(got, `"maxMinutes": 10`) {
		t.Errorf("the list is\n%s", got)
	}
	got = c.Want("trust-policies", "get", trustPolicyID, "--customer", "acme")
	for _, line := range []string{"NAME        Builds\n", "AUDIENCE    https://portside.example.com\n", "MINUTES     10\n", "JWKS\n"} {
		if !strings.Contains(got, line) {
			t.Errorf("%q is missing in\n%s", line, got)
		}
	}
	c.WantUsageError("pass --customer", "trust-policies", "list")
	c.WantUsageError("pass --customer", "trust-policies", "get", trustPolicyID)
	c.WantUsageError("the ID of the trust policy is missing", "trust-policies", "get", "--customer", "acme")
	c.WantError("no customer has the slug ac", "trust-policies", "list", "--customer", "ac")
}

func TestTrustPoliciesAreChanged(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, trustPolicyAnswers()).LoggedIn()
	keys := filepath.Join(c.Dir, "keys.json")
	if err := os.WriteFile(keys, []byte("{\"keys\":[]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	of := []string{"--customer", acmeID}
	run := func(args ...string) { c.Want(append(append([]string{"trust-policies"}, args...), of...)...) }
	run("create", "--name", "Builds", "--issuer", "https://gitlab.com", "--audience", "a", "--scope", "read:helm-charts,read:docker-images:b",
		"--condition", "sub=a=b", "--condition", "/kubernetes.io/namespace=acme")
	run("create", "--name", "Pods", "--issuer", "https://k", "--audience", "a", "--scope", "read:helm-charts", "--condition", "sub=a,b",
		"--max-minutes", "5", "--jwks-file", keys)
	run("update", trustPolicyID, "--name", "Jobs", "--max-minutes", "60", "--jwks-file", "")
	run("update", trustPolicyID, "--issuer", "https://k", "--audience", "b", "--jwks-file", keys)
	run("update", trustPolicyID, "--condition", "sub=c", "--scope", "read:docker-images")
	run("update", trustPolicyID, "--any-of", "ref=a", "--any-of", "sub=x=y", "--any-of", "ref=b", "--condition", "ref=c")
	c.WantUsageError("pass --yes", "trust-policies", "delete", trustPolicyID, "--customer", acmeID)
	run("delete", trustPolicyID, "--yes")
	at := trustPoliciesPath + "/" + trustPolicyID
	c.WantCalls("POST "+trustPoliciesPath, "POST "+trustPoliciesPath, "PUT "+at, "PUT "+at, "PUT "+at, "PUT "+at, "GET "+at,
		"GET "+at, "DELETE "+at)
	want := []string{
		`{"audience":"a","conditions":[{"claim":"sub","value":"a=b"},{"claim":"/kubernetes.io/namespace","value":"acme"}],` +
			`"issuer":"https://gitlab.com","name":"Builds","scopes":["read:helm-charts","read:docker-images:b"]}`,
		`{"audience":"a","conditions":[{"claim":"sub","value":"a,b"}],"issuer":"https://k","jwks":"{\"keys\":[]}","maxMinutes":5,` +
			`"name":"Pods","scopes":["read:helm-charts"]}`,
		`{"jwks":"","maxMinutes":60,"name":"Jobs"}`, `{"audience":"b","issuer":"https://k","jwks":"{\"keys\":[]}"}`,
		`{"conditions":[{"claim":"sub","value":"c"}],"scopes":["read:docker-images"]}`,
		`{"conditions":[{"claim":"ref","value":"c"},{"claim":"ref","values":["a","b"]},{"claim":"sub","value":"x=y"}]}`, "", "", "",
	}
	if !slices.Equal(c.Bodies, want) {
		t.Errorf("sent\n%q\nwant\n%q", c.Bodies, want)
	}
}

func TestTrustPolicyFlagsAreChecked(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, trustPolicyAnswers()).LoggedIn()
	create := []string{"trust-policies", "create", "--name", "a", "--issuer", "b", "--audience", "c", "--scope", "d"}
	c.WantUsageError("pass --github, --condition or --any-of", append(slices.Clone(create), "--customer", acmeID)...)
	c.WantUsageError("pass --issuer", "trust-policies", "create", "--name", "a", "--audience", "c", "--scope", "d", "--condition", "sub=a")
	c.WantUsageError("pass --customer", append(slices.Clone(create), "--condition", "e=f")...)
	c.WantUsageError("pass what to change", "trust-policies", "update", trustPolicyID, "--customer", acmeID)
	c.WantUsageError("the ID of the trust policy is missing", "trust-policies", "delete", "--customer", acmeID)
	c.WantError("no such file", "trust-policies", "update", trustPolicyID, "--customer", acmeID, "--jwks-file", filepath.Join(c.Dir, "none"))
	for _, text := range []string{"", "sub", "=value", "sub="} {
		c.WantUsageError("is not of the form CLAIM=VALUE", "trust-policies", "update", trustPolicyID, "--customer", acmeID, "--condition", text)
		c.WantUsageError("is not of the form CLAIM=VALUE", append(slices.Clone(create), "--condition", "sub=a", "--any-of", text)...)
	}
	github := func(args ...string) []string {
		return append([]string{"trust-policies", "update", trustPolicyID, "--customer", acmeID}, args...)
	}
	c.WantUsageError("pass --ref with --github", github("--github", "acme/app")...)
	c.WantUsageError("excludes --issuer", github("--github", "acme/app", "--ref", "a", "--issuer", "b")...)
	c.WantUsageError("pass --github with --ref", github("--ref", "a")...)
	c.WantUsageError("pass --github with --repository-id", github("--repository-id", "74", "--name", "a")...)
	c.WantUsageError("together", github("--github", "acme/app", "--ref", "a", "--repository-id", "74")...)
	for _, name := range []string{"", "acme", "acme/app/x", "../app", "acme/..", "acme/app?x", "https://github.com/acme/app"} {
		c.WantUsageError("is not of the form OWNER/REPOSITORY", github("--github", name, "--ref", "a")...)
	}
	c.WantCalls()
}

func TestErrorsNameFlagsOfTrustPolicies(t *testing.T) {
	t.Parallel()
	answers := trustPolicyAnswers()
	answers["PUT "+trustPoliciesPath+"/"+trustPolicyID] = func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"code":"VALIDATION_ERROR","errors":[{"pointer":"/conditions/1/claim","detail":"A"},` +
			`{"pointer":"/maxMinutes","detail":"B"},{"pointer":"/jwks","detail":"C"},{"pointer":"/scopes/0","detail":"D"}]}`))
	}
	c := newTestCLI(t, answers).LoggedIn()
	c.WantError("--condition: A; --max-minutes: B; --jwks-file: C; --scope: D",
		"trust-policies", "update", trustPolicyID, "--customer", acmeID, "--condition", "iss=x", "--max-minutes", "99", "--jwks-file", "",
		"--scope", "all")
}

// TestPolicyOfGitHubRepository reads the IDs from a server that stands for GitHub's API.
func TestPolicyOfGitHubRepository(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, trustPolicyAnswers()).LoggedIn()
	asked := ""
	github := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-API-Key") != "" {
			t.Error("GitHub gets a credential")
		}
		switch r.URL.Path {
		case "/repos/acme/app":
			_, _ = w.Write([]byte(`{"id":74,"full_name":"acme/app","owner":{"login":"acme","id":65}}`))
		case "/repos/acme/renamed":
			http.Redirect(w, r, "/repositories/74", http.StatusMovedPermanently)
		case "/repos/acme/busy":
			w.WriteHeader(http.StatusForbidden)
		case "/repos/acme/odd":
			_, _ = w.Write([]byte(`{"id":74}`))
		case "/repos/acme/large":
			_, _ = w.Write([]byte(`{"description":"` + strings.Repeat("x", 2<<20) + `","id":74,"owner":{"id":65}}`))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(github.Close)
	c.Github = github.URL
	create := []string{
		"trust-policies", "create", "--customer", acmeID, "--name", "Builds", "--audience", "a", "--scope", "read:helm-charts",
		"--ref", "refs/heads/main", "--ref", "refs/tags/v*", "--github",
	}
	const want = `{"audience":"a","conditions":[{"claim":"repository_id","value":"74"},{"claim":"repository_owner_id","value":"65"},` +
		`{"claim":"ref","values":["refs/heads/main","refs/tags/v*"]},{"claim":"environment","value":"production"}],` +
		`"issuer":"https://token.actions.githubusercontent.com","name":"Builds","scopes":["read:helm-charts"]}`
	c.Want(append(slices.Clone(create), "acme/app", "--condition", "environment=production")...)
	if asked != "/repos/acme/app" {
		t.Errorf("asked for %s", asked)
	}
	asked = ""
	c.Want(append(slices.Clone(create), "acme/secret", "--condition", "environment=production", "--repository-id", "74",
		"--repository-owner-id", "65")...)
	if asked != "" {
		t.Errorf("asked for %s in spite of given IDs", asked)
	}
	if !slices.Equal(c.Bodies, []string{want, want}) {
		t.Errorf("sent\n%q\nwant twice\n%q", c.Bodies, want)
	}
	for name, reason := range map[string]string{
		"acme/secret": "pass --repository-id and --repository-owner-id", "acme/renamed": "was renamed or moved", "acme/busy": "(status 403)",
		"acme/odd": "read GitHub's answer", "acme/large": "read GitHub's answer",
	} {
		c.WantError(reason, append(slices.Clone(create), name)...)
	}
	if len(c.Bodies) != 2 {
		t.Errorf("sent %q", c.Bodies[2:])
	}
}
