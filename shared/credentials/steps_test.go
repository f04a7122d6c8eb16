package credentials_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/shared/core/fault"
	"portside/shared/credentials"
	"portside/testclient/scale"
)

// instances are processes that serve requests of the same kind in any order.
type instances struct {
	*fixture

	all    []*credentials.Authenticator
	random *rand.Rand
}

func newInstances(tb testing.TB, many, limit int) *instances {
	tb.Helper()
	f := &instances{fixture: newFixture(tb, limit), random: rand.New(rand.NewPCG(scale.Seed(), 0))}
	for range many {
		f.all = append(f.all, credentials.NewAuthenticator(f.table.Requests, limit, func() time.Time { return f.now }))
	}
	return f
}

// send sends a request to any process.
func (f *instances) send(secret credentials.Secret, kind credentials.RequestKind, isHead bool) (credentials.Allowance, error) {
	ctx := credentials.WithRequest(f.tb.Context(), kind, isHead)
	_, allowance, err := f.all[f.random.IntN(len(f.all))].AuthenticateBasic(ctx, "", secret.Reveal())
	return allowance, err
}

// sendMany returns how many of a number of requests pass.
func (f *instances) sendMany(n int, secret credentials.Secret, kind credentials.RequestKind, isHead bool) (passed int) {
	f.tb.Helper()
	for range n {
		switch _, err := f.send(secret, kind, isHead); {
		case err == nil:
			passed++
		case fault.KindOf(err) != fault.RateLimited:
			f.tb.Fatal(err)
		}
	}
	return passed
}

// TestNodesRollOutImages has 20 nodes fetch ten images with one token in one minute: each has 12 layers, which nodes
// fetch in up to four parts, and one layer in 20 parts. Meanwhile another token of the owner uses the API. Redirects
// cost almost no write.
func TestNodesRollOutImages(t *testing.T) {
	const nodes, images, layers = 20, 10, 12
	f := newInstances(t, 30, 300)
	token, other := f.issue(credentials.AccessToken, nil), f.issue(credentials.AccessToken, nil)
	var blobs, artifacts int
	f.meter.Reset()
	wanted := func(kind credentials.RequestKind, isHead bool) {
		t.Helper()
		if _, err := f.send(token, kind, isHead); err != nil {
			t.Fatalf("after %d blobs and %d artifacts: %v", blobs, artifacts, err)
		}
	}
	for range nodes {
		for range images {
			wanted(credentials.ArtifactRequest, false) // the sign-in
			wanted(credentials.ArtifactRequest, true)  // the tag
			for range 3 {                              // the index, the manifest and the list of tags
				wanted(credentials.ArtifactRequest, false)
				artifacts++
			}
			for layer := range layers {
				parts := 1 + f.random.IntN(4)
				if layer == 0 {
					parts = 20
				}
				for range parts {
					wanted(credentials.BlobRequest, false)
					blobs++
				}
			}
		}
	}
	if writes := f.meter.WriteUnits(); writes > 0.1*float64(blobs+artifacts) {
		t.Errorf("%d requests cost %v write units", blobs+artifacts, writes)
	}
	if _, err := f.send(other, credentials.APIRequest, false); err != nil {
		t.Errorf("a request to the API: %v", err)
	}
	t.Logf("%d blobs and %d artifacts cost %v write units", blobs, artifacts, f.meter.WriteUnits())
}

// TestLimitsOfKinds sends more requests of each kind than the limit, with two tokens of an owner, to several processes.
// The limit is exceeded by less than a step, and each process loses at most one. 10 HEAD requests count as one of
// another method.
//
//proves:docs/security.md
func TestLimitsOfKinds(t *testing.T) {
	for name, c := range map[string]exceeded{
		"artifacts": {kind: credentials.ArtifactRequest, limit: 400, step: 3, factor: 1},
		"blobs":     {kind: credentials.BlobRequest, limit: 4000, step: 33, factor: 1},
		"HEAD":      {kind: credentials.ArtifactRequest, limit: 400, step: 3, factor: 10},
	} {
		t.Run(name, c.test)
	}
}

