package main

import (
	"encoding/json"
	"errors"
	"fmt"
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

func TestRotationRenewsTheTokenAndLetsTheOldOneEndAfterTheOverlap(t *testing.T) {
	h := newHarbour(t)
	h.manage(h.terms())
	h.mustRotate()
	first := h.current()
	if !h.works(first.Token) || first.Username == "" || !first.ExpiresAt.Equal(h.now.AddDate(0, 0, 90)) {
		t.Fatalf("the first rotation made %v, which works: %v", first, h.works(first.Token))
	}
	if err := h.table.SetRateLimit(t.Context(), first.TokenID, 500); err != nil {
		t.Fatal(err)
	}
	h.pass(30 * 24 * time.Hour)
	h.mustRotate()
	second := h.current()
	if second.Token == first.Token || !h.works(second.Token) || !h.works(first.Token) {
		t.Fatal("after the second rotation both tokens must work")
	}
	made, err := h.table.Get(t.Context(), second.TokenID)
	if err != nil || made.RotatedFrom != first.TokenID || made.RateLimit != 500 || made.Name != "acme pull" {
		t.Errorf("the second token is %+v, %v; want the first's successor with its rate limit", made, err)
	}
	h.pass(overlap - time.Second)
	if !h.works(first.Token) {
		t.Error("the old token ended before the overlap did")
	}
	h.pass(time.Second)
	if h.works(first.Token) || !h.works(second.Token) {
		t.Error("after the overlap the new token alone must work")
	}
}

// TestCrashAtAnyCall ends the function at each of its calls in turn, before the call and after it, and then lets Secrets
// Manager start over: as long as there are crashes, the current token works and none works that the secret does not know.
func TestCrashAtAnyCall(t *testing.T) {
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprintf("after=%v", after), func(t *testing.T) {
			h := newHarbour(t)
			for at := 1; ; at++ {
				h.secret = fmt.Sprintf("portside/acme%d", at)
				h.manage(h.terms())
				h.mustRotate()
				before := h.current()
				version := h.begin()
				h.crash.set(at, after)
				err := h.rotate(version)
				crashed := h.crash.happened()
				h.crash.set(0, false)
				if crashed != (err != nil) {
					t.Fatalf("call %d: crashed %v, but the rotation returned %v", at, crashed, err)
				}
				h.checkNothingLost(at)
				if err := h.rotate(version); err != nil {
					t.Fatalf("call %d: starting over: %v", at, err)
				}
				h.checkRotated(at, before)
				h.revokeAll()
				if !crashed {
					if at < 20 {
						t.Errorf("a rotation made %d calls only; does the test still see them?", at-1)
					}
					return
				}
			}
		})
	}
}

func (h *harbour) checkNothingLost(at int) {
	h.tb.Helper()
	if current := h.current(); !h.works(current.Token) {
		h.tb.Errorf("call %d: after the crash the current token %s does not work", at, current.TokenID)
	}
	known := strings.Join(h.known(), " ")
	for _, c := range h.issued() {
		if !strings.Contains(known, c.ID) {
			h.tb.Errorf("call %d: the token %s works, but the secret does not know it", at, c.ID)
		}
	}
}

func (h *harbour) checkRotated(at int, before rotation.Value) {
	h.tb.Helper()
	h.checkNothingLost(at)
	current := h.current()
	if current.TokenID == before.TokenID {
		h.tb.Errorf("call %d: the token was not renewed", at)
	}
	for _, c := range h.issued() {
		if c.ID != current.TokenID && c.ExpiresAt.After(h.now.Add(overlap)) {
			h.tb.Errorf("call %d: the old token %s works until %v", at, c.ID, c.ExpiresAt)
		}
	}
}

func TestStepsMayBeRepeated(t *testing.T) {
	h := newHarbour(t)
	h.manage(h.terms())
	h.mustRotate()
	old := h.current()
	version := h.begin()
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
	h.pass(24 * time.Hour)
	for _, step := range steps() { // all of it once more, a day after
		if err := h.step(step, version); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
	}
	again, err := h.table.Get(t.Context(), old.TokenID)
	if err != nil || !again.ExpiresAt.Equal(ends.ExpiresAt) {
		t.Errorf("the old token's end moved from %v to %v, %v", ends.ExpiresAt, again.ExpiresAt, err)
	}
	if len(h.issued()) != 2 {
		t.Errorf("%d tokens work, want the new one and the old one", len(h.issued()))
	}
}

