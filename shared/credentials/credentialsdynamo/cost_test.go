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
	"portside/shared/testkit/awstest"
)

// TestAuthenticationCostsOneTrip counts the calls and units of requests. Reading the record and counting the request
// happen at the same time; see TestAuthenticationReadsAndCountsAtOnce. The first use in five minutes changes the index
// byOwner, too.
func TestAuthenticationCostsOneTrip(t *testing.T) {
	s := newFixture(t)
	_, secret := s.issued()
	_, late := s.issued()
	at := noon
	authenticate := func(text string, want error) {
		t.Helper()
		auth := credentials.NewAuthenticator(s.table.Requests, 3, func() time.Time { return at })
		if _, _, err := auth.Authenticate(t.Context(), text, credentials.AccessToken); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	for _, step := range []struct {
		name, text string
		want       error
		after      time.Duration
		calls      int
		writes     float64
	}{
		{"the first use", secret.Reveal(), nil, 0, 3, 3},
		{"a use in the same minute", secret.Reveal(), nil, 0, 2, 1},
		{"a use in the next minute", secret.Reveal(), nil, time.Minute, 2, 1},
		{"a use five minutes later", secret.Reveal(), nil, 5 * time.Minute, 2, 2},
		{"the second request", secret.Reveal(), nil, 0, 2, 1},
		{"the third request, which counts for the owner", secret.Reveal(), nil, 0, 3, 2},
		{"a request beyond the limit", secret.Reveal(), credentials.ErrRateLimited, 0, 2, 1},
		{"an unknown token without a network", credentials.Mint(credentials.AccessToken).Reveal(), credentials.ErrUnauthorized, 0, 2, 1},
		{"an expired token", late.Reveal(), credentials.ErrUnauthorized, 90 * 24 * time.Hour, 4, 4}, // counts the refusal
	} {
		at = at.Add(step.after)
		s.meter.Reset()
		authenticate(step.text, step.want)
		s.costs(step.name, step.calls, 1, step.writes)
	}
}

// TestAuthenticationReadsAndCountsAtOnce makes the read and the count wait for each other.
func TestAuthenticationReadsAndCountsAtOnce(t *testing.T) {
	s := newFixture(t)
	_, secret := s.issued()
	s.use(secret, noon)
	ctx, cancel := context.WithTimeout(t.Context(), meetingTimeout)
	defer cancel()
	if _, used, err := s.meeting(2).Requests.CountRequest(ctx, secret, noon); err != nil || used != 2 {
		t.Errorf("%d requests, %v", used, err)
	}
}

// meetingTimeout ends a test that would wait forever.
const meetingTimeout = time.Minute

// meeting returns the table on a client whose calls wait for each other.
func (s *fixture) meeting(calls int) *credentialsdynamo.Table {
	return credentialsdynamo.New(awstest.Together(s.client, calls), s.table.Name(), s.counts)
}

// TestListsTakeOneTrip lists tokens with their last uses: the listings and the uses are read at once, each with one
// call, and the number of tokens hardly matters.
func TestListsTakeOneTrip(t *testing.T) {
	s := newFixture(t)
	for range 20 {
		_, secret := s.issued()
		s.use(secret, noon)
	}
	s.meter.Reset()
	all, err := s.table.ListWithUses(t.Context(), owner, credentials.AccessToken, credentials.Password)
	if err != nil || len(all) != 20 || all[0].LastUsedAt.IsZero() {
		t.Fatalf("%d tokens, %v", len(all), err)
	}
	s.costs("20 tokens", 2, 3, 0)
	ctx, cancel := context.WithTimeout(t.Context(), meetingTimeout)
	defer cancel()
	if _, err := s.meeting(2).ListWithUses(ctx, owner, credentials.AccessToken); err != nil {
		t.Error(err)
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

// TestFullRecordCostsOneUnit fills a record with long fields, which requests do not write.
func TestFullRecordCostsOneUnit(t *testing.T) {
	s := newFixture(t)
	c, secret := minted()
	c.Name = strings.Repeat("n", 100)
	for range 6 {
		c.Scopes = append(c.Scopes, "read:docker-images:"+strings.Repeat("a", 200)+"/*")
	}
	s.issue(c)
	for i := range 9 {
		s.use(secret, noon.Add(time.Duration(i)*10*time.Minute))
	}
	s.meter.Reset()
	s.use(secret, noon.Add(80*time.Minute))
	s.costs("a full record", 2, 1, 1)
}

// offline is an HTTP client that fails the test on any call.
type offline struct{ tb testing.TB }

func (o offline) Do(r *http.Request) (*http.Response, error) {
	o.tb.Errorf("a call was made: %s", r.Header.Get("X-Amz-Target"))
	return nil, errors.New("no call is allowed")
}

//proves:docs/security.md
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
		auth := credentials.NewAuthenticator(credentialsdynamo.New(client, "none", "none").Requests, limit, now)
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
