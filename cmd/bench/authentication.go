package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/cmd/bench/figures"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
)

// Targets of authentication, and of creating a token.
const (
	authCalls          = 2 // at the same time
	authReads          = 1
	authWrites         = 1
	authRatio          = 3  // times a bare GetItem
	invalidTokenFits   = 50 // how often it fits into a bare GetItem
	createCalls        = 3
	authRequests       = 2_000
	invalidTokenChecks = 20_000
	invalidTokenReads  = 200
)

// tokenFixture is the stack's credentials with a meter, and a token of the admin.
type tokenFixture struct {
	client *dynamodb.Client
	meter  *meter
	table  *credentialsdynamo.Table
	auth   *credentials.Authenticator // with a rate limit that is too high to be reached
	token  string
}

// credentials measures what the credentials of machines cost: calls and capacity units on the
// stack's engine, and time without HTTP.
func (b *bench) credentials(ctx context.Context, s *stack) error {
	b.logProgress("authenticating %d times", authRequests)
	v := &tokenFixture{}
	v.client, v.meter = s.meteredClient()
	auditLog := auditlog.New(s.Tables["AuditTable"], time.Now)
	v.table = credentialsdynamo.New(v.client, s.Tables["CredentialsTable"], s.Tables["RequestCountsTable"]).Audited(auditLog)
	v.auth = credentials.NewAuthenticator(v.table.Requests, 1<<30, time.Now)
	if err := b.creation(ctx, s, v); err != nil {
		return err
	}
	bare, err := s.getItem(ctx)
	if err != nil {
		return err
	}
	if err := b.authentication(ctx, v, bare); err != nil {
		return err
	}
	return b.invalidToken(ctx, v, bare)
}

// creation creates a token with the admin's key, and then measures the creation of another token
// with that token.
func (b *bench) creation(ctx context.Context, s *stack, v *tokenFixture) (err error) {
	service := tokens.NewService(tokensdynamo.New(v.client, v.table), nil, tokens.MaxDays, time.Now)
	create := func(text string, kind credentials.Kind) (string, error) {
		who, _, err := v.auth.Authenticate(ctx, text, kind)
		if err != nil {
			return "", fmt.Errorf("authenticate: %w", err)
		}
		made, err := service.Create(ctx, who, tokens.NewToken{Name: "bench", Scopes: tokens.AllScopes(), Days: 1})
		return made.Secret.Reveal(), err
	}
	if v.token, err = create(s.adminKey, credentials.APIKey); err != nil {
		return err
	}
	if err := b.firstUse(ctx, v); err != nil {
		return err
	}
	if v.token, err = create(v.token, credentials.AccessToken); err != nil {
		return err
	}
	b.table.AddAtMost("create a token with a token, authentication included", float64(v.meter.reset().calls), createCalls, "calls")
	return nil
}

// firstUse measures the first request with the token, which claims its count.
func (b *bench) firstUse(ctx context.Context, v *tokenFixture) error {
	v.meter.reset()
	if _, _, err := v.auth.Authenticate(ctx, v.token, credentials.AccessToken); err != nil {
		return fmt.Errorf("authenticate: %w", err)
	}
	cost := v.meter.reset()
	b.table.AddFigure("the first use of a token", "calls %d, read units %s, write units %s",
		cost.calls, figures.Number(cost.reads), figures.Number(cost.writes))
	return nil
}

// authentication measures one request after the other, as in a warm function. Once in five minutes, a request also
// changes the index of last uses, and every tenth request of a minute counts for the owner, so the calls and write
// units are medians.
func (b *bench) authentication(ctx context.Context, v *tokenFixture, bare figures.Measurement) error {
	const what = "authentication and rate limit by token: "
	if _, _, err := v.auth.Authenticate(ctx, v.token, credentials.AccessToken); err != nil { // the first use
		return fmt.Errorf("authenticate: %w", err)
	}
	calls, writes, most := make([]float64, authRequests), make([]float64, authRequests), meter{}
	times, err := figures.Alternate(authRequests, timed(func(i int) error {
		v.meter.reset()
		who, _, err := v.auth.Authenticate(ctx, v.token, credentials.AccessToken)
		if err != nil || !who.Scoped() {
			return fmt.Errorf("authenticate as %v: %w", who, err)
		}
		cost := v.meter.reset()
		most = meter{reads: max(most.reads, cost.reads)}
		calls[i], writes[i] = float64(cost.calls), cost.writes
		return nil
	}), bare)
	if err != nil {
		return err
	}
	b.table.AddAtMost(what+"at the same time, median", figures.Quantile(calls, 0.5), authCalls, "calls")
	b.table.AddAtMost(what+"at most", most.reads, authReads, "read units")
	b.table.AddAtMost(what+"median", figures.Quantile(writes, 0.5), authWrites, "write units")
	c := figures.Comparison{What: "authentication and rate limit by token", With: bareGetItem, Times: times[0], Baseline: times[1]}
	b.table.AddComparison(c, authRatio)
	b.table.AddFigure(what+"99th percentile", "%s ms", figures.Number(figures.Quantile(times[0], 0.99)))
	return nil
}

// invalidToken measures a token with one changed character, the most expensive kind of invalid
// token: it is rejected only by its checksum.
func (b *bench) invalidToken(ctx context.Context, v *tokenFixture, bare figures.Measurement) error {
	const what = "refusing a token with a character changed: "
	text, times := withLastCharacterChanged(v.token), make([]float64, invalidTokenChecks)
	v.meter.reset()
	for i := range times {
		began := time.Now()
		who, _, err := v.auth.Authenticate(ctx, text, credentials.AccessToken)
		times[i] = milliseconds(time.Since(began)) * 1e3
		if !errors.Is(err, credentials.ErrUnauthorized) || who.CredentialID != "" {
			return fmt.Errorf("the invalid token was not rejected: %w", err)
		}
	}
	b.table.AddAtMost(what+figures.Number(invalidTokenChecks)+" times", float64(v.meter.reset().calls), 0, "calls")
	b.table.AddFigure(what+"median and 99th percentile", "%s and %s µs",
		figures.Number(figures.Quantile(times, 0.5)), figures.Number(figures.Quantile(times, 0.99)))
	reads, err := figures.Alternate(invalidTokenReads, bare)
	if err != nil {
		return err
	}
	fits := figures.Quantile(reads[0], 0.5) * 1e3 / figures.Quantile(times, 0.5)
	b.table.AddAtLeast(what+"how often it fits into "+bareGetItem, fits, invalidTokenFits, "×")
	return nil
}

// withLastCharacterChanged returns the text with another last character.
func withLastCharacterChanged(text string) string {
	rest, last := text[:len(text)-1], text[len(text)-1]
	if last == '0' {
		return rest + "1"
	}
	return rest + "0"
}
