package faults

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"portside/harness/office"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/notices/expirynotices"
	"portside/shared/notices/expirynotices/expirynoticesdynamo"
	"portside/shared/rotation"
	"portside/shared/rotation/rotationsecrets"
	"portside/shared/users"
)

// rotate takes the steps of a rotation, with faults. Secrets Manager repeats a step that fails.
func (r *run) rotate(rotator *rotation.Rotator, secret string) rotation.Value {
	const function = "arn:aws:lambda:us-east-1:000000000000:function:RotateTokensFunction"
	out, err := r.secrets.RotateSecret(r.tb.Context(), &secretsmanager.RotateSecretInput{
		SecretId: &secret, RotationLambdaARN: aws.String(function),
	})
	r.must(err)
	for _, step := range []string{"createSecret", "setSecret", "testSecret", "finishSecret"} {
		r.event(step, func(ctx context.Context) error {
			return rotator.Step(ctx, rotation.Event{Step: step, SecretID: secret, Version: *out.VersionId})
		})
	}
	current, err := r.secrets.GetSecretValue(r.tb.Context(), &secretsmanager.GetSecretValueInput{SecretId: &secret})
	r.must(err)
	value, err := rotation.ParseValue(*current.SecretString)
	r.must(err)
	r.check(r.works(value.Token), "the token in the secret does not work")
	return value
}

// rotateSecret rotates a secret twice. Only the tokens in the secret work, and the old one only during the overlap.
func rotateSecret(r *run) {
	const overlap = 7 * 24 * time.Hour
	r.join(principal.Admin)
	ada := r.join(principal.User)
	secret := "portside/" + r.id
	terms := rotation.Terms{OwnerID: ada.user.ID, Name: "pull", Scopes: []string{"read:helm-charts"}, Days: 90}
	_, err := r.secrets.CreateSecret(r.tb.Context(), &secretsmanager.CreateSecretInput{
		Name: &secret, SecretString: aws.String(rotation.Value{Terms: terms}.Text()),
	})
	r.must(err)
	rotator := rotation.New(rotationsecrets.New(r.secrets), office.Owners{Issuer: users.NewIssuer(r.people, r.people.Keys)}, r.keyTable,
		rotation.Options{Overlap: overlap, Now: r.clock})
	first := r.rotate(rotator, secret)
	r.wait(30 * 24 * time.Hour)
	second := r.rotate(rotator, secret)
	r.check(first.Token != second.Token && r.works(first.Token), "the first token does not work during the overlap")
	r.check(r.live(ada, credentials.AccessToken) == 2, "%d tokens work", r.live(ada, credentials.AccessToken))
	r.wait(overlap)
	r.check(!r.works(first.Token) && r.works(second.Token), "the wrong token works after the overlap")
}

// notifyExpiry mails the owners of tokens that expire soon, once each.
func notifyExpiry(r *run) {
	r.join(principal.Admin)
	ada, bob := r.join(principal.User), r.join(principal.User)
	for _, who := range []person{ada, bob} {
		_, err := r.tokens.Create(r.tb.Context(), who.caller, newToken(r, "expires"))
		r.must(err)
	}
	ledger := expirynoticesdynamo.New(r.client, r.tables["CredentialsTable"])
	sender := expirynotices.New(expirynotices.Parts{
		Walk: ledger.Walk(), Ledger: ledger, Retries: ledger, Credentials: r.keyTable,
		People: office.Owners{Issuer: users.NewIssuer(r.people, r.people.Keys)}, Mailer: r.mailer, BaseURL: portal, Now: r.clock,
	})
	r.wait(24 * 24 * time.Hour)
	r.event("the schedule", func(ctx context.Context) error {
		_, err := sender.Run(ctx)
		return err
	})
	for range 2 {
		r.wait(12 * time.Hour)
		_, err := sender.Run(r.tb.Context())
		r.must(err)
	}
	for _, who := range []person{ada, bob} {
		mails := r.letters.Count(who.user.Email)
		r.check(mails == 1 || r.isDisturbed() && mails == 2, "%d mails to an owner", mails)
	}
}
