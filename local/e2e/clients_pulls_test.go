package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// recordedPulls pulls with a token that nobody else has, and looks for that in the log.
func recordedPulls(t *testing.T, m *market) {
	c := m.machine(t, m.token(t, "read:helm-charts", "read:docker-images"))
	c.addRepository(t).is(t, 0)
	c.helm(t, "pull", "portside/anchor", "--version", "1.0.0").is(t, 0)
	c.pullArtifact(t).is(t, 0)
	c.craneManifest(t).is(t, 0)
	c.crane(t, "manifest", c.host()+"/acme/multi:1.0").is(t, 0)
	c.crane(t, "manifest", c.host()+"/acme/multi@"+digestOf(t, m.images.arm)).is(t, 0) // which is a part of what was pulled
	c.crane(t, "manifest", c.host()+"/acme/api:none").is(t, 1)
	c.podmanPull(t).is(t, 0)

	want := map[string]int{
		"chart anchor 1.0.0 Helm": 1, "chart charts/compass 2.0.0 Helm": 1, "image acme/api 1.0 crane": 1,
		"image acme/multi 1.0 crane": 1, "image acme/api 1.0 containers": 1,
	}
	list := m.customer.at(t)
	var page answer
	await(t, "all pulls are in the log", func() bool {
		page = list.get("/api/v1/pulls?token=" + c.id()).is(http.StatusOK)
		return len(m.recorded(t, page)) >= len(want)
	})
	for pull, n := range m.recorded(t, page) {
		if want[pull] != n {
			t.Errorf("%s: %d times, want %d", pull, n, want[pull])
		}
	}
	list.get("/api/v1/pulls?repository=acme/multi&token="+c.id()).is(http.StatusOK).
		has("data.0.digest", digestOf(t, m.images.arm)).has("data.0.reference", digestOf(t, m.images.arm)).
		has("data.1.digest", digestOf(t, m.images.multi)).has("data.1.reference", "1.0").has("data.2", nil)
	list.get("/api/v1/pulls?repository=acme/api&token="+c.id()).has("data.0.digest", digestOf(t, m.images.api))
	_, other := m.user(t, "other@example.com", "viewer")
	m.visitor(t).as(other).get("/api/v1/pulls").is(http.StatusOK).has("data", []any{}) // nobody else's business
}

// recorded counts what, which version or tag and by which client: how often at most in a minute, for one that is asked for twice at
// the turn of a minute is recorded in both.
func (m *market) recorded(t *testing.T, page answer) map[string]int {
	t.Helper()
	counts, perMinute := map[string]int{}, map[string]int{}
	for i := range page.list("data") {
		text := func(member string) string { return page.text(fmt.Sprintf("data.%d.%s", i, member)) }
		if text("reference") == text("digest") {
			continue
		}
		program, _, _ := strings.Cut(text("client"), "/")
		pull := strings.Join([]string{text("kind"), text("repository"), text("reference"), program}, " ")
		if text("address") != "127.0.0.1" || !strings.HasPrefix(text("digest"), "sha256:") || text("ownerId") != m.customerID {
			t.Errorf("%s is recorded as %v", pull, page.json(fmt.Sprintf("data.%d", i)))
		}
		minute := pull + text("at")[:len("2006-01-02T15:04")]
		perMinute[minute]++
		counts[pull] = max(counts[pull], perMinute[minute])
	}
	return counts
}
