package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/rotation"
	"portside/shared/users"
)

func TestRotationRenewsTokenWithOverlap(t *testing.T) {
	h := newFixture(t)
	h.createSecret(h.terms())
	h.mustRotate()
	first := h.current()
	if !h.isValid(first.Token) || first.Username == "" || !first.ExpiresAt.Equal(h.now.AddDate(0, 0, 90)) {
		t.Fatalf("the first rotation created %v, valid %v", first, h.isValid(first.Token))
	}
	if err := h.table.SetRateLimit(t.Context(), first.TokenID, 500); err != nil {
		t.Fatal(err)
	}
	h.advance(30 * 24 * time.Hour)
	h.mustRotate()
	second := h.current()
	if second.Token == first.Token || !h.isValid(second.Token) || !h.isValid(first.Token) {
		t.Fatal("both tokens must be valid after the second rotation")
	}
	made, err := h.table.Get(t.Context(), second.TokenID)
	if err != nil || made.RotatedFrom != first.TokenID || made.RateLimit != 500 || made.Name != "acme pull" {
		t.Errorf("the second token is %+v, %v; want it renewed from the first with the same rate limit", made, err)
	}
	h.advance(overlap - time.Second)
	if !h.isValid(first.Token) {
		t.Error("the old token expired before the overlap ended")
	}
	h.advance(time.Second)
	if h.isValid(first.Token) || !h.isValid(second.Token) {
		t.Error("only the new token must be valid after the overlap")
	}
}

// TestRotationResumesAfterACrash crashes the function at each of its calls in turn, before or after the call, and then
// retries as Secrets Manager does. After each crash, the current token is valid, and all valid tokens are in the
// secret.
func TestRotationResumesAfterACrash(t *testing.T) {
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprintf("after=%v", after), func(t *testing.T) {
			h := newFixture(t)
			for at := 1; ; at++ {
				h.secret = fmt.Sprintf("portside/acme%d", at)
				h.createSecret(h.terms())
				h.mustRotate()
				before := h.current()
				version := h.startRotation()
				h.crash.set(at, after)
				err := h.rotate(version)
				crashed := h.crash.happened()
				h.crash.set(0, false)
				if crashed != (err != nil) {
					t.Fatalf("call %d: crashed %v, but the rotation returned %v", at, crashed, err)
				}
				h.checkNothingLost(at)
				if err := h.rotate(version); err != nil {
					t.Fatalf("call %d: retry: %v", at, err)
				}
				h.checkRotated(at, before)
				h.revokeAll()
				if !crashed {
					if at < 20 {
						t.Errorf("a rotation made only %d calls; the test may not see all of them", at-1)
					}
					return
				}
			}
		})
	}
}

func (h *fixture) checkNothingLost(at int) {
	h.tb.Helper()
	if current := h.current(); !h.isValid(current.Token) {
		h.tb.Errorf("call %d: after the crash the current token %s is not valid", at, current.TokenID)
	}
	known := strings.Join(h.tokenIDsInSecret(), " ")
	for _, c := range h.validTokens() {
		if !strings.Contains(known, c.ID) {
			h.tb.Errorf("call %d: the token %s is valid, but not in the secret", at, c.ID)
		}
	}
}

func (h *fixture) checkRotated(at int, before rotation.Value) {
	h.tb.Helper()
	h.checkNothingLost(at)
	current := h.current()
	if current.TokenID == before.TokenID {
		h.tb.Errorf("call %d: the token was not renewed", at)
	}
	for _, c := range h.validTokens() {
		if c.ID != current.TokenID && c.ExpiresAt.After(h.now.Add(overlap)) {
			h.tb.Errorf("call %d: the old token %s is valid until %v", at, c.ID, c.ExpiresAt)
		}
	}
}

func TestStepsAreIdempotent(t *testing.T) {
	h := newFixture(t)
	h.createSecret(h.terms())
	h.mustRotate()
	old := h.current()
	version := h.startRotation()
	for _, step := range steps() {
		for range 3 {
			if err := h.step(step, version); err != nil {
				t.Fatalf("%s: %v", step, err)
			}
		}
	}
	ends, err := h.table.Get(t.Context(), old.TokenID)
	if err != nil {
		t.Fatal(err)
	}
	h.advance(24 * time.Hour)
	for _, step := range steps() { // all steps again, a day later
		if err := h.step(step, version); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
	}
	again, err := h.table.Get(t.Context(), old.TokenID)
	if err != nil || !again.ExpiresAt.Equal(ends.ExpiresAt) {
		t.Errorf("the expiry of the old token changed from %v to %v, %v", ends.ExpiresAt, again.ExpiresAt, err)
	}
	if len(h.validTokens()) != 2 {
		t.Errorf("%d tokens work, want the new one and the old one", len(h.validTokens()))
	}
}

