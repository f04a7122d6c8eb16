package api

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portside/local/apifuzz"
	"portside/local/e2e/e2etest"
)

// permissions are those in the description of openapi.yaml, and not read from the code.
var permissions = map[string]string{
	"admin": "users:read users:write users:delete customers:read customers:write customers:delete projects:read projects:write " +
		"projects:delete analytics:read capabilities:use tokens:read tokens:write credentials:approve api-keys:write audit:read",
	"manager": "users:read users:write customers:read customers:write projects:read projects:write projects:delete analytics:read " +
		"capabilities:use tokens:read tokens:write audit:read",
	"user":   "users:read customers:read projects:read projects:write capabilities:use",
	"viewer": "users:read customers:read projects:read analytics:read",
}

// matrixCaller is a user with one credential, and its state.
type matrixCaller struct {
	name   string
	scheme string // as in openapi.yaml
	works  bool
	isOld  bool // a session of more than 15 minutes
	role   string
	userID string
	header func() http.Header // a new one, because some operations end the credential
}

// TestPermissionMatrix sends every operation of openapi.yaml as every caller: every role, kind of credential and state
// of it, to the own user and to another one. The access of each cell follows from the document and from the permissions
// of the role.
//
//proves:docs/security.md
func TestPermissionMatrix(t *testing.T) {
	document, err := apifuzz.ReadDocument(filepath.Join(e2etest.Repository, "openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p := e2etest.Shared(t)
	m := &matrix{Stack: p, t: t}
	other, _ := p.Users.Create(t, "other", "viewer")
	cells, accesses := 0, map[string]int{}
	for _, c := range m.callers() {
		for _, o := range document.Operations {
			for _, user := range usersFor(o, c, path.Base(other)) {
				want := expectedAccess(o, c, user)
				got := m.access(o, c, user)
				if cells++; !slices.Contains(strings.Split(want, " or "), got) {
					t.Errorf("%s %s on user %q as %s: %s, want %s", o.Method, o.Path, user, c.name, got, want)
				}
				accesses[got]++
			}
		}
	}
	t.Logf("%d cells: %v", cells, accesses)
}

// usersFor returns the users of an operation's path: the caller and another one.
func usersFor(o *apifuzz.Operation, c matrixCaller, other string) []string {
	switch {
	case !strings.Contains(o.Path, "{userId}"):
		return []string{""}
	case c.userID == "":
		return []string{other}
	case strings.HasSuffix(o.Path, "/credentials"): // it would end the credential that makes the calls
		return []string{other}
	}
	return []string{c.userID, other}
}

// expectedAccess is "allowed", "unauthorized", "forbidden" or "sign in again".
func expectedAccess(o *apifuzz.Operation, c matrixCaller, user string) string {
	switch {
	case o.IsPublic:
		return "allowed"
	case !c.works || !slices.Contains(o.Schemes, c.scheme):
		return "unauthorized"
	case c.role != "" && o.Permission != "" && !slices.Contains(strings.Fields(permissions[c.role]), o.Permission):
		return "forbidden"
	case c.isOld && strings.Contains(o.Description, "SIGN_IN_REQUIRED"):
		return "sign in again"
	case o.Permission == "" && user != "" && user != c.userID && c.role != "admin":
		return "forbidden"
	}
	return "allowed"
}

type matrix struct {
	*e2etest.Stack

	t       *testing.T
	created int
}

// access sends the operation without a useful body, and for a version that does not exist, so that almost nothing
// changes.
func (m *matrix) access(o *apifuzz.Operation, c matrixCaller, user string) string {
	target := strings.NewReplacer("{userId}", user, "{", "", "}", "").Replace(o.Path)
	for _, id := range []string{
		"requestId", "tokenId", "jobId", "passkeyId", "projectId", "customerId", "entitlementId", "policyId", "sessionId", "keyId", "uploadId",
	} {
		target = strings.ReplaceAll(target, id, "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11")
	}
	sender := m.Anonymous(m.t).With("If-Match", `"999"`)
	for name, values := range c.header() {
		sender = sender.With(name, values[0])
	}
	body := ""
	if o.HasBody {
		body = "{}"
	}
	if strings.HasSuffix(o.Path, "/api-keys") { // whose key it is matters only for a valid one
		body = `{"name":"matrix"}`
	}
	a, err := sender.Send(o.Method, target, body)
	if err != nil {
		m.t.Fatal(err)
	}
	var problem struct{ Code string }
	_ = json.Unmarshal(a.Body, &problem) // other answers have no code
	switch {
	case problem.Code == "SIGN_IN_REQUIRED":
		return "sign in again"
	case a.Status == http.StatusUnauthorized:
		return "unauthorized"
	case a.Status == http.StatusForbidden:
		return "forbidden"
	case a.Status >= http.StatusInternalServerError:
		return fmt.Sprintf("status %d", a.Status)
	}
	return "allowed"
}

func (m *matrix) newUser(role string) (id, key string) {
	m.created++
	at, key := m.Users.Create(m.t, fmt.Sprintf("m%d", m.created), role)
	return path.Base(at), key
}

func always(name, value string) func() http.Header {
	return func() http.Header { return http.Header{name: {value}} }
}

func (m *matrix) callers() []matrixCaller {
	callers := []matrixCaller{
		{name: "nobody", header: func() http.Header { return nil }},
		{name: "a malformed key", scheme: "apiKey", header: always("X-Api-Key", "psk_garbage")},
		{name: "an unknown session", scheme: "session", header: always("Cookie", "__Host-portside-session=pss_garbage")},
	}
	for role := range permissions {
		id, key := m.newUser(role)
		callers = append(callers, matrixCaller{
			name: role + " with a key", scheme: "apiKey", works: true, role: role, userID: id, header: always("X-Api-Key", key),
		}, m.withSession(role, false), m.withSession(role, true))
	}
	return append(callers, slices.Concat(m.brokenKeys(), m.tokens())...)
}

// withSession returns a person who signs in for each operation.
func (m *matrix) withSession(role string, isOld bool) matrixCaller {
	id, key := m.newUser(role)
	person := fmt.Sprintf("m%d", m.created)
	cookie := m.newSession(person, key, isOld)
	return matrixCaller{
		name: fmt.Sprintf("%s with a session (old: %v)", role, isOld), scheme: "session", works: true, isOld: isOld,
		role: role, userID: id,
		header: func() http.Header {
			if m.Anonymous(m.t).With("Cookie", cookie).Get("/v1/sessions/current").Status != http.StatusOK {
				cookie = m.newSession(person, key, isOld)
			}
			return http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"same-origin"}}
		},
	}
}

