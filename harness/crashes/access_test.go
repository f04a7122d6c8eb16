package crashes

import (
	"net/http"
	"strconv"
)

const requestsPath = "/api/v1/credential-requests"

// accessFlows returns the flows of tokens and of requests for passwords.
func accessFlows() []flow {
	access := []string{"AccessFunction"}
	return []flow{
		{"create a token", access, createToken},
		{"renew a token", access, renewToken},
		{"revoke a token", access, revokeToken},
		{"revoke a leaked key", access, revokeLeaked},
		{"ask for a password", access, askForPassword},
		{"approve a password", access, approve},
		{"deny a password", access, deny},
		{"collect a password", access, collect},
	}
}

// bearer returns a client with a token.
func (s *service) bearer(token string) client {
	return s.visitor().With("Authorization", "Bearer "+token)
}

const tokenBody = `{"name":"pipeline","scopes":["read:helm-charts"],"expiration_days":30}`

// token returns a user with a token and the token's id.
func (s *service) token() (owner user, token, id string) {
	s.t.Helper()
	owner = s.user("manager")
	made := s.as(owner.key).Post("/api/v1/tokens", tokenBody).WantStatus(http.StatusCreated)
	return owner, made.Text("data.token"), made.Text("data.id")
}

// wantTokens checks the number of tokens that a user has.
func (s *service) wantTokens(owner user, want int) {
	s.t.Helper()
	if got := len(s.as(owner.key).Get("/api/v1/tokens").WantStatus(http.StatusOK).List("data")); got != want {
		s.t.Errorf("%d tokens, want %d", got, want)
	}
}

func createToken(s *service) trial {
	owner := s.user("manager")
	return trial{
		send: request(s.as(owner.key).With("Idempotency-Key", s.key()), http.MethodPost, "/api/v1/tokens", tokenBody),
		check: func(last response) {
			s.bearer(last.WantStatus(http.StatusCreated).Text("data.token")).Get("/charts/index.yaml").WantStatus(http.StatusOK)
			s.wantTokens(owner, 1)
		},
	}
}

func renewToken(s *service) trial {
	owner, token, _ := s.token()
	return trial{
		send: request(s.bearer(token).With("Idempotency-Key", s.key()), http.MethodPost, "/api/v1/tokens", tokenBody),
		check: func(last response) {
			for _, secret := range []string{token, last.WantStatus(http.StatusCreated).Text("data.token")} {
				s.bearer(secret).Get("/charts/index.yaml").WantStatus(http.StatusOK)
			}
			s.wantTokens(owner, 2)
		},
	}
}

func revokeToken(s *service) trial {
	owner, token, id := s.token()
	return trial{
		send: request(s.as(owner.key), http.MethodDelete, "/api/v1/tokens/"+id, ""),
		check: func(last response) {
			if last.Status != http.StatusNotFound {
				last.WantStatus(http.StatusNoContent)
			}
			s.bearer(token).Get("/charts/index.yaml").WantStatus(http.StatusUnauthorized)
			s.as(owner.key).Get("/api/v1/tokens/"+id).WantStatus(http.StatusOK).WantValue("data.status", "revoked")
		},
	}
}

// revokeLeaked revokes a key with which another key and a token were made.
func revokeLeaked(s *service) trial {
	owner := s.user("manager")
	leaked := s.as(owner.key).Post(owner.at+"/api-keys", `{"name":"leaked"}`).WantStatus(http.StatusCreated).Text("data.key")
	second := s.as(leaked).Post(owner.at+"/api-keys", `{"name":"second"}`).WantStatus(http.StatusCreated).Text("data.key")
	token := s.as(leaked).Post("/api/v1/tokens", tokenBody).WantStatus(http.StatusCreated).Text("data.token")
	return trial{
		send:     request(s.visitor(), http.MethodPost, "/api/v1/tokens/revoke", `{"token":"`+leaked+`"}`),
		promised: mails{to: owner.email, count: 2}, // the activation and the end of the key
		check: func(last response) {
			last.WantStatus(http.StatusNoContent)
			s.as(leaked).Get(owner.at).WantStatus(http.StatusUnauthorized)
			s.as(second).Get(owner.at).WantStatus(http.StatusUnauthorized)
			s.bearer(token).Get("/charts/index.yaml").WantStatus(http.StatusUnauthorized)
			s.as(owner.key).Get(owner.at).WantStatus(http.StatusOK)
		},
	}
}

const passwordBody = `{"accessLevel":"charts","justification":"staging"}`

func askForPassword(s *service) trial {
	asker := s.user("viewer")
	return trial{
		send: request(s.as(asker.key).With("Idempotency-Key", s.key()), http.MethodPost, requestsPath, passwordBody),
		check: func(last response) {
			last.WantStatus(http.StatusCreated).WantValue("data.status", "pending")
			s.as(asker.key).Get(requestsPath).WantStatus(http.StatusOK).WantValue("data.1", nil).
				WantValue("data.0.id", last.JSON("data.id"))
		},
	}
}

// asked returns a user with a request for a password, and the request's path.
func (s *service) asked() (asker user, at string) {
	s.t.Helper()
	asker = s.user("viewer")
	return asker, requestsPath + "/" + s.as(asker.key).Post(requestsPath, passwordBody).WantStatus(http.StatusCreated).Text("data.id")
}

// wantEvents checks the actions in a request's history.
func wantEvents(r response, want ...string) {
	r.WantValue("data.events."+strconv.Itoa(len(want)), nil)
	for i, action := range want {
		r.WantValue("data.events."+strconv.Itoa(i)+".action", action)
	}
}

// approve and deny repeat a decision. After a lost response the repetition conflicts with the decision.
func approve(s *service) trial { return decide(s, "approve", "approved") }

func deny(s *service) trial { return decide(s, "deny", "denied") }

func decide(s *service, verb, status string) trial {
	asker, at := s.asked()
	return trial{
		send:     request(s.admin(), http.MethodPost, at+"/"+verb, `{"reason":"agreed"}`),
		promised: mails{to: asker.email, count: 2}, // the activation and the decision
		check: func(last response) {
			if last.Status != http.StatusConflict {
				last.WantStatus(http.StatusOK)
			}
			s.as(asker.key).Get(at).WantStatus(http.StatusOK).WantValue("data.status", status).WantValue("data.events.1.action", status)
		},
	}
}

// collect repeats the collection of a password. The link works once. After a lost response the list shows a password that the
// user does not know, so the user asks for another one.
func collect(s *service) trial {
	asker, at := s.asked()
	s.admin().Post(at+"/approve", `{}`).WantStatus(http.StatusOK)
	return trial{
		send: request(s.visitor(), http.MethodPost, requestsPath+"/collect", `{"token":"`+s.mailedToken(asker.email)+`"}`),
		check: func(last response) {
			if last.Status != http.StatusUnauthorized {
				last.WantStatus(http.StatusOK)
			}
			s.wantTokens(asker, 1)
			wantEvents(s.as(asker.key).Get(at).WantValue("data.status", "collected"), "requested", "approved", "mailed", "collected")
		},
	}
}