// exceeded is a limit that is exceeded by factor requests for each.
type exceeded struct {
	kind                credentials.RequestKind
	limit, step, factor int
}

func (c exceeded) test(t *testing.T) {
	const processes = 5
	f, isHead := newInstances(t, processes, 100), c.factor > 1
	f.now = f.now.Add(18 * time.Second)
	one, two := f.issue(credentials.AccessToken, nil), f.issue(credentials.AccessToken, nil)
	passed := f.sendMany(c.limit*c.factor*3/4, one, c.kind, isHead) + f.sendMany(c.limit*c.factor/2, two, c.kind, isHead)
	if passed > (c.limit+c.step)*c.factor || passed < (c.limit-processes*c.step)*c.factor {
		t.Errorf("%d requests passed", passed)
	}
	f.sendMany(processes*processes*10, two, c.kind, isHead) // until each process knows it
	allowance, err := f.send(two, c.kind, isHead)
	if !errors.Is(err, credentials.ErrOwnerRateLimited) || allowance.Remaining != 0 || allowance.Limit != c.limit {
		t.Fatalf("%v with %+v", err, allowance)
	}
	if refused := fault.As(err); refused.RetryAfter != 42*time.Second || !strings.Contains(refused.Detail, "ends in 42 seconds") {
		t.Errorf("%+v", refused)
	}
	f.meter.Reset()
	if f.sendMany(50, one, c.kind, isHead); f.meter.WriteUnits() > 0 {
		t.Errorf("50 refusals cost %v write units", f.meter.WriteUnits())
	}
	f.now = f.now.Add(42 * time.Second)
	if _, err := f.send(one, c.kind, isHead); err != nil {
		t.Errorf("in the next minute: %v", err)
	}
}

// TestRefusalsNameTheLimit checks that the text of each limit differs, that it has the number, and that it says when
// the limit ends, also if the process has refused before.
func TestRefusalsNameTheLimit(t *testing.T) {
	for kind, want := range map[credentials.RequestKind]string{
		credentials.APIRequest: "300 requests to the API", credentials.ArtifactRequest: "1200 requests for manifests, tags and charts",
		credentials.BlobRequest: "12000 requests for image layers and other blobs",
	} {
		f := newInstances(t, 1, 300)
		token := f.issue(credentials.AccessToken, nil)
		var err error
		for err == nil {
			_, err = f.send(token, kind, false)
		}
		if !strings.Contains(fault.As(err).Detail, want) {
			t.Errorf("%v, want %q", err, want)
		}
		f.now = f.now.Truncate(time.Minute).Add(47 * time.Second)
		if _, err = f.send(token, kind, false); !strings.HasSuffix(fault.As(err).Detail, " The limit ends in 13 seconds.") {
			t.Errorf("13 seconds before the next minute: %v", err)
		}
	}
}

// TestOwnLimitsOfCredentials gives credentials their own limits, which apply to each kind by its factor. A higher limit
// holds for the owner, and a lower one only for the credential.
func TestOwnLimitsOfCredentials(t *testing.T) {
	for limit, want := range map[int]int{0: 1200, 600: 2400, 30: 120} {
		f := newInstances(t, 1, 300)
		token := f.issue(credentials.AccessToken, func(c *credentials.Credential) { c.RateLimit = limit })
		other := f.issue(credentials.AccessToken, nil)
		if passed := f.sendMany(want+500, token, credentials.ArtifactRequest, false); passed < want || passed > want+10 {
			t.Errorf("with the limit %d, %d requests passed", limit, passed)
		}
		if passed := f.sendMany(1, other, credentials.ArtifactRequest, false); (passed == 1) != (limit == 30) {
			t.Errorf("with the limit %d, %d requests of another token passed", limit, passed)
		}
	}
}

