package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// testRecordedPulls pulls with a new token and looks up its pulls in the pull log.
func testRecordedPulls(t *testing.T, m *customerStack) {
	c := m.machine(t, m.createToken(t, "read:helm-charts", "read:docker-images"))
	c.addRepository(t).wantExit(t, 0)
	c.helm(t, "pull", "portside/anchor", "--version", "1.0.0").wantExit(t, 0)
	c.pullArtifact(t).wantExit(t, 0)
	c.craneManifest(t).wantExit(t, 0)
	// After the index, the manifest would be a part of its pull, if the same instance of the function serves both.
	c.crane(t, "manifest", c.host()+"/acme/multi@"+digestOf(t, m.images.arm)).wantExit(t, 0)
	c.crane(t, "manifest", c.host()+"/acme/multi:1.0").wantExit(t, 0)
	c.crane(t, "manifest", c.host()+"/acme/api:none").wantExit(t, 1)
	c.podmanPull(t).wantExit(t, 0)

	want := map[string]int{
		"chart anchor 1.0.0 Helm": 1, "chart charts/compass 2.0.0 Helm": 1, "image acme/api 1.0 crane": 1,
		"image acme/multi 1.0 crane": 1, "image acme/api 1.0 containers": 1,
	}
	list := m.customer.For(t)
	var page response
	await(t, "all pulls to be recorded", func() bool {
		page = list.Get("/api/v1/pulls?limit=100&token=" + c.id()).WantStatus(http.StatusOK)
		return len(m.countPulls(t, page)) >= len(want) && slices.ContainsFunc(page.List("data"), func(pull any) bool {
			return pull.(map[string]any)["reference"] == digestOf(t, m.images.arm) // countPulls leaves out pulls by digest
		})
	})
	for pull, n := range m.countPulls(t, page) {
		if want[pull] != n {
			t.Errorf("%s: %d times, want %d", pull, n, want[pull])
		}
	}
	list.Get("/api/v1/pulls?repository=acme/multi&token="+c.id()).WantStatus(http.StatusOK).
		WantValue("data.0.digest", digestOf(t, m.images.multi)).WantValue("data.0.reference", "1.0").
		WantValue("data.1.digest", digestOf(t, m.images.arm)).WantValue("data.1.reference", digestOf(t, m.images.arm)).WantValue("data.2", nil)
	list.Get("/api/v1/pulls?repository=acme/api&token="+c.id()).WantValue("data.0.digest", digestOf(t, m.images.api))
	_, other := m.createUser(t, "other@example.com", "viewer")
	m.anonymous(t).as(other).Get("/api/v1/pulls").WantStatus(http.StatusOK).
		WantValue("data", []any{}) // other users' pulls are not visible
}

// countPulls counts the pulls by kind, repository, reference and client. It returns the maximum per
// minute, because a repeated request at the turn of a minute is recorded in both minutes.
func (m *customerStack) countPulls(t *testing.T, page response) map[string]int {
	t.Helper()
	counts, perMinute := map[string]int{}, map[string]int{}
	for i := range page.List("data") {
		text := func(member string) string { return page.Text(fmt.Sprintf("data.%d.%s", i, member)) }
		if text("reference") == text("digest") {
			continue
		}
		program, _, _ := strings.Cut(text("client"), "/")
		pull := strings.Join([]string{text("kind"), text("repository"), text("reference"), program}, " ")
		if text("address") != "127.0.0.1" || !strings.HasPrefix(text("digest"), "sha256:") || text("ownerId") != m.customerID {
			t.Errorf("%s is recorded as %v", pull, page.JSON(fmt.Sprintf("data.%d", i)))
		}
		minute := pull + text("at")[:len("2006-01-02T15:04")]
		perMinute[minute]++
		counts[pull] = max(counts[pull], perMinute[minute])
	}
	return counts
}
