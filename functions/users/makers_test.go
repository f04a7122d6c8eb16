package main

import (
	"net/http"
	"testing"
	"time"

	"portside/shared/core/principal"
)

// TestFirstKeyIsMadeWithTheMailedLink checks that the inviter has no hand in the first key, whichever way the link was
// mailed, and that the link keeps who invited.
//
//proves:docs/security.md
func TestFirstKeyIsMadeWithTheMailedLink(t *testing.T) {
	for name, invite := range map[string]func(p *fixture){
		"mailed at once": func(p *fixture) { p.asAdmin().Post("/v1/users", invited).WantStatus(http.StatusCreated) },
		"mailed later": func(p *fixture) {
			p.post.closed = true
			p.asAdmin().Post("/v1/users", invited).WantStatus(http.StatusCreated)
			p.post.closed = false
		},
		"imported": func(p *fixture) {
			p.asAdmin().Post("/v1/users/imports",
				`{"format":"csv","text":"email,name,role\na@example.com,Ada,user\n","sendActivationEmail":true}`).
				WantStatus(http.StatusOK)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newFixture(t)
			invite(p)
			if len(p.post.letters) == 0 {
				p.clock.Advance(time.Hour)
				if sent, err := p.service().inviter.SendDue(t.Context()); sent != 1 || err != nil {
					t.Fatalf("%d mails, %v", sent, err)
				}
			}
			token := p.post.lastToken(t)
			link, err := p.keys.Get(t.Context(), token[4:16])
			if err != nil || len(link.Makers) != 1 || link.Makers[0].UserID != p.admin.ID ||
				link.Makers[0].CredentialID != p.key[4:16] {
				t.Errorf("the makers of the link are %v, %v", link.Makers, err)
			}
			activated := p.anonymous().Post("/v1/users/activate", `{"token":"`+token+`"}`).WantStatus(http.StatusOK)
			id := activated.Text("data.id")
			p.withKey(activated.Text("data.apiKey")).Get("/v1/users/"+id+"/api-keys").WantStatus(http.StatusOK).
				WantValue("data.0.makers.0.userId", id).WantValue("data.0.makers.0.credentialId", link.ID).
				WantValue("data.0.makers.1", nil).WantValue("data.1", nil)
		})
	}
}

// TestReplayNeedsTheSameMakers repeats the creation of a key with a credential in which another user had a hand.
//
//proves:docs/security.md
func TestReplayNeedsTheSameMakers(t *testing.T) {
	p := newFixture(t)
	user, key := p.user("ada@example.com", principal.Admin)
	at, body := "/v1/users/"+user.ID+"/api-keys", `{"name":"build server"}`
	own := p.withKey(key).Post(at, `{"name":"own"}`).WantStatus(http.StatusCreated).Text("data.key")
	made := p.asAdmin().Post(at, `{"name":"made by another admin"}`).WantStatus(http.StatusCreated).Text("data.key")

	p.withKey(key).With("Idempotency-Key", onceKey).Post(at, body).WantStatus(http.StatusCreated)
	p.withKey(made).With("Idempotency-Key", onceKey).Post(at, body).WantStatus(http.StatusUnprocessableEntity)
	p.withKey(own).With("Idempotency-Key", onceKey).Post(at, body).WantStatus(http.StatusCreated).
		WantHeader("Idempotency-Replayed", "true")
}