func (m *matrix) newSession(person, key string, isOld bool) (cookie string) {
	cookie = m.Users.SignIn(m.t, person)
	if isOld {
		m.Users.AgeSessions(m.t, m.As(m.t, key))
	}
	return cookie
}

// brokenKeys are keys of admins that must not work any more.
func (m *matrix) brokenKeys() []matrixCaller {
	root := m.Admin(m.t)
	var callers []matrixCaller
	for _, state := range []string{"suspended", "deleted", "revoked", "expired"} {
		id, key := m.newUser("admin")
		switch state {
		case "suspended":
			root.Put("/v1/users/"+id, `{"status":"suspended"}`).WantStatus(http.StatusOK)
		case "deleted":
			root.Delete("/v1/users/" + id).WantStatus(http.StatusNoContent)
		case "revoked":
			keyID := root.Get("/v1/users/" + id + "/api-keys").Text("data.0.id")
			root.Delete("/v1/users/" + id + "/api-keys/" + keyID).WantStatus(http.StatusNoContent)
		case "expired":
			made := root.Post("/v1/users/"+id+"/api-keys", `{"name":"short","expirationDays":1}`).WantStatus(http.StatusCreated)
			key = made.Text("data.key")
			m.Users.Expire(m.t, key)
		}
		callers = append(callers, matrixCaller{name: "the " + state + " key of an admin", scheme: "apiKey",
			header: always("X-Api-Key", key)})
	}
	return callers
}

// tokens are access tokens of a manager, also as passwords of Basic.
func (m *matrix) tokens() []matrixCaller {
	_, key := m.Users.Create(m.t, "owner", "manager")
	owner := m.As(m.t, key)
	create := func(scopes string) (id, token string) {
		made := owner.Post("/api/v1/tokens", `{"name":"matrix","scopes":[`+scopes+`],"expiration_days":1}`).
			WantStatus(http.StatusCreated)
		return made.Text("data.id"), made.Text("data.token")
	}
	_, working := create(`"read:helm-charts","read:docker-images"`)
	id, revoked := create(`"read:helm-charts"`)
	owner.Delete("/api/v1/tokens/" + id).WantStatus(http.StatusNoContent)
	_, expired := create(`"read:helm-charts"`)
	m.Users.Expire(m.t, expired)
	callers := []matrixCaller{
		{name: "a token", scheme: "accessToken", works: true, header: always("Authorization", "Bearer "+working)},
		{name: "a revoked token", scheme: "accessToken", header: always("Authorization", "Bearer "+revoked)},
		{name: "an expired token", scheme: "accessToken", header: always("Authorization", "Bearer "+expired)},
		{name: "a token as a key", scheme: "apiKey", header: always("X-Api-Key", working)},
	}
	basic := always("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("any:"+working)))
	return append(callers, matrixCaller{name: "a token as a password", scheme: "basic", works: true, header: basic})
}
