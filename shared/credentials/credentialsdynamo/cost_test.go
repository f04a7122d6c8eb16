package credentialsdynamo_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
)

// TestAuthenticationCostsOneCall turns the rate limit on. Each request costs one call, one write unit
// and no read, including rejected requests.
func TestAuthenticationCostsOneCall(t *testing.T) {
	s := newFixture(t)
	_, secret := s.issued()
	_, late := s.issued()
	for name, c := range map[string]struct {
		text string
		at   time.Time
		want error
	}{
		"a working token":  {secret.Reveal(), noon, nil},
		"an expired token": {late.Reveal(), noon.AddDate(0, 0, 90), credentials.ErrUnauthorized},
		"an unknown token": {credentials.Mint(credentials.AccessToken).Reveal(), noon, credentials.ErrUnauthorized},
	} {
		auth := credentials.NewAuthenticator(s.table, 2, func() time.Time { return c.at })
		s.meter.Reset()
		if _, _, err := auth.Authenticate(t.Context(), c.text, credentials.AccessToken); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		s.costs(name, 1, 0, 1)
	}
	auth := credentials.NewAuthenticator(s.table, 2, func() time.Time { return noon })
	for range 2 {
		_, _, err := auth.AuthenticateBasic(t.Context(), "any", secret.Reveal())
		if err != nil && !errors.Is(err, credentials.ErrRateLimited) {
			t.Fatal(err)
		}
	}
	s.meter.Reset()
	if _, _, err := auth.AuthenticateBasic(t.Context(), "any", secret.Reveal()); !errors.Is(err, credentials.ErrRateLimited) {
		t.Errorf("a request beyond the limit = %v, want %v", err, credentials.ErrRateLimited)
	}
	s.costs("a request beyond the limit", 1, 0, 1)
}

// TestUnlimitedAuthentication turns the rate limit off. Each request reads, and one in every
// LastUseResolution writes.
func TestUnlimitedAuthentication(t *testing.T) {
	s := newFixture(t)
	_, secret := s.issued()
	for i, step := range []struct {
		after  time.Duration
		calls  int
		writes float64
	}{
		{0, 2, 1}, {time.Minute, 1, 0}, {credentials.LastUseResolution - time.Millisecond, 1, 0}, {credentials.LastUseResolution, 2, 1},
	} {
		auth := credentials.NewAuthenticator(s.table, 0, func() time.Time { return noon.Add(step.after) })
		s.meter.Reset()
		if _, _, err := auth.Authenticate(t.Context(), secret.Reveal(), credentials.AccessToken); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		s.costs("unlimited", step.calls, 1, step.writes)
	}
}

// costs checks the number of calls exactly, and the units as upper bounds.
func (s *fixture) costs(what string, calls int, reads, writes float64) {
	s.tb.Helper()
	if s.meter.Calls() != calls || s.meter.ReadUnits() > reads || s.meter.WriteUnits() > writes {
		s.tb.Errorf("%s: %d calls, %v read units, %v write units; want %d, at most %v and %v",
			what, s.meter.Calls(), s.meter.ReadUnits(), s.meter.WriteUnits(), calls, reads, writes)
	}
}

// TestFullRecordCostsOneUnit fills a record with the longest fields that leave room for an hour of counters,
// because DynamoDB charges by 1 KB.
func TestFullRecordCostsOneUnit(t *testing.T) {
	s := newFixture(t)
	c, secret := minted()
	c.Name, c.Scopes = strings.Repeat("n", 100), []string{"read:helm-charts", "read:docker-images:" + strings.Repeat("a", 200) + "/*"}
	c.RateLimit = 500
	s.issue(c)
	for i := range 8 {
		s.use(secret, noon.Add(time.Duration(i)*10*time.Minute))
	}
	s.meter.Reset()
	s.use(secret, noon.Add(80*time.Minute))
	s.costs("a full record", 1, 0, 1)
}

// offline is an HTTP client that fails the test on any call.
type offline struct{ tb testing.TB }

func (o offline) Do(r *http.Request) (*http.Response, error) {
	o.tb.Errorf("a call was made: %s", r.Header.Get("X-Amz-Target"))
	return nil, errors.New("no call is allowed")
}

func TestMalformedTextCostsNoCall(t *testing.T) {
	client := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", HTTPClient: offline{t}, Retryer: aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
	token, key := credentials.Mint(credentials.AccessToken).Reveal(), credentials.Mint(credentials.APIKey).Reveal()
	for _, limit := range []int{0, 100} {
		now := func() time.Time { return time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC) }
		auth := credentials.NewAuthenticator(credentialsdynamo.New(client, "none"), limit, now)
		for _, garbage := range []string{
			"", "x", token[:len(token)-1], token + "x", token[:20] + string(rune(token[20]^1)) + token[21:], strings.ToUpper(token), " " + token,
			strings.Repeat("x", 1<<20), key, "pst_" + key[4:],
		} {
			_, _, err := auth.Authenticate(t.Context(), garbage, credentials.AccessToken, credentials.Password)
			if !errors.Is(err, credentials.ErrUnauthorized) {
				t.Errorf("%.60q: %v", garbage, err)
			}
		}
	}
}
