package crashes

import (
	"net"
	"net/http"
	"strings"
)

// sessionFlows returns the flows of the portal's sessions.
func sessionFlows() []flow {
	sessions := []string{"SessionsFunction"}
	return []flow{
		{"ask for a sign-in mail", sessions, askForLink},
		{"sign in", sessions, signIn},
		{"sign out", sessions, signOut},
		{"sign out everywhere", sessions, signOutEverywhere},
	}
}

// browser returns a client that sends what browsers send to the same origin. Its address was not used before, because sign-ins are limited
// by address.
func (s *service) browser() client {
	s.people++
	address := net.IPv4(127, 1, byte(s.people>>8), byte(s.people))
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: address}}
	caller := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
	c := s.visitor().With("Sec-Fetch-Site", "same-origin")
	c.RoundTrip = func(r *http.Request) (*http.Response, error) { return caller.Do(r) }
	return c
}

// cookie returns the cookie of a response with a name that contains the text.
func cookie(r response, text string) string {
	for _, set := range r.Header.Values("Set-Cookie") {
		if pair, _, _ := strings.Cut(set, ";"); strings.Contains(pair, text) {
			return pair
		}
	}
	return ""
}

// askForLink asks again after a lost response, so one or two mails arrive. Only the last browser can use its link.
func askForLink(s *service) trial {
	u := s.user("user")
	return trial{
		send: request(s.browser(), http.MethodPost, "/v1/sign-in/links", `{"email":"`+u.email+`"}`),
		check: func(last response) {
			last.WantStatus(http.StatusAccepted)
			if n := len(s.mails(u.email)); n > 3 { // one of them is for the activation
				s.t.Errorf("%d mails", n)
			}
		},
	}
}

// link mails a sign-in link and returns the body with its token, and the client of the browser that asked for it.
func (s *service) link(u user) (browser client, body string) {
	s.t.Helper()
	asked := s.browser().Post("/v1/sign-in/links", `{"email":"`+u.email+`"}`).WantStatus(http.StatusAccepted)
	return s.browser().With("Cookie", cookie(asked, "=")), `{"token":"` + s.mailedToken(u.email) + `"}`
}

// signIn repeats a sign-in. A link works once, so after a lost response the user asks for another one.
func signIn(s *service) trial {
	u := s.user("user")
	browser, body := s.link(u)
	return trial{
		send: request(browser, http.MethodPost, "/v1/sessions", body),
		check: func(last response) {
			if last.Status != http.StatusUnauthorized {
				last.WantStatus(http.StatusCreated)
				s.browser().With("Cookie", cookie(last, "session")).Get("/v1/sessions/current").WantStatus(http.StatusOK)
			}
			s.as(u.key).Get("/v1/sessions").WantStatus(http.StatusOK).WantValue("data.1", nil)
		},
	}
}

// signedIn returns a user and the cookie of a session.
func (s *service) signedIn() (u user, session string) {
	s.t.Helper()
	u = s.user("user")
	browser, body := s.link(u)
	return u, cookie(browser.Post("/v1/sessions", body).WantStatus(http.StatusCreated), "session")
}

func signOut(s *service) trial { return endSession(s, "/v1/sessions/current") }

func signOutEverywhere(s *service) trial { return endSession(s, "/v1/sessions") }

// endSession deletes a session and checks that its cookie no longer works.
func endSession(s *service, target string) trial {
	u, session := s.signedIn()
	return trial{
		send: request(s.browser().With("Cookie", session), http.MethodDelete, target, ""),
		check: func(last response) {
			if last.Status != http.StatusUnauthorized {
				last.WantStatus(http.StatusNoContent)
			}
			s.browser().With("Cookie", session).Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
			s.as(u.key).Get("/v1/sessions").WantStatus(http.StatusOK).WantValue("data.0", nil)
		},
	}
}
