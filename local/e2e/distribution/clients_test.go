package distribution

import (
	"slices"
	"testing"

	"portside/local/e2e/e2etest"
)

// clientCommand is a client's command and its expected exits by credential.
type clientCommand struct {
	name              string
	run               func(machine, *testing.T) e2etest.Exit
	accepts           []string // scopes with which the command succeeds; nil means any valid credential
	success           expectedExit
	invalidCredential expectedExit
	noCredential      expectedExit // zero means the same as invalidCredential
	needsCredential   bool         // cannot run without a credential
	denied            expectedExit // for a valid credential without a required scope
}

// expectedExit is an exit code and words of the output.
type expectedExit struct {
	code  int
	words []string
}

// Scopes of credentials.
const (
	forCharts = "charts"
	forImages = "images"
	forOthers = "others"
)

func clientCommands() []clientCommand {
	unauthorized := expectedExit{1, []string{"unauthorized"}}
	return []clientCommand{
		{
			name: "helm repo add", run: machine.addRepository, accepts: []string{forCharts},
			success:           expectedExit{0, []string{`"portside" has been added to your repositories`}},
			invalidCredential: expectedExit{1, []string{"/charts/index.yaml : 401 Unauthorized"}},
			denied:            expectedExit{1, []string{"/charts/index.yaml : 403 Forbidden"}},
		},
		{
			name: "helm pull oci", run: machine.pullArtifact, accepts: []string{forCharts, forImages},
			success: expectedExit{0, []string{"/charts/compass:2.0.0", "Digest: sha256:"}}, invalidCredential: unauthorized,
			noCredential: expectedExit{1, []string{"basic credential not found"}}, denied: expectedExit{1, []string{"denied"}},
		},
		{
			name: "docker login", run: machine.dockerLogin,
			success:           expectedExit{0, []string{"Login Succeeded"}},
			invalidCredential: expectedExit{1, []string{"401 Unauthorized"}},
			needsCredential:   true,
		},
		{
			name: "skopeo inspect", run: machine.skopeoInspect, accepts: []string{forImages},
			success: expectedExit{0, []string{`"Digest": "sha256:`}}, invalidCredential: unauthorized,
			denied: expectedExit{1, []string{"denied"}},
		},
		{
			name: "podman pull", run: machine.podmanPull, accepts: []string{forImages},
			success:           expectedExit{0, []string{"Writing manifest to image destination"}},
			invalidCredential: expectedExit{125, []string{"unauthorized"}}, denied: expectedExit{125, []string{"denied"}},
		},
		{
			name: "crane manifest", run: machine.craneManifest, accepts: []string{forImages},
			success:           expectedExit{0, []string{`"schemaVersion":2`}},
			invalidCredential: expectedExit{1, []string{"UNAUTHORIZED"}}, denied: expectedExit{1, []string{"DENIED"}},
		},
	}
}

// caller is a credential to test.
type caller struct {
	name string
	e2etest.Login
	scopes []string // nil means that the credential is invalid
}

func (m shop) callers(t *testing.T) []caller {
	t.Helper()
	full := m.requestPassword(t, "full")
	return []caller{
		{"a password", full, []string{forCharts, forImages}},
		{"a password for charts", m.requestPassword(t, "charts"), []string{forCharts}},
		{"a token", m.createToken(t, "read:helm-charts", "read:docker-images"), []string{forCharts, forImages}},
		{"a token for charts", m.createToken(t, "read:helm-charts"), []string{forCharts}},
		{"a token for images", m.createToken(t, "read:docker-images"), []string{forImages}},
		{"a token for others' images", m.createToken(t, "read:docker-images:globex/*"), []string{forOthers}},
		{"an expired token", m.expire(t, m.createToken(t, "read:helm-charts", "read:docker-images")), nil},
		{"a revoked token", m.revoke(t, m.createToken(t, "read:helm-charts", "read:docker-images")), nil},
		{"a wrong password", login(full.User, otherEnd(full.Password)), nil},
		{"a password with another user name", login("somebody-else", full.Password), nil},
		{"no credential", e2etest.Login{}, nil},
	}
}

// TestClientsWithEachCredential runs every client with every credential.
func TestClientsWithEachCredential(t *testing.T) { //nolint:tparallel // newShop calls t.Parallel
	m := newShop(t)
	callers := m.callers(t)
	for _, d := range clientCommands() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range callers {
				if d.needsCredential && c.Login == (e2etest.Login{}) {
					continue
				}
				t.Run(c.User, func(t *testing.T) {
					want := d.want(c)
					d.run(m.machine(t, c.Login), t).WantExit(t, want.code, want.words...)
				})
			}
		})
	}
}

func (d clientCommand) want(c caller) expectedExit {
	welcome := func(scope string) bool { return slices.Contains(c.scopes, scope) }
	switch {
	case c.Login == (e2etest.Login{}) && d.noCredential.code != 0:
		return d.noCredential
	case c.scopes == nil:
		return d.invalidCredential
	case d.accepts == nil || slices.ContainsFunc(d.accepts, welcome):
		return d.success
	default:
		return d.denied
	}
}

// otherEnd returns a text with another last character.
func otherEnd(text string) string {
	before, end := text[:len(text)-1], text[len(text)-1:]
	if end == "a" {
		return before + "b"
	}
	return before + "a"
}