func TestOwnerWhoMayNotActKeepsTheCurrentToken(t *testing.T) {
	for name, leave := range map[string]func(*harbour){
		"suspended": func(h *harbour) { h.setStatus(users.Suspended) },
		"deleted": func(h *harbour) {
			if err := h.users.Delete(h.tb.Context(), principal.Operator(), versions.Target{ID: h.owner.ID}); err != nil {
				h.tb.Fatal(err)
			}
		},
	} {
		for reached, done := range steps()[:2] { // leaves before createSecret, or before setSecret
			t.Run(name+" before "+done, func(t *testing.T) {
				h := newHarbour(t)
				h.manage(h.terms())
				h.mustRotate()
				before := h.current()
				version := h.begin()
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
					t.Error("the current token was touched")
				}
			})
		}
	}
}

func TestRotationGoesOnWhenTheOwnerIsBack(t *testing.T) {
	h := newHarbour(t)
	h.manage(h.terms())
	version := h.begin()
	h.setStatus(users.Suspended)
	if err := h.rotate(version); !errors.Is(err, rotation.ErrOwner) {
		t.Fatalf("the rotation returned %v, want ErrOwner", err)
	}
	h.setStatus(users.Active)
	if err := h.rotate(version); err != nil || !h.works(h.current().Token) {
		t.Errorf("the rotation returned %v when the owner was back", err)
	}
}

func TestStepsThatAreRefused(t *testing.T) {
	h := newHarbour(t)
	h.manage(h.terms())
	const other = "00000000-0000-0000-0000-000000000000"
	if err := h.step("createSecret", other); !errors.Is(err, rotation.ErrNoRotation) {
		t.Errorf("without rotation: %v", err)
	}
	version := h.begin()
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
		if err := h.step(c.step, c.version); !errors.Is(err, c.want) {
			t.Errorf("%q of %s: %v, want %v", c.step, c.version, err, c.want)
		}
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
		t.Errorf("a step of a version that was replaced: %v, want ErrNotPending", err)
	}
}

func TestSecretsThatAreNoTokensAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": "hunter2", "no object": "[]", "nothing": "{}",
		"no owner":      `{"name":"n","scopes":["read:helm-charts"],"expirationDays":90}`,
		"unknown scope": `{"ownerId":"OWNER","name":"n","scopes":["write:helm-charts"],"expirationDays":90}`,
		"366 days":      `{"ownerId":"OWNER","name":"n","scopes":["read:helm-charts"],"expirationDays":366}`,
		"half a day":    `{"ownerId":"OWNER","name":"n","scopes":["read:helm-charts"],"expirationDays":0.5}`,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarbour(t)
			_, err := h.secrets.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{
				Name: &h.secret, SecretString: aws.String(strings.ReplaceAll(text, "OWNER", h.owner.ID)),
			})
			if err != nil {
				t.Fatal(err)
			}
			err = h.rotate(h.begin())
			if err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the rotation returned %v, want an error without the value", err)
			}
			if len(h.issued()) != 0 {
				t.Error("a token was issued")
			}
		})
	}
}

func TestPendingTokenMayNotReachFurtherThanTheSecretSays(t *testing.T) {
	h := newHarbour(t)
	h.manage(h.terms())
	version := h.begin()
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
	if err := h.rotate(version); !errors.Is(err, rotation.ErrTerms) || h.works(secret.Reveal()) {
		t.Errorf("the rotation returned %v, want ErrTerms; works: %v", err, h.works(secret.Reveal()))
	}
}

// TestRotationThatIsGivenUp cancels a rotation after its token was registered: the next one lets that token end.
func TestRotationThatIsGivenUp(t *testing.T) {
	h := newHarbour(t)
	h.manage(h.terms())
	h.mustRotate()
	version := h.begin()
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
	h.pass(overlap)
	if left := h.issued(); len(left) != 1 || left[0].ID != h.current().TokenID {
		t.Errorf("after the overlap %d tokens work, want the current one alone", len(left))
	}
}

func TestNothingPrintsAToken(t *testing.T) {
	h := newHarbour(t)
	h.manage(h.terms())
	h.mustRotate()
	value := h.current()
	printed := fmt.Sprintf("%v %+v %#v %s %q", value, value, value, value, value.String())
	if strings.Contains(printed, value.Token) {
		t.Error("a printed value shows its token")
	}
}

func TestEventThatIsNoJSON(t *testing.T) {
	h := newHarbour(t)
	if _, err := h.handle(t.Context(), json.RawMessage(`[]`)); err == nil {
		t.Error("an event that is no object was accepted")
	}
}
