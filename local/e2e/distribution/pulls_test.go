package distribution

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"

	"portside/local/e2e/e2etest"
)

// TestPullsAreRecorded pulls with a new token and looks up its pulls in the pull log.
func TestPullsAreRecorded(t *testing.T) {
	m := newShop(t)
	c := m.machine(t, m.createToken(t, "read:helm-charts", "read:docker-images"))
	c.addRepository(t).WantExit(t, 0)
	c.helm(t, "pull", "portside/anchor", "--version", "1.0.0").WantExit(t, 0)
	c.pullArtifact(t).WantExit(t, 0)
	c.craneManifest(t).WantExit(t, 0)
	// After the index, the manifest would be a part of its pull, if the same instance of the function serves both.
	c.crane(t, "manifest", c.Host()+"/harbor/multi@"+digestOf(t, m.images.arm)).WantExit(t, 0)
	c.crane(t, "manifest", c.Host()+"/harbor/multi:1.0").WantExit(t, 0)
	c.crane(t, "manifest", c.Host()+"/harbor/api:none").WantExit(t, 1)
	c.podmanPull(t).WantExit(t, 0)

	want := map[string]int{
		"chart anchor 1.0.0 Helm": 1, "chart charts/compass 2.0.0 Helm": 1, "image harbor/api 1.0 crane": 1,
		"image harbor/multi 1.0 crane": 1, "image harbor/api 1.0 containers": 1,
	}
	list := m.manager.For(t)
	var page e2etest.Response
	e2etest.Await(t, "all pulls to be recorded", func() bool {
		page = list.Get("/api/v1/pulls?limit=100&token=" + c.ID()).WantStatus(http.StatusOK)
		return len(m.countPulls(t, page)) >= len(want) && slices.ContainsFunc(page.List("data"), func(pull any) bool {
			return pull.(map[string]any)["reference"] == digestOf(t, m.images.arm) // countPulls leaves out pulls by digest
		})
	})
	for pull, n := range m.countPulls(t, page) {
		if want[pull] != n {
			t.Errorf("%s: %d times, want %d", pull, n, want[pull])
		}
	}
	list.Get("/api/v1/pulls?repository=harbor/multi&token="+c.ID()).WantStatus(http.StatusOK).
		WantValue("data.0.digest", digestOf(t, m.images.multi)).WantValue("data.0.reference", "1.0").
		WantValue("data.1.digest", digestOf(t, m.images.arm)).WantValue("data.1.reference", digestOf(t, m.images.arm)).
		WantValue("data.2", nil)
	list.Get("/api/v1/pulls?repository=harbor/api&token="+c.ID()).WantValue("data.0.digest", digestOf(t, m.images.api))
	_, other := m.Users.Create(t, "other", "viewer")
	m.As(t, other).Get("/api/v1/pulls").WantStatus(http.StatusOK).
		WantValue("data", []any{}) // other users' pulls are not visible
}

