package main

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
	"portside/shared/web"
)

// service is what the handlers call.
type service struct {
	users   *users.Service
	keys    *users.Keys
	inviter *users.Inviter
	baseURL string // of mailed links; empty: the host of the request
}

func newService(store *usersdynamo.Store, mailer users.Mailer, baseURL string, now func() time.Time) *service {
	inviter := users.NewInviter(store, mailer, now)
	return &service{
		users:   users.NewService(store, inviter, newID, now),
		keys:    users.NewKeys(store, store, now),
		inviter: inviter,
		baseURL: baseURL,
	}
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// routes is the whole API of this function.
func routes(s *service, auth web.Authenticator) *web.API {
	api := web.NewAPI(auth)
	web.Handle(api, web.Needs(principal.UsersRead), listUsers, s.list)
	web.Handle(api, web.Needs(principal.UsersWrite), createUser, s.create)
	web.Handle(api, web.Needs(principal.UsersRead), getUser, s.get)
	web.Handle(api, web.Needs(principal.UsersWrite), updateUser, s.update)
	web.Handle(api, web.Needs(principal.UsersDelete), deleteUser, s.delete)
	web.Handle(api, web.SignedIn(), listAPIKeys, s.listKeys)
	web.Handle(api, web.SignedIn(), createAPIKey, s.createKey)
	web.Handle(api, web.SignedIn(), deleteAPIKey, s.deleteKey)
	web.Handle(api, web.Anyone(), activateUser, s.activate)
	return api
}

var (
	listUsers = huma.Operation{
		OperationID: "listUsers", Method: http.MethodGet, Path: "/v1/users", Tags: []string{"Users"},
		Summary:     "List users",
		Description: "One page of users in the order of their creation, with the exact total.",
	}
	createUser = huma.Operation{
		OperationID: "createUser", Method: http.MethodPost, Path: "/v1/users", Tags: []string{"Users"},
		Summary: "Create a user", DefaultStatus: http.StatusCreated,
		Description: "Adds a user. With `sendActivationEmail` (the default) the user starts `pending` and gets a mail with a " +
			"link that works for 7 days; otherwise the user is `active` at once. Nobody can create a user whose role permits " +
			"more than their own.\n\nAn `Idempotency-Key` makes it safe to repeat the request for 24 hours: the same body gets " +
			"the first answer again with `Idempotency-Replayed: true`, another body a 422.",
		Errors: web.BodyErrors(http.StatusConflict, http.StatusUnprocessableEntity),
	}
	getUser = huma.Operation{
		OperationID: "getUser", Method: http.MethodGet, Path: "/v1/users/{userId}", Tags: []string{"Users"},
		Summary:     "Get a user",
		Description: "One user in full. The `ETag` names the version; send it in `If-Match` to change exactly this version.",
		Errors:      []int{http.StatusNotFound},
	}
	updateUser = huma.Operation{
		OperationID: "updateUser", Method: http.MethodPut, Path: "/v1/users/{userId}", Tags: []string{"Users"},
		Summary: "Change a user",
		Description: "Changes the fields that the body has and leaves the others. `metadata` is replaced as a whole. A user " +
			"who is not `active` cannot use any credential from the next request on. The last active admin can be neither " +
			"demoted nor deactivated.",
		Errors: web.BodyErrors(http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed),
	}
	deleteUser = huma.Operation{
		OperationID: "deleteUser", Method: http.MethodDelete, Path: "/v1/users/{userId}", Tags: []string{"Users"},
		Summary: "Delete a user", DefaultStatus: http.StatusNoContent,
		Description: "Removes a user and revokes all its credentials at once. The e-mail address becomes free again.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed},
	}
	listAPIKeys = huma.Operation{
		OperationID: "listApiKeys", Method: http.MethodGet, Path: "/v1/users/{userId}/api-keys", Tags: []string{"API keys"},
		Summary:     "List a user's API keys",
		Description: "All keys that are not deleted, oldest first; never their secrets." + whoseKeys,
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}
	createAPIKey = huma.Operation{
		OperationID: "createApiKey", Method: http.MethodPost, Path: "/v1/users/{userId}/api-keys", Tags: []string{"API keys"},
		Summary: "Create an API key", DefaultStatus: http.StatusCreated,
		Description: "Makes a key that may do what its user's role permits. The answer shows it this once; only a hash is kept. " +
			"A user has at most 50 working credentials." + whoseKeys,
		Errors: web.BodyErrors(http.StatusForbidden, http.StatusNotFound, http.StatusConflict),
	}
	deleteAPIKey = huma.Operation{
		OperationID: "deleteApiKey", Method: http.MethodDelete, Path: "/v1/users/{userId}/api-keys/{keyId}", Tags: []string{"API keys"},
		Summary: "Delete an API key", DefaultStatus: http.StatusNoContent,
		Description: "The key stops working with the next request." + whoseKeys,
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}
	activateUser = huma.Operation{
		OperationID: "activateUser", Method: http.MethodPost, Path: "/v1/users/activate", Tags: []string{"Users"},
		Summary: "Activate an account",
		Description: "Spends the token of an activation mail, once: the user becomes `active` and gets a first API key in " +
			"`data.apiKey`, shown only here. Needs no credential but the token.",
		Errors: web.BodyErrors(http.StatusUnauthorized),
	}
)

const whoseKeys = "\n\nOne's own keys need no permission; other people's need `api-keys:write`."