// TestSimultaneousAttemptsOfAStepSucceed takes each step a second time before each call of the first attempt.
func TestSimultaneousAttemptsOfAStepSucceed(t *testing.T) {
	h := newFixture(t)
	for n, step := range steps() {
		for at, wasReached := 1, true; wasReached; at++ {
			h.secret = fmt.Sprintf("portside/%s%d", step, at)
			h.createSecret(h.terms())
			h.mustRotate()
			before, version := h.current(), h.startRotation()
			for _, previous := range steps()[:n] {
				if err := h.step(previous, version); err != nil {
					t.Fatal(err)
				}
			}
			wasReached = false
			h.crash.overtake(at, func() {
				wasReached = true
				if err := h.step(step, version); err != nil {
					t.Errorf("%s during call %d of the same step: %v", step, at, err)
				}
			})
			if err := h.step(step, version); err != nil {
				t.Errorf("%s after the same step before its call %d: %v", step, at, err)
			}
			h.crash.overtake(0, nil)
			if err := h.rotate(version); err != nil {
				t.Errorf("the rest of the steps: %v", err)
			}
			h.checkRotated(at, before)
			h.revokeAll()
		}
	}
}

func TestInactiveOwnerStopsRotation(t *testing.T) {
	for name, leave := range map[string]func(*fixture){
		"suspended": func(h *fixture) { h.setStatus(users.Suspended) },
		"deleted": func(h *fixture) {
			if err := h.users.Delete(h.tb.Context(), principal.Operator(), versions.Target{ID: h.owner.ID}); err != nil {
				h.tb.Fatal(err)
			}
		},
	} {
		for reached, done := range steps()[:2] { // leaves before createSecret, or before setSecret
			t.Run(name+" before "+done, func(t *testing.T) {
				h := newFixture(t)
				h.createSecret(h.terms())
				h.mustRotate()
				before := h.current()
				version := h.startRotation()
				for _, step := range steps()[:reached] {
					if err := h.step(step, version); err != nil {
						t.Fatal(err)
					}
				}
				leave(h)
				if err := h.rotate(version); !errors.Is(err, rotation.ErrOwner) {
					t.Errorf("the rotation returned %v, want ErrOwner", err)
				}
				if h.current().Token != before.Token {
					t.Error("the current token changed")
				}
			})
		}
	}
}

func TestRotationResumesWhenOwnerIsActiveAgain(t *testing.T) {
	h := newFixture(t)
	h.createSecret(h.terms())
	version := h.startRotation()
	h.setStatus(users.Suspended)
	if err := h.rotate(version); !errors.Is(err, rotation.ErrOwner) {
		t.Fatalf("the rotation returned %v, want ErrOwner", err)
	}
	h.setStatus(users.Active)
	if err := h.rotate(version); err != nil || !h.isValid(h.current().Token) {
		t.Errorf("the rotation returned %v after the owner became active again", err)
	}
}

func TestInvalidStepsAreRejected(t *testing.T) {
	h := newFixture(t)
	h.createSecret(h.terms())
	const other = "00000000-0000-0000-0000-000000000000"
	if err := h.step("createSecret", other); !errors.Is(err, rotation.ErrNoRotation) {
		t.Errorf("without rotation: %v", err)
	}
	version := h.startRotation()
	for _, c := range []struct {
		step, version string
		want          error
	}{
		{"createsecret", version, rotation.ErrStep},
		{"", version, rotation.ErrStep},
		{"createSecret", other, rotation.ErrNoVersion},
		{"setSecret", version, rotation.ErrNoValue},
		{"testSecret", version, rotation.ErrNoValue},
		{"finishSecret", version, rotation.ErrNoValue},
	} {
		t.Run(c.step+" of "+c.version, func(t *testing.T) {
			if err := h.step(c.step, c.version); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
	if err := h.step("createSecret", version); err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"testSecret", "finishSecret"} {
		if err := h.step(step, version); !errors.Is(err, rotation.ErrBroken) {
			t.Errorf("%s before setSecret: %v, want ErrBroken", step, err)
		}
	}
	h.mustRotate()
	h.mustRotate()
	if err := h.step("createSecret", version); !errors.Is(err, rotation.ErrNotPending) {
		t.Errorf("a step of a replaced version: %v, want ErrNotPending", err)
	}
}

func TestInvalidSecretsAreRejected(t *testing.T) {
	for name, text := range map[string]string{
		"not JSON": "hunter2", "not an object": "[]", "empty": "{}",
		"no owner":      `{"name":"n","scopes":["read:helm-charts"],"expirationDays":90}`,
		"unknown scope": `{"ownerId":"OWNER","name":"n","scopes":["write:helm-charts"],"expirationDays":90}`,
		"366 days":      `{"ownerId":"OWNER","name":"n","scopes":["read:helm-charts"],"expirationDays":366}`,
		"half a day":    `{"ownerId":"OWNER","name":"n","scopes":["read:helm-charts"],"expirationDays":0.5}`,
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t)
			_, err := h.secrets.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{
				Name: &h.secret, SecretString: aws.String(strings.ReplaceAll(text, "OWNER", h.owner.ID)),
			})
			if err != nil {
				t.Fatal(err)
			}
			err = h.rotate(h.startRotation())
			if err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the rotation returned %v, want an error without the value", err)
			}
			if len(h.validTokens()) != 0 {
				t.Error("a token was issued")
			}
		})
	}
}

