package e2e

import (
	"slices"
	"testing"
)

// TestClients has customers fetch what a vendor offers, with the programs that they really use.
func TestClients(t *testing.T) {
	m := openMarket(t)
	for _, part := range []struct {
		name string
		play func(*testing.T, *market)
	}{
		{"who is let in", everyDoor},
		{"a chart repository", chartRepository},
		{"signed charts", signedCharts},
		{"charts refused and withdrawn", refusedCharts},
		{"charts in the registry", chartArtifacts},
		{"docker", dockerKeepsLogins},
		{"skopeo", skopeo},
		{"podman", podman},
		{"crane", crane},
		{"blobs come from S3", blobs},
		{"what HEAD tells", heads},
		{"clients that hang up", hangUps},
		{"the upstream stays unknown", upstreamUnknown},
		{"pulls are recorded", recordedPulls},
	} {
		t.Run(part.name, func(t *testing.T) { part.play(t, m) })
	}
	m.secretsAreNowhere(t)
}

// door is a client that wants to be let in.
type door struct {
	name    string
	knock   func(machine, *testing.T) ran
	opens   []string // for whoever may fetch one of these; nothing: for every credential that works
	open    ending
	unknown ending // to who has no working credential
	nobody  ending // to who has none; nothing: what the unknown get
	named   bool   // it has no way of coming without a credential
	denied  ending // to who may fetch other things only
}

// ending is a client's exit code, and words that it prints.
type ending struct {
	code  int
	words []string
}

// What a credential is for, in the table of those who knock.
const (
	forCharts = "charts"
	forImages = "images"
	forOthers = "others"
)

func doors() []door {
	unauthorized := ending{1, []string{"unauthorized"}}
	return []door{
		{
			name: "helm repo add", knock: machine.addRepository, opens: []string{forCharts},
			open:    ending{0, []string{`"portside" has been added to your repositories`}},
			unknown: ending{1, []string{"/charts/index.yaml : 401 Unauthorized"}},
			denied:  ending{1, []string{"/charts/index.yaml : 403 Forbidden"}},
		},
		{
			name: "helm pull oci", knock: machine.pullArtifact, opens: []string{forCharts, forImages},
			open: ending{0, []string{"/charts/compass:2.0.0", "Digest: sha256:"}}, unknown: unauthorized,
			nobody: ending{1, []string{"basic credential not found"}}, denied: ending{1, []string{"denied"}},
		},
		{
			name: "docker login", knock: machine.dockerLogin,
			open: ending{0, []string{"Login Succeeded"}}, unknown: ending{1, []string{"401 Unauthorized"}},
			named: true,
		},
		{
			name: "skopeo inspect", knock: machine.skopeoInspect, opens: []string{forImages},
			open: ending{0, []string{`"Digest": "sha256:`}}, unknown: unauthorized, denied: ending{1, []string{"denied"}},
		},
		{
			name: "podman pull", knock: machine.podmanPull, opens: []string{forImages},
			open:    ending{0, []string{"Writing manifest to image destination"}},
			unknown: ending{125, []string{"unauthorized"}}, denied: ending{125, []string{"denied"}},
		},
		{
			name: "crane manifest", knock: machine.craneManifest, opens: []string{forImages},
			open:    ending{0, []string{`"schemaVersion":2`}},
			unknown: ending{1, []string{"UNAUTHORIZED"}}, denied: ending{1, []string{"DENIED"}},
		},
	}
}

// caller is who knocks.
type caller struct {
	name string
	login
	may []string // nothing: the credential does not work
}

func (m *market) callers(t *testing.T) []caller {
	t.Helper()
	full := m.collected(t, "full")
	return []caller{
		{"a password", full, []string{forCharts, forImages}},
		{"a password for charts", m.collected(t, "charts"), []string{forCharts}},
		{"a token", m.token(t, "read:helm-charts", "read:docker-images"), []string{forCharts, forImages}},
		{"a token for charts", m.token(t, "read:helm-charts"), []string{forCharts}},
		{"a token for images", m.token(t, "read:docker-images"), []string{forImages}},
		{"a token for others' images", m.token(t, "read:docker-images:globex/*"), []string{forOthers}},
		{"an expired token", m.expire(t, m.token(t, "read:helm-charts", "read:docker-images")), nil},
		{"a revoked token", m.revoke(t, m.token(t, "read:helm-charts", "read:docker-images")), nil},
		{"a wrong password", login{full.name, full.password[:len(full.password)-1] + swap(full.password[len(full.password)-1:])}, nil},
		{"a password of somebody else", login{"somebody-else", full.password}, nil},
		{"nobody", login{}, nil},
	}
}

// everyDoor has every client try every credential.
func everyDoor(t *testing.T, m *market) {
	callers := m.callers(t)
	for _, d := range doors() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range callers {
				if d.named && c.login == (login{}) {
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					want := d.answer(c)
					d.knock(m.machine(t, c.login), t).is(t, want.code, want.words...)
				})
			}
		})
	}
}

func (d door) answer(c caller) ending {
	welcome := func(scope string) bool { return slices.Contains(c.may, scope) }
	switch {
	case c.login == (login{}) && d.nobody.code != 0:
		return d.nobody
	case c.may == nil:
		return d.unknown
	case d.opens == nil || slices.ContainsFunc(d.opens, welcome):
		return d.open
	default:
		return d.denied
	}
}