// TestHeadsToTheAPICountATenth sends HEAD requests to one process. Nine of ten take no write.
func TestHeadsToTheAPICountATenth(t *testing.T) {
	f := newInstances(t, 1, 300)
	token := f.issue(credentials.AccessToken, nil)
	if passed := f.sendMany(4000, token, credentials.APIRequest, true); passed < 3000 || passed > 3000+2*10*10 {
		t.Errorf("%d requests passed", passed)
	}
}

// TestRevocationEndsASupply revokes a token for which a process has counted requests in advance.
//
//proves:docs/security.md
func TestRevocationEndsASupply(t *testing.T) {
	f := newInstances(t, 1, 300)
	token := f.issue(credentials.AccessToken, nil)
	for _, isRevoked := range []bool{false, true} {
		if isRevoked {
			known, err := f.table.Get(t.Context(), token.ID())
			if err != nil {
				t.Fatal(err)
			}
			known.RevokedAt = f.now
			f.write(f.table.Writes.Revoke(known)...)
		}
		for kind, isHead := range map[credentials.RequestKind]bool{
			credentials.BlobRequest: false, credentials.ArtifactRequest: true, credentials.APIRequest: true,
		} {
			if _, err := f.send(token, kind, isHead); errors.Is(err, credentials.ErrUnauthorized) != isRevoked {
				t.Errorf("%s, revoked %v: %v", kind, isRevoked, err)
			}
		}
	}
	f.meter.Reset()
	if f.sendMany401(500, token); f.meter.WriteUnits() > 61 {
		t.Errorf("500 requests of a revoked token cost %v write units", f.meter.WriteUnits())
	}
}

func (f *instances) sendMany401(n int, secret credentials.Secret) {
	f.tb.Helper()
	for range n {
		if _, err := f.send(secret, credentials.BlobRequest, false); !errors.Is(err, credentials.ErrUnauthorized) {
			f.tb.Fatal(err)
		}
	}
}

// TestUnknownCredentialsOfDownloadsAreLimited sends downloads with unknown credentials. They count for their network as
// those of the API do. Above the limit, each costs one read.
//
//proves:docs/security.md
func TestUnknownCredentialsOfDownloadsAreLimited(t *testing.T) {
	f := newInstances(t, 1, 300)
	ctx := credentials.WithRequest(credentials.WithNetwork(t.Context(), "192.0.2.1"), credentials.BlobRequest, false)
	send := func(ctx context.Context) error {
		_, _, err := f.all[0].AuthenticateBasic(ctx, "", credentials.Mint(credentials.Password).Reveal())
		return err
	}
	for range credentials.MaxUnknown {
		if err := send(ctx); !errors.Is(err, credentials.ErrUnauthorized) {
			t.Fatal(err)
		}
	}
	f.meter.Reset()
	if err := send(ctx); !errors.Is(err, credentials.ErrTooManyUnknown) || f.meter.Calls() != 1 || f.meter.WriteUnits() > 0 {
		t.Errorf("%v, %d calls", err, f.meter.Calls())
	}
}

// TestStepsOfAProcess checks the sizes: the unused rest is never more than what the process has used, nor than a part
// of the limit, beyond the first step.
func TestStepsOfAProcess(t *testing.T) {
	rapid.Check(scale.Checks(t), func(r *rapid.T) {
		limit := rapid.IntRange(1, 50_000).Draw(r, "limit")
		customer := rapid.OneOf(rapid.Just(0), rapid.IntRange(1, 10_000)).Draw(r, "customer")
		used, taken, steps := 0, 0, 0
		for range rapid.IntRange(1, 3000).Draw(r, "requests") {
			if used++; used > taken {
				taken += credentials.NextStep(taken, limit, customer)
				steps++
			}
		}
		if rest := taken - used; rest < 0 || rest >= max(10, used) || rest > max(0, limit/120-1) {
			r.Errorf("%d used, %d taken", used, taken)
		}
		if customer == 0 && limit >= 12_000 && steps > 6+used/100 {
			r.Errorf("%d steps for %d requests", steps, used)
		}
	})
}
