package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
)

// The targets of what authentication adds to a request, and of making a token.
const (
	authCalls     = 1
	authReads     = 1
	authWrites    = 1
	authTarget    = 1.5 // ms
	garbageTarget = 20  // µs
	createCalls   = 3
	authRequests  = 2_000
	garbageTexts  = 20_000
)

// vault is the stack's credentials behind a meter, with a token of the admin's.
type vault struct {
	client *dynamodb.Client
	meter  *meter
	table  *credentialsdynamo.Table
	auth   *credentials.Authenticator // with the rate limit on, and too high to be reached
	token  string
}

// credentials measures what the credentials of machines cost: calls and units on the stack's engine, time without HTTP.
func (b *bench) credentials(ctx context.Context, s *stack) error {
	b.say("authenticating %d times", authRequests)
	v := &vault{}
	v.client, v.meter = s.metered()
	v.table = credentialsdynamo.New(v.client, s.Tables["CredentialsTable"])
	v.auth = credentials.NewAuthenticator(v.table, 1<<30, time.Now)
	if err := b.creation(ctx, s, v); err != nil {
		return err
	}
	if err := b.authentication(ctx, v); err != nil {
		return err
	}
	return b.garbage(ctx, v)
}

// creation makes a token with the admin's key, and with that token its successor, which is measured.
func (b *bench) creation(ctx context.Context, s *stack, v *vault) (err error) {
	service := tokens.NewService(tokensdynamo.New(v.client, v.table), time.Now)
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
	v.meter.take()
	if v.token, err = create(v.token, credentials.AccessToken); err != nil {
		return err
	}
	b.table.most("create a token with a token, authentication included", float64(v.meter.take().calls), createCalls, "calls")
	return nil
}

// authentication is one request after the other, as a warm function has them.
func (b *bench) authentication(ctx context.Context, v *vault) error {
	const what = "authentication and rate limit by token: "
	times, most := make([]float64, authRequests), meter{}
	for i := range times {
		v.meter.take()
		began := time.Now()
		who, _, err := v.auth.Authenticate(ctx, v.token, credentials.AccessToken)
		times[i] = milliseconds(time.Since(began))
		if err != nil || !who.Scoped() {
			return fmt.Errorf("authenticate as %v: %w", who, err)
		}
		cost := v.meter.take()
		most = meter{calls: max(most.calls, cost.calls), reads: max(most.reads, cost.reads), writes: max(most.writes, cost.writes)}
	}
	b.table.most(what+"at most", float64(most.calls), authCalls, "calls")
	b.table.most(what+"at most", most.reads, authReads, "read units")
	b.table.most(what+"at most", most.writes, authWrites, "write units")
	b.table.most(what+"median of "+number(authRequests), quantile(times, 0.5), authTarget, "ms")
	b.table.note(what+"99th percentile", "%s ms", number(quantile(times, 0.99)))
	return nil
}

// garbage presents a token with one character changed, which is the most that garbage can cost: it fails by its checksum.
func (b *bench) garbage(ctx context.Context, v *vault) error {
	const what = "refusing a token with a character changed: "
	text, times := changed(v.token), make([]float64, garbageTexts)
	v.meter.take()
	for i := range times {
		began := time.Now()
		who, _, err := v.auth.Authenticate(ctx, text, credentials.AccessToken)
		times[i] = milliseconds(time.Since(began)) * 1e3
		if !errors.Is(err, credentials.ErrUnauthorized) || who.CredentialID != "" {
			return fmt.Errorf("garbage was not refused: %w", err)
		}
	}
	b.table.most(what+number(garbageTexts)+" times", float64(v.meter.take().calls), 0, "calls")
	b.table.most(what+"median", quantile(times, 0.5), garbageTarget, "µs")
	b.table.note(what+"99th percentile", "%s µs", number(quantile(times, 0.99)))
	return nil
}

// changed returns a text with another last character.
func changed(text string) string {
	rest, last := text[:len(text)-1], text[len(text)-1]
	if last == '0' {
		return rest + "1"
	}
	return rest + "0"
}