// TestUpdateChecksAreNoPulls has a separate stack, so that one instance of the function serves all its requests. It
// asks for digests with crane, sends the requests of a signature verification, and pulls like containerd: HEAD of the
// tag, GET of its digest, GET of a manifest in that list.
func TestUpdateChecksAreNoPulls(t *testing.T) {
	m := shop{Stack: e2etest.Start(t), goods: &goods{}}
	at, key := m.Users.Activate(t, "manager", "manager")
	m.manager, m.managerID = m.As(t, key), e2etest.UserID(at)
	m.pushImages(t)
	digest := digestOf(t, m.images.api)
	signature, err := mutate.AppendLayers(empty.Image,
		static.NewLayer([]byte("{}"), "application/vnd.dev.cosign.simplesigning.v1+json"))
	if err != nil {
		t.Fatal(err)
	}
	signatureTag := strings.Replace(digest, ":", "-", 1) + ".sig"
	m.push(t, "harbor/api:"+signatureTag, signature)
	c := m.machine(t, m.createToken(t, "read:docker-images"))
	c.craneLogin(t)

	c.crane(t, "digest", m.Host()+"/harbor/api:1.0").WantExit(t, 0, digest)
	first := e2etest.Now().Unix()
	e2etest.Await(t, "another second", func() bool { return e2etest.Now().Unix() != first }) // checks in one second count once
	c.crane(t, "digest", m.Host()+"/harbor/api:1.0").WantExit(t, 0, digest)
	c.crane(t, "manifest", m.Host()+"/harbor/api:"+signatureTag).WantExit(t, 0, "simplesigning")
	c.crane(t, "manifest", m.Host()+"/harbor/api@"+digestOf(t, signature)).WantExit(t, 0, "simplesigning")
	c.crane(t, "digest", m.Host()+"/harbor/api:"+signatureTag).WantExit(t, 0, digestOf(t, signature))

	node := m.WithLogin(t, c.Login).With("User-Agent", "containerd/2.1")
	index := digestOf(t, m.images.multi)
	for _, request := range [][2]string{
		{http.MethodHead, "1.0"}, {http.MethodGet, index}, {http.MethodGet, digestOf(t, m.images.arm)},
	} {
		m.SendOCI(node, request[0], "/v2/harbor/multi/manifests/"+request[1]).WantStatus(http.StatusOK)
	}
	list := m.manager.For(t)
	e2etest.Await(t, "the checks and the pull to be recorded", func() bool {
		checks := list.Get("/api/v1/pulls?type=check&repository=harbor/api&token=" + c.ID()).WantStatus(http.StatusOK)
		total := 0.0
		for _, hour := range checks.List("data") { // two, if the second check was in the next hour
			n, _ := hour.(map[string]any)["checks"].(float64)
			total += n
		}
		return total == 2 && len(list.Get("/api/v1/pulls?token="+c.ID()).List("data")) == 1
	})
	list.Get("/api/v1/pulls?token="+c.ID()).WantStatus(http.StatusOK).WantValue("data.0.repository", "harbor/multi").
		WantValue("data.0.reference", "1.0").WantValue("data.0.digest", index).WantValue("data.0.client", "containerd/2.1").
		WantValue("data.1", nil)
	e2etest.Await(t, "the checks to be counted", func() bool {
		m.Operator.Invoke(t, "CountPullsFunction", "countpulls/schedule.json")
		figures := list.Get("/v1/analytics/dashboard?period=today&compare=previous").WantStatus(http.StatusOK) // the test may pass midnight
		sum := func(metric string) float64 {
			today, _ := figures.JSON("data.metrics.usage.pulls." + metric).(float64)
			yesterday, _ := figures.JSON("data.previous.metrics.usage.pulls." + metric).(float64)
			return today + yesterday
		}
		return sum("checks") >= 2 && sum("images") == 1
	})
}

// countPulls counts the pulls by kind, repository, reference and client. It returns the maximum per
// minute, because a repeated request at the turn of a minute is recorded in both minutes.
func (m shop) countPulls(t *testing.T, page e2etest.Response) map[string]int {
	t.Helper()
	counts, perMinute := map[string]int{}, map[string]int{}
	for i := range page.List("data") {
		text := func(member string) string { return page.Text(fmt.Sprintf("data.%d.%s", i, member)) }
		if text("reference") == text("digest") {
			continue
		}
		program, _, _ := strings.Cut(text("client"), "/")
		pull := strings.Join([]string{text("kind"), text("repository"), text("reference"), program}, " ")
		if text("address") != "127.0.0.1" || !strings.HasPrefix(text("digest"), "sha256:") || text("ownerId") != m.managerID {
			t.Errorf("%s is recorded as %v", pull, page.JSON(fmt.Sprintf("data.%d", i)))
		}
		minute := pull + text("at")[:len("2006-01-02T15:04")]
		perMinute[minute]++
		counts[pull] = max(counts[pull], perMinute[minute])
	}
	return counts
}
