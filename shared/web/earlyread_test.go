package web_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
	"portside/shared/web"
)

const itemID = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"

// authenticator calls a function instead of reading a credential.
type authenticator func() (principal.Principal, error)

// Authenticate implements web.Authenticator.
func (f authenticator) Authenticate(context.Context, string, ...credentials.Kind) (principal.Principal, credentials.Allowance, error) {
	who, err := f()
	return who, credentials.Allowance{}, err
}

// IsThrottled implements web.Authenticator.
func (authenticator) IsThrottled(context.Context) bool { return false }

// CountUnknown implements web.Authenticator.
func (authenticator) CountUnknown(context.Context) error { return nil }

func (authenticator) Refused(context.Context, principal.Principal) {}

// throttling is an authenticator for which all networks have sent too many unknown credentials.
type throttling struct{ authenticator }

// IsThrottled implements web.Authenticator.
func (throttling) IsThrottled(context.Context) bool { return true }

// itemOutput has the item that a read found.
type itemOutput struct {
	Body struct {
		Item string `json:"item"`
	}
}

// items returns a client of an operation that reads an item early.
func items(t *testing.T, auth web.Authenticator, early web.EarlyRead[string]) webtest.Client {
	t.Helper()
	api := web.NewAPI(auth)
	op := huma.Operation{OperationID: "getItem", Method: http.MethodGet, Path: "/v1/items/{itemId}"}
	get := func(_ context.Context, _ *struct {
		ID string `path:"itemId" format:"uuid"`
	}, item string,
	) (*itemOutput, error) {
		out := &itemOutput{}
		out.Body.Item = item
		return out, nil
	}
	web.HandleEarly(api, web.Needs(principal.UsersWrite), op, web.Early(early, get))
	return webtest.New(t, api.Handler())
}

// TestEarlyReadRunsDuringAuthentication has an authentication that ends only after the read began.
func TestEarlyReadRunsDuringAuthentication(t *testing.T) {
	began := make(chan struct{})
	admin := func() (principal.Principal, error) {
		<-began
		return principal.Principal{UserID: "ada", Role: principal.Admin}, nil
	}
	read := func(_ context.Context, r *http.Request) (string, error) {
		close(began)
		id, _ := web.PathID(r, "itemId")
		return "item " + id, nil
	}
	key := credentials.Mint(credentials.APIKey).Reveal()
	client := items(t, authenticator(admin), read).With("X-API-Key", key)
	client.Get("/v1/items/"+itemID).WantStatus(http.StatusOK).WantValue("item", "item "+itemID)
}

// TestRefusalDoesNotWaitForEarlyRead has a read that ends only after the refusal.
func TestRefusalDoesNotWaitForEarlyRead(t *testing.T) {
	for name, test := range map[string]struct {
		role   principal.Role
		err    error
		status int
	}{
		"no working credential": {"", credentials.ErrUnauthorized, http.StatusUnauthorized},
		"too many requests":     {principal.Admin, credentials.ErrRateLimited, http.StatusTooManyRequests},
		"missing permission":    {principal.Viewer, nil, http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			refused, ended := make(chan struct{}), make(chan struct{})
			answer := func() (principal.Principal, error) {
				return principal.Principal{UserID: "ada", Role: test.role}, test.err
			}
			read := func(context.Context, *http.Request) (string, error) {
				defer close(ended)
				<-refused
				return "secret", nil
			}
			key := credentials.Mint(credentials.APIKey).Reveal()
			items(t, authenticator(answer), read).With("X-API-Key", key).Get("/v1/items/" + itemID).WantStatus(test.status)
			close(refused)
			<-ended
		})
	}
}

// TestMalformedCredentialReadsNothing refuses text that no store needs to see.
//
//proves:docs/security.md
func TestMalformedCredentialReadsNothing(t *testing.T) {
	refuse := func() (principal.Principal, error) { return principal.Principal{}, credentials.ErrUnauthorized }
	reads := make(chan struct{}, 10)
	read := func(context.Context, *http.Request) (string, error) {
		reads <- struct{}{}
		return "", nil
	}
	client := items(t, authenticator(refuse), read)
	key := credentials.Mint(credentials.APIKey).Reveal()
	for _, text := range []string{"", "x", key[:len(key)-1] + "!", credentials.Mint(credentials.Link).Reveal()} {
		client.With("X-API-Key", text).Get("/v1/items/" + itemID).WantStatus(http.StatusUnauthorized)
	}
	client.With("X-API-Key", key).Get("/v1/items/" + itemID).WantStatus(http.StatusUnauthorized)
	<-reads // of the well-formed key; those before would have begun earlier
	if n := len(reads); n > 0 {
		t.Errorf("malformed credentials caused %d reads", n)
	}
}

// TestThrottledNetworkReadsNothingEarly has a read that fails the test.
func TestThrottledNetworkReadsNothingEarly(t *testing.T) {
	reads := make(chan struct{}, 1)
	read := func(context.Context, *http.Request) (string, error) {
		reads <- struct{}{}
		return "item", nil
	}
	refuse := authenticator(func() (principal.Principal, error) { return principal.Principal{}, credentials.ErrTooManyUnknown })
	key := credentials.Mint(credentials.APIKey).Reveal()
	items(t, throttling{refuse}, read).With("X-API-Key", key).Get("/v1/items/" + itemID).WantStatus(http.StatusTooManyRequests)
	admin := authenticator(func() (principal.Principal, error) {
		return principal.Principal{UserID: "ada", Role: principal.Admin}, nil
	})
	if len(reads) != 0 {
		t.Error("a refused request read the item")
	}
	items(t, throttling{admin}, read).With("X-API-Key", key).Get("/v1/items/"+itemID).WantStatus(http.StatusOK).WantValue("item", "item")
}
