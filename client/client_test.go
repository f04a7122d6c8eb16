package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"portside/client"
)

// service answers requests in memory, so that tests in a bubble of testing/synctest do not wait.
type service struct {
	answers  []func(http.ResponseWriter) // of the requests, in order; the last one repeats
	requests []*http.Request
	bodies   []string
}

var errLost = errors.New("connection lost")

// RoundTrip implements http.RoundTripper. A nil answer is a lost connection.
func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	text := ""
	if r.Body != nil {
		read, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		text = string(read)
	}
	s.requests, s.bodies = append(s.requests, r), append(s.bodies, text)
	answer := s.answers[min(len(s.requests), len(s.answers))-1]
	if answer == nil {
		return nil, errLost
	}
	w := httptest.NewRecorder()
	answer(w)
	return w.Result(), nil
}

// answering returns a service that gives these answers, and a client of it.
func answering(t *testing.T, answers ...func(http.ResponseWriter)) (*service, *client.Client) {
	t.Helper()
	s := &service{answers: answers}
	c, err := client.New("https://portal.example.com/", "psk_a_b", client.WithTransport(s))
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// status answers with a JSON body. The headers are names and values.
func status(code int, body string, headers ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

const ada = `{"data":{"id":"u1","email":"ada@example.com","role":"manager"}}`

func TestUpdateUserJSONBody(t *testing.T) {
	for want, body := range map[string]client.UpdateUserJSONBody{
		`{"name":"Ada King"}`:                   {Name: new("Ada King")},
		`{"customerId":"c1"}`:                   {CustomerID: new("c1")},
		`{"name":"Ada King","customerId":null}`: {Name: new("Ada King"), CustomerID: new("")},
	} {
		t.Run(want, func(t *testing.T) {
			if got, err := json.Marshal(body); err != nil || string(got) != want {
				t.Errorf("got %s: %v, want %s", got, err, want)
			}
		})
	}
}

func TestCustomerLimitsInput(t *testing.T) {
	for want, limits := range map[string]client.CustomerLimitsInput{
		`{}`:                                    {},
		`{"users":null}`:                        {Users: new(int64)},
		`{"requestsPerMinute":6000,"users":50}`: {Users: new(int64(50)), RequestsPerMinute: new(int64(6000))},
	} {
		t.Run(want, func(t *testing.T) {
			if got, err := json.Marshal(client.UpdateCustomerJSONBody{Limits: &limits}); err != nil ||
				string(got) != `{"limits":`+want+`}` {
				t.Errorf("%s, %v, want %s", got, err, want)
			}
		})
	}
}

func TestUpdateEntitlementJSONBody(t *testing.T) {
	end := time.Date(2027, 4, 1, 0, 0, 0, 0, time.UTC)
	for want, body := range map[string]client.UpdateEntitlementJSONBody{
		`{"versions":"*"}`: {Versions: new("*")},
		`{"from":null,"until":"2027-04-01T00:00:00Z"}`: {From: &time.Time{}, Until: &end},
		`{"repository":"acme/*","until":null}`:         {Repository: new("acme/*"), Until: &time.Time{}},
	} {
		t.Run(want, func(t *testing.T) {
			if got, err := json.Marshal(body); err != nil || string(got) != want {
				t.Errorf("got %s: %v, want %s", got, err, want)
			}
		})
	}
}

func TestCallSendsWhatTheOperationDescribes(t *testing.T) {
	s, c := answering(t, status(http.StatusOK, ada, "ETag", `"3"`))
	var header http.Header
	user, err := c.UpdateUser(t.Context(), "a/b?c", client.UpdateUserJSONBody{Name: new("Ada King")},
		client.IfMatch(`"2"`), client.SaveHeader(&header))
	if err != nil {
		t.Fatal(err)
	}
	if user.Email != "ada@example.com" || user.Role != client.UserRoleManager || header.Get("ETag") != `"3"` {
		t.Errorf("got %+v and the header %v", user, header)
	}
	r := s.requests[0]
	if got := r.Method + " " + r.URL.String(); got != "PUT https://portal.example.com/v1/users/a%2Fb%3Fc" {
		t.Error("sent", got)
	}
	if s.bodies[0] != `{"name":"Ada King"}` {
		t.Error("sent the body", s.bodies[0])
	}
	want := map[string]string{
		"X-Api-Key": "psk_a_b", "Authorization": "", "If-Match": `"2"`, "Content-Type": "application/json", "User-Agent": "portside-go",
		"Accept": "application/json", "Idempotency-Key": "",
	}
	for name, value := range want {
		if got := r.Header.Get(name); got != value {
			t.Errorf("%s: %q, want %q", name, got, value)
		}
	}
}

func TestQueryHasTheParametersThatAreSet(t *testing.T) {
	s, c := answering(t, status(http.StatusOK, `{"data":[],"pagination":{}}`))
	_, err := c.ListUsers(t.Context(), &client.ListUsersParams{
		Limit: new(int64(5)), Role: new(client.ListUsersParamsRoleAdmin), Ids: &[]string{"a", "b c"},
	})
	if got := s.requests[0].URL.RawQuery; err != nil || got != "ids=a%2Cb+c&limit=5&role=admin" {
		t.Errorf("sent %s: %v", got, err)
	}
}

func TestFormHasFieldsAndFiles(t *testing.T) {
	s, c := answering(t, status(http.StatusAccepted, `{"id":"j1","status":"queued"}`, "Location",
		"/v1/capabilities/jobs/j1"))
	form := &client.Form{}
	form.Set("length", "short")
	form.SetFile("file", "report.txt", []byte("All is well."))
	job, err := c.StartSummarizeMedia(t.Context(), nil, form)
	if err != nil || job.ID != "j1" || s.requests[0].Header.Get("Prefer") != "respond-async" {
		t.Errorf("got %+v, %v for %v", job, err, s.requests[0].Header)
	}
	for _, part := range []string{`name="length"`, "short", `filename="report.txt"`, "All is well."} {
		if !strings.Contains(s.bodies[0], part) {
			t.Errorf("%s lacks %s", s.bodies[0], part)
		}
	}
	_, err = c.SummarizeMedia(t.Context(), nil, form)
	if started, ok := errors.AsType[*client.JobStartedError](err); !ok || started.JobID != "j1" {
		t.Errorf("a 202 without a preference is %v", err)
	}
}

func TestTokensAreBearerCredentials(t *testing.T) {
	for credential, want := range map[string][2]string{"pst_a_b": {"Bearer pst_a_b", ""}, "psk_a_b": {"", "psk_a_b"},
		"": {}} {
		s := &service{answers: []func(http.ResponseWriter){status(http.StatusNoContent, "")}}
		c, err := client.New("http://127.0.0.1:3000", credential, client.WithTransport(s), client.WithUserAgent("deploy/2"))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.DeleteUser(t.Context(), "u1"); err != nil {
			t.Fatal(err)
		}
		h := s.requests[0].Header
		if got := [2]string{h.Get("Authorization"), h.Get("X-Api-Key")}; got != want || h.Get("User-Agent") != "deploy/2" {
			t.Errorf("with %q, the header is %v", credential, h)
		}
		if credential != "" && strings.Contains(fmt.Sprintf("%+v %#v", c, c), credential) {
			t.Error("printing a client shows its credential")
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	s, c := answering(t, status(http.StatusFound, "", "Location", "https://elsewhere.example.com"))
	_, err := c.GetUser(t.Context(), "u1")
	if refused, ok := errors.AsType[*client.Error](err); !ok || refused.Status != http.StatusFound ||
		len(s.requests) != 1 {
		t.Errorf("a redirect is %v after %d requests", err, len(s.requests))
	}
}

func TestNewRefusesAnAddressWithoutScheme(t *testing.T) {
	for _, address := range []string{"", "portal.example.com", "ftp://portal.example.com", "https://", "https://%"} {
		if _, err := client.New(address, ""); err == nil {
			t.Errorf("New accepts %q", address)
		}
	}
}

// TestEveryListWithPagesHasAnIterator finds lists that openapi.yaml got later.
func TestEveryListWithPagesHasAnIterator(t *testing.T) {
	c, lists := reflect.TypeFor[*client.Client](), 0
	for m := range c.Methods() {
		name, isList := strings.CutPrefix(m.Name, "List")
		if !isList || !strings.HasPrefix(m.Type.Out(0).Name(), "Page[") {
			continue
		}
		lists++
		if _, ok := c.MethodByName("All" + name); !ok {
			t.Errorf("%s has no iterator All%s", m.Name, name)
		}
	}
	if lists == 0 {
		t.Error("no list has pages")
	}
}

func TestFieldsOfAFormAreEncoded(t *testing.T) {
	s, c := answering(t, status(http.StatusOK, `{"access_token":"pst_x","expires_in":600}`))
	scope := "a b&c"
	got, err := c.ExchangeToken(t.Context(), client.ExchangeTokenFormdataBody{SubjectToken: "x.y.z", Scope: &scope})
	if err != nil || got.AccessToken != "pst_x" || got.ExpiresIn != 600 {
		t.Errorf("got %+v, %v", got, err)
	}
	const want = "grant_type=&scope=a+b%26c&subject_token=x.y.z&subject_token_type=&trust_policy_id="
	if kind := s.requests[0].Header.Get("Content-Type"); s.bodies[0] != want ||
		kind != "application/x-www-form-urlencoded" {
		t.Errorf("sent %s: %s; want %s", kind, s.bodies[0], want)
	}
}