func TestPendingTokenMustMatchTerms(t *testing.T) {
	h := newFixture(t)
	h.createSecret(h.terms())
	version := h.startRotation()
	wider := h.terms()
	wider.Scopes = []string{"read:docker-images"}
	secret := credentials.Mint(credentials.AccessToken)
	value := rotation.Value{Terms: wider, Token: secret.Reveal(), TokenID: secret.ID(), ExpiresAt: h.now.AddDate(0, 0, 1)}
	_, err := h.secrets.PutSecretValue(t.Context(), &secretsmanager.PutSecretValueInput{
		SecretId: &h.secret, ClientRequestToken: &version, SecretString: aws.String(value.Text()),
		VersionStages: []string{rotation.Pending},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.rotate(version); !errors.Is(err, rotation.ErrTerms) || h.isValid(secret.Reveal()) {
		t.Errorf("the rotation returned %v, want ErrTerms; the token is valid: %v", err, h.isValid(secret.Reveal()))
	}
}

// TestTokenOfCanceledRotationExpires cancels a rotation after its token was stored. The next rotation makes that token
// expire.
func TestTokenOfCanceledRotationExpires(t *testing.T) {
	h := newFixture(t)
	h.createSecret(h.terms())
	h.mustRotate()
	version := h.startRotation()
	for _, step := range steps()[:2] {
		if err := h.step(step, version); err != nil {
			t.Fatal(err)
		}
	}
	_, err := h.secrets.UpdateSecretVersionStage(t.Context(), &secretsmanager.UpdateSecretVersionStageInput{
		SecretId: &h.secret, VersionStage: aws.String(rotation.Pending), RemoveFromVersionId: &version,
	})
	if err != nil {
		t.Fatal(err)
	}
	h.mustRotate()
	h.advance(overlap)
	if left := h.validTokens(); len(left) != 1 || left[0].ID != h.current().TokenID {
		t.Errorf("%d tokens are valid after the overlap, want only the current one", len(left))
	}
}

func TestValueDoesNotPrintToken(t *testing.T) {
	h := newFixture(t)
	h.createSecret(h.terms())
	h.mustRotate()
	value := h.current()
	printed := fmt.Sprintf("%v %+v %#v %s %q", value, value, value, value, value.String())
	if strings.Contains(printed, value.Token) {
		t.Error("a printed value contains its token")
	}
}

func TestInvalidEventIsRejected(t *testing.T) {
	h := newFixture(t)
	if _, err := h.handle(t.Context(), json.RawMessage(`[]`)); err == nil {
		t.Error("an event that is not an object was accepted")
	}
}

// TestRotationKeepsTheMakers rotates a secret with a token that was created with a key. The key no longer works, which
// does not matter to the rotation.
func TestRotationKeepsTheMakers(t *testing.T) {
	h := newFixture(t)
	makers := []principal.Maker{{UserID: h.owner.ID, CredentialID: "3vQB7B6MrGQZ"},
		{UserID: "another user", CredentialID: "3vQB7B6MrGQA"}}
	held := h.issue(credentials.AccessToken, 90, func(c *credentials.Credential) {
		c.Scopes, c.Makers = h.terms().Scopes, makers
	})
	value := rotation.Value{Terms: h.terms(), Token: held.Reveal()}
	_, err := h.secrets.CreateSecret(t.Context(),
		&secretsmanager.CreateSecretInput{Name: &h.secret, SecretString: aws.String(value.Text())})
	if err != nil {
		t.Fatal(err)
	}
	h.mustRotate()
	made, err := h.table.Get(t.Context(), h.current().TokenID)
	if err != nil || made.RotatedFrom != held.ID() || !slices.Equal(made.Makers, makers) {
		t.Errorf("the new token is %+v, %v; want it renewed from the held one, with its makers", made, err)
	}
}
