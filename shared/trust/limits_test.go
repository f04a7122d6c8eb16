package trust_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/errorcode"
	"portside/shared/core/fault"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/trustlists"
	"portside/shared/trust"
	"portside/testclient/workloadtest"
)

// wantQuota fails the test unless the error is a quota error that names its end, after the wait.
func (f *fixture) wantQuota(err, want error, wait time.Duration) {
	f.t.Helper()
	got, end := fault.As(err), fmt.Sprintf("The limit ends in %d seconds.", int(wait.Seconds()))
	if !errors.Is(err, want) || got.ProblemCode() != errorcode.QuotaExceeded || got.RetryAfter != wait ||
		!strings.Contains(got.Detail, end) {
		f.t.Errorf("%v, want %v, and %s", err, want, end)
	}
}

// Exchanges at the same time do not exceed the limits, and the refused ones issue nothing.
//
//proves:docs/security.md
func TestConcurrentExchangesStayWithinTheLimits(t *testing.T) {
	f := newFixture(t)
	policy := f.create(f.github())
	exchangeAll := func(attempts int, tokenOf func(n int) string, quota error) int {
		var issued, next atomic.Int64
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for n := int(next.Add(1)); n <= attempts; n = int(next.Add(1)) {
					_, err := f.exchange(policy.ID, tokenOf(n))
					if err == nil {
						issued.Add(1)
					} else if !errors.Is(err, quota) {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		return int(issued.Load())
	}
	same := f.token()
	if n := exchangeAll(40, func(int) string { return same }, trust.ErrTokenQuota); n != trust.MaxPerToken {
		t.Errorf("one token was exchanged %d times, want %d", n, trust.MaxPerToken)
	}
	rest := trust.MaxDaily - trust.MaxPerToken
	if n := exchangeAll(rest+20, f.tokenOf, trust.ErrDailyQuota); n != rest {
		t.Errorf("the policy issued %d tokens more, want %d", n, rest)
	}
	_, err := f.exchange(policy.ID, f.tokenOf(-1))
	f.wantQuota(err, trust.ErrDailyQuota, 12*time.Hour)
	_, err = f.exchange(f.create(f.github()).ID, f.tokenOf(-1))
	wantError(t, "another policy", err, nil)
	f.now = noon.Add(12 * time.Hour)
	_, err = f.exchange(policy.ID, f.tokenOf(-1))
	wantError(t, "on the next day", err, nil)
}

// Tokens are identified by their IDs or, without IDs, by their signed texts. The limit of a token continues after
// midnight, and counts each policy separately.
//
//proves:docs/security.md
func TestTokenIsExchangedTwentyTimes(t *testing.T) {
	f := newFixture(t)
	f.now = time.Date(2026, 3, 2, 23, 58, 0, 0, time.UTC)
	policy := f.create(f.github())
	claims := workloadtest.GitHub(issuer, audience, f.now)
	unnamed := workloadtest.With(claims, "jti", nil)
	for name, c := range map[string]struct{ claims, other workloadtest.Claims }{
		"by ID":                        {claims, workloadtest.With(claims, "jti", "another")},
		"by content":                   {unnamed, workloadtest.With(unnamed, "run_id", "another")},
		"by content, with an empty ID": {workloadtest.With(claims, "jti", ""), workloadtest.With(claims, "jti", 7)},
	} {
		t.Run(name, func(t *testing.T) {
			for range trust.MaxPerToken {
				if _, err := f.exchange(policy.ID, f.key.Sign(c.claims)); err != nil { // ECDSA signs differently each time
					t.Fatal(err)
				}
			}
			f.now = f.now.Add(3 * time.Minute)
			_, err := f.exchange(policy.ID, f.key.Sign(c.claims))
			f.wantQuota(err, trust.ErrTokenQuota, 2*time.Minute)
			f.now = f.now.Add(-3 * time.Minute)
			_, err = f.exchange(policy.ID, f.key.Sign(c.other))
			wantError(t, name+", another token", err, nil)
		})
	}
	_, err := f.exchange(f.create(f.github()).ID, f.key.Sign(claims))
	wantError(t, "another policy", err, nil)
}

// TestPoliciesOfEarlierReleases exchanges tokens by policies in the stored form of earlier releases.
func TestPoliciesOfEarlierReleases(t *testing.T) {
	f := newFixture(t)
	policy := f.create(f.github())
	store := func(claim, value string) {
		f.write(types.TransactWriteItem{Update: &types.Update{
			TableName: aws.String(f.table.Name()), Key: trustlists.PolicyKey(policy.ID),
			UpdateExpression: aws.String("SET conditions = :all"),
			ExpressionAttributeValues: items.Map{":all": &types.AttributeValueMemberL{Value: []types.AttributeValue{
				&types.AttributeValueMemberM{Value: items.Map{"claim": items.Text(claim), "value": items.Text(value)}},
			}}},
		}})
	}
	store("repository", "acme/app")
	if read := f.list()[0].Conditions; len(read) != 1 || read[0].Values[0] != "acme/app" {
		t.Errorf("read %+v", read)
	}
	if _, err := f.exchange(policy.ID, f.token()); err != nil {
		t.Error(err)
	}
	store("ref", "refs/heads/main")
	_, err := f.exchange(policy.ID, f.token())
	wantRefused(t, "a policy that trusts everybody", err, "do not name an owner of jobs")
	name := "Main"
	_, err = f.Update(t.Context(), target(policy.ID), trust.Change{Name: &name})
	wantInvalid(t, err, "/conditions")
	mended := []trust.Condition{is("ref", "refs/heads/main"), is("repository_id", "74")}
	if _, err = f.Update(t.Context(), target(policy.ID), trust.Change{Conditions: &mended}); err != nil {
		t.Error(err)
	}
	if _, err = f.exchange(policy.ID, f.token()); err != nil {
		t.Error(err)
	}
}

// A policy by IDs accepts both forms of GitHub's subjects, and several refs.
func TestPolicyByIDs(t *testing.T) {
	f := newFixture(t)
	input := f.github()
	input.Conditions = []trust.Condition{
		is("repository_id", "74"), is("repository_owner_id", "65"), is("ref", "refs/heads/main", "refs/tags/v*"),
	}
	byIDs, byName := f.create(input), f.create(f.github())
	for _, claims := range []workloadtest.Claims{
		workloadtest.GitHub(issuer, audience, noon), workloadtest.GitHubWithIDs(issuer, audience, noon),
		workloadtest.With(workloadtest.GitHub(issuer, audience, noon), "ref", "refs/tags/v1"),
	} {
		if _, err := f.exchange(byIDs.ID, f.key.Sign(claims)); err != nil {
			t.Errorf("%v: %v", claims["sub"], err)
		}
		for name, value := range map[string]string{"ref": "refs/heads/v1", "repository_id": "75",
			"repository_owner_id": "6"} {
			_, err := f.exchange(byIDs.ID, f.key.Sign(workloadtest.With(claims, name, value)))
			wantRefused(t, name, err, "on the claim "+name)
		}
	}
	_, err := f.exchange(byName.ID, f.key.Sign(workloadtest.GitHubWithIDs(issuer, audience, noon)))
	wantRefused(t, "a policy by name", err, "so the condition needs them, too")
}
