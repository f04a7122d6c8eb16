package crashes

import (
	"net/http"
)

// userFlows returns the flows of users and API keys.
func userFlows() []flow {
	users := []string{"UsersFunction"}
	return []flow{
		{"create a user", users, createUser},
		{"create a user without a key", users, createUserWithoutKey},
		{"invite a user", users, inviteUser},
		{"change a user", users, changeUser},
		{"suspend a user", users, suspendUser},
		{"delete a user", users, deleteUser},
		{"activate", users, activate},
		{"import users", users, importUsers},
		{"create an API key", users, createAPIKey},
		{"delete an API key", users, deleteAPIKey},
	}
}

// wantUsers checks how many users have an address.
func (s *service) wantUsers(email string, want int) {
	s.t.Helper()
	s.admin().Get("/v1/users?email="+email).WantStatus(http.StatusOK).WantValue("pagination.total", want)
}

func createUser(s *service) trial {
	email := s.email()
	return trial{
		send: request(s.admin().With("Idempotency-Key", s.key()), http.MethodPost, "/v1/users", newUser(email, "user")),
		check: func(last response) {
			last.WantStatus(http.StatusCreated)
			s.wantUsers(email, 1)
			s.admin().Get(last.Header.Get("Location")).WantStatus(http.StatusOK).WantValue("data", last.JSON("data"))
		},
	}
}

// createUserWithoutKey repeats a creation without a key: the address is unique, so the repetition conflicts or succeeds.
func createUserWithoutKey(s *service) trial {
	email := s.email()
	return trial{
		send: request(s.admin(), http.MethodPost, "/v1/users", newUser(email, "user")),
		check: func(last response) {
			if last.Status != http.StatusConflict {
				last.WantStatus(http.StatusCreated)
			}
			s.wantUsers(email, 1)
		},
	}
}

func inviteUser(s *service) trial {
	email := s.email()
	return trial{
		send: request(s.admin().With("Idempotency-Key", s.key()), http.MethodPost, "/v1/users",
			`{"email":"`+email+`","name":"Ada","role":"user"}`),
		promised: mails{to: email, count: 1},
		check: func(last response) {
			last.WantStatus(http.StatusCreated).WantValue("data.status", "pending")
			s.wantUsers(email, 1)
		},
	}
}

func changeUser(s *service) trial {
	u := s.user("user")
	return trial{
		send: request(s.admin(), http.MethodPut, u.at, `{"name":"Grace","role":"manager"}`),
		check: func(last response) {
			last.WantStatus(http.StatusOK).WantValue("data.name", "Grace")
			s.as(u.key).Get(u.at).WantStatus(http.StatusOK).WantValue("data.role", "manager").WantHeader("ETag", last.Header.Get("ETag"))
		},
	}
}

func suspendUser(s *service) trial {
	u := s.user("user")
	return trial{
		send: request(s.admin(), http.MethodPut, u.at, `{"status":"suspended"}`),
		check: func(last response) {
			last.WantStatus(http.StatusOK).WantValue("data.status", "suspended")
			s.as(u.key).Get(u.at).WantStatus(http.StatusUnauthorized)
		},
	}
}

func deleteUser(s *service) trial {
	u := s.user("user")
	return trial{
		send: request(s.admin(), http.MethodDelete, u.at, ""),
		check: func(last response) {
			if last.Status != http.StatusNotFound { // the first request deleted the user
				last.WantStatus(http.StatusNoContent)
			}
			s.as(u.key).Get(u.at).WantStatus(http.StatusUnauthorized)
			s.admin().Get(u.at).WantStatus(http.StatusNotFound)
			s.wantUsers(u.email, 0)
		},
	}
}

// activate repeats an activation. A link works once, so a lost response leaves an active user, who signs in by another mail.
func activate(s *service) trial {
	u, token := s.invite("user")
	return trial{
		send: request(s.visitor(), http.MethodPost, "/v1/users/activate", `{"token":"`+token+`"}`),
		check: func(last response) {
			s.admin().Get(u.at).WantStatus(http.StatusOK).WantValue("data.status", "active")
			s.admin().Get(u.at+"/api-keys").WantStatus(http.StatusOK).WantValue("data.1", nil)
			if last.Status != http.StatusUnauthorized {
				s.as(last.WantStatus(http.StatusOK).Text("data.apiKey")).Get(u.at).WantStatus(http.StatusOK)
			}
		},
	}
}

func importUsers(s *service) trial {
	first, second := s.email(), s.email()
	body := `{"format":"csv","sendActivationEmail":false,"text":"email,name,role\n` + first + `,Ada,user\n` + second + `,Grace,viewer\n"}`
	return trial{
		send: request(s.admin(), http.MethodPost, "/v1/users/imports", body),
		check: func(last response) {
			last.WantStatus(http.StatusOK)
			s.wantUsers(first, 1)
			s.wantUsers(second, 1)
		},
	}
}

func createAPIKey(s *service) trial {
	u := s.user("user")
	return trial{
		send: request(s.as(u.key).With("Idempotency-Key", s.key()), http.MethodPost, u.at+"/api-keys", `{"name":"build"}`),
		check: func(last response) {
			s.as(last.WantStatus(http.StatusCreated).Text("data.key")).Get(u.at).WantStatus(http.StatusOK)
			s.as(u.key).Get(u.at+"/api-keys").WantStatus(http.StatusOK).WantValue("data.2", nil)
		},
	}
}

func deleteAPIKey(s *service) trial {
	u := s.user("user")
	made := s.as(u.key).Post(u.at+"/api-keys", `{"name":"build"}`).WantStatus(http.StatusCreated)
	return trial{
		send: request(s.as(u.key), http.MethodDelete, u.at+"/api-keys/"+made.Text("data.id"), ""),
		check: func(last response) {
			if last.Status != http.StatusNotFound {
				last.WantStatus(http.StatusNoContent)
			}
			s.as(made.Text("data.key")).Get(u.at).WantStatus(http.StatusUnauthorized)
			s.as(u.key).Get(u.at).WantStatus(http.StatusOK)
		},
	}
}
