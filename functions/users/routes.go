package main

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/notices/credentialnotices"
	"portside/shared/revocation"
	"portside/shared/revocation/revocationdynamo"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// service has the handlers and their dependencies.
type service struct {
	users    *users.Service
	importer *users.Importer
	keys     *users.Keys
	inviter  *users.Inviter
	notices  *credentialnotices.Service
	ending   *revocation.Service
	baseURL  string // of links in mails; empty: the host of the request
	now      func() time.Time
}

// parts are the dependencies of a service.
type parts struct {
	store   *usersdynamo.Store
	keys    *credentialsdynamo.Table
	ending  *revocationdynamo.Store
	mailer  users.Mailer
	baseURL string
	now     func() time.Time
	// endTime limits how long the deletion of a key spends on the credentials that the key created. A schedule ends the
	// rest. Zero means no limit.
	endTime time.Duration
}

func newService(p parts) *service {
	store, now := p.store, p.now
	notices := credentialnotices.NewService(credentialnotices.Parts{Outbox: p.keys.Notices, People: store.People, Mailer: p.mailer, Now: now})
	inviter := users.NewInviter(store.Invitations, p.mailer, now)
	return &service{
		users:    users.NewService(store, inviter, resource.NewID, now),
		importer: users.NewImporter(store.Bulk, resource.NewID, now),
		keys:     users.NewKeys(store, store.Keys, now),
		inviter:  inviter,
		notices:  notices,
		ending: revocation.NewService(revocation.Parts{
			Store: p.ending, Jobs: p.ending, Now: now, EndTime: p.endTime,
		}),
		baseURL: p.baseURL,
		now:     now,
	}
}

// routes returns the API of this function.
func routes(s *service, auth web.Authenticator) *web.API {
	api := web.NewAPI(auth)
	web.Handle(api, web.Needs(principal.UsersRead).ForCustomers(), listUsers, s.list)
	web.Handle(api, web.Needs(principal.UsersRead).ForCustomers(), searchUsers, s.search)
	web.Handle(api, web.Needs(principal.UsersWrite).RecentSignIn().ForCustomers(), createUser, s.create)
	web.Handle(api, web.Needs(principal.UsersWrite).RecentSignIn().ForCustomers(), importUsers, s.importFile)
	web.HandleEarly(api, web.Needs(principal.UsersRead).ForCustomers(), getUser, web.Early(s.read, s.get))
	web.Handle(api, web.Needs(principal.UsersWrite).RecentSignIn().ForCustomers(), updateUser, s.update)
	web.Handle(api, web.Needs(principal.UsersWrite).RecentSignIn().ForCustomers(), patchUser, s.patch)
	web.Handle(api, web.Needs(principal.UsersDelete).RecentSignIn().ForCustomers(), deleteUser, s.delete)
	web.Handle(api, web.Needs(principal.UsersWrite).RecentSignIn().ForCustomers(), signOutUser, s.signOut)
	web.Handle(api, web.Needs(principal.UsersWrite).RecentSignIn().ForCustomers(), endCredentials, s.endCredentials)
	web.Handle(api, web.Needs(principal.UsersRead).ForCustomers(), getInvitation, s.getInvitation)
	web.Handle(api, web.Needs(principal.UsersWrite).RecentSignIn().ForCustomers(), resendInvitation, s.resendInvitation)
	web.Handle(api, web.SignedIn().ForCustomers(), listAPIKeys, s.listKeys)
	web.HandleEarly(api, web.SignedIn().RecentSignIn().ForCustomers(), createAPIKey, web.Early(s.findOwner, s.createKey))
	web.Handle(api, web.SignedIn().ForCustomers(), getAPIKey, s.getKey)
	web.Handle(api, web.SignedIn().ForCustomers(), deleteAPIKey, s.deleteKey)
	web.Handle(api, web.WithLink(), activateUser, s.activate)
	return api
}

var (
	listUsers = huma.Operation{
		OperationID: "listUsers", Method: http.MethodGet, Path: "/v1/users", Tags: []string{"Users"},
		Summary: "List users",
		Description: "Returns one page of users in the order of their creation, with the exact total. `customerId`, `role` and `status` can " +
			"be combined. `email` finds one user by the address, and `ids` up to 100 users at once. `GET /v1/users/search` finds users by the beginning of an address or a word.",
	}
	searchUsers = huma.Operation{
		OperationID: "searchUsers", Method: http.MethodGet, Path: "/v1/users/search", Tags: []string{"Users"},
		Summary: "Search users",
		Description: "Returns the users whose email address begins with the text, or whose name has it at the beginning " +
			"of its first, second or third word: `ada b` and `byr` find Ada Byron. The results are sorted by the text that matched, each " +
			"user once. A search finds a change with the next request and takes the same time " +
			"for any number of users. A page can have fewer results than `limit` although " +
			"`pagination.hasMore` is true.",
	}
	createUser = huma.Operation{
		OperationID: "createUser", Method: http.MethodPost, Path: "/v1/users", Tags: []string{"Users"},
		Summary: "Create a user", DefaultStatus: http.StatusCreated,
		Description: "Creates a user. With `sendActivationEmail` (the default) the user is `pending` at first and gets a mail with a " +
			"link that works for 7 days; otherwise the user is `active` at once. You cannot create a user whose role has more " +
			"permissions than yours. All users of a customer together can send 1,000 invitations on one day (UTC), and the vendor's staff " +
			"10,000; one address gets at most 5 from a customer, and 10 from all customers or from the staff. Above that, the response is a " +
			"429 with the code `QUOTA_EXCEEDED`.\n\n" +
			"With an `Idempotency-Key` you can safely repeat the request for 24 hours: the same body gets " +
			"the first response again with `Idempotency-Replayed: true`, and a different body gets a 422.",
		Errors: web.BodyErrors(http.StatusConflict, http.StatusUnprocessableEntity), Extensions: map[string]any{web.OwnLimit: true},
	}
	importUsers = huma.Operation{
		OperationID: "importUsers", Method: http.MethodPost, Path: "/v1/users/imports", Tags: []string{"Users"},
		Summary: "Import users from a file", MaxBodyBytes: maxImportBodyBytes,
		Metadata: map[string]any{web.TooLargeHint: importHint},
		Description: "Creates the users of a CSV file with a header, or of a file with one JSON object per line. The columns or keys are " +
			"`email`, `name` and `role`, and optionally `customerId` (the ID of the customer; empty for the vendor's staff, or for your " +
			"own customer if you have one), `department`, `metadata` (a JSON object) and `sendActivationEmail`.\n\n" +
			"With `dryRun`, the response says what an import would do, without creating users; such a file can have 10,000 rows. " +
			"All dry runs of a customer, or of one of the vendor's staff, check at most 20,000 rows per day (UTC), and all imports as many; " +
			"above that, the response is a 429 with the code `QUOTA_EXCEEDED`. If the report would have more than 6 MB, the response is a 400; " +
			"split the file then. " +
			"Without it, a request takes 250 rows. Import a longer file in pieces: each row of a dry run that can be imported has its " +
			"JSON line in `source`.\n\n" +
			"A row that fails does not stop the import. Existing users are not changed, so you can safely repeat a request. " +
			"Mails are sent within minutes, in batches. A row above the daily number of invitations fails, and its reason names the limit: " +
			"import it again on the next day, or without an invitation. You cannot " +
			"create a user whose role has more permissions than yours.",
		Errors: web.BodyErrors(),
	}
	getUser = huma.Operation{
		OperationID: "getUser", Method: http.MethodGet, Path: "/v1/users/{userId}", Tags: []string{"Users"},
		Summary: "Get a user",
		Description: "Returns one user with all fields. The `ETag` identifies the version; send it in `If-Match` to change only this version. " +
			"A sign-in changes `lastLoginAt` but not the `ETag`.",
		Errors: []int{http.StatusNotFound},
	}
	updateUser = huma.Operation{
		OperationID: "updateUser", Method: http.MethodPut, Path: "/v1/users/{userId}", Tags: []string{"Users"},
		Summary: "Change a user",
		Description: "Changes the fields in the body and leaves other fields unchanged. `metadata` is replaced completely. " +
			"A change of `customerId` ends all credentials of the user, as `DELETE /v1/users/{userId}/credentials` does. The credentials " +
			"of a user who is not `active` stop working with the next request. Sessions and passkeys of such a user are deleted; API keys " +
			"and tokens work again when the user is `active` again. The last active admin can be neither " +
			"demoted nor deactivated.",
		Errors: web.BodyErrors(http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed),
	}
	patchUser = huma.Operation{
		OperationID: "patchUser", Method: http.MethodPatch, Path: "/v1/users/{userId}", Tags: []string{"Users"},
		Summary: "Patch a user",
		Description: "Changes a user as `PUT` does, with a JSON Merge Patch (RFC 7396): `metadata` is merged into the current one, and a " +
			"member of it that is null is removed.",
		Errors: web.BodyErrors(http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed),
	}
	deleteUser = huma.Operation{
		OperationID: "deleteUser", Method: http.MethodDelete, Path: "/v1/users/{userId}", Tags: []string{"Users"},
		Summary: "Delete a user", DefaultStatus: http.StatusNoContent,
		Description: "Deletes a user and revokes all credentials of the user at once. Another user can then have the email address.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed},
	}
	signOutUser = huma.Operation{
		OperationID: "signOutUser", Method: http.MethodDelete, Path: "/v1/users/{userId}/sessions", Tags: []string{"Users"},
		Summary: "Sign a user out everywhere", DefaultStatus: http.StatusNoContent,
		Description: "Ends all sessions of a user and deletes all passkeys, for example after a theft. The user can sign in again with a " +
			"mailed link. API keys and tokens continue to work. You cannot sign out a user whose role has more permissions than yours.",
		Errors: []int{http.StatusNotFound},
	}
	endCredentials = huma.Operation{
		OperationID: "endUserCredentials", Method: http.MethodDelete, Path: "/v1/users/{userId}/credentials",
		Tags:    []string{"Users"},
		Summary: "End all credentials of a user", DefaultStatus: http.StatusNoContent,
		Description: "Ends all sessions, API keys, tokens and passwords of a user, and deletes all passkeys. They stop working within seconds, " +
			"also those that are created meanwhile. The user can sign in again with a mailed link; to prevent that, set another status. " +
			"An invitation stays. You cannot end the credentials of a user whose role has more permissions than yours.",
		Errors: []int{http.StatusNotFound},
	}
	listAPIKeys = huma.Operation{
		OperationID: "listApiKeys", Method: http.MethodGet, Path: "/v1/users/{userId}/api-keys", Tags: []string{"API keys"},
		Summary:     "List a user's API keys",
		Description: "Returns all keys that are not deleted, oldest first, without their secrets." + keyPermission,
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}
	createAPIKey = huma.Operation{
		OperationID: "createApiKey", Method: http.MethodPost, Path: "/v1/users/{userId}/api-keys", Tags: []string{"API keys"},
		Summary: "Create an API key", DefaultStatus: http.StatusCreated,
		Description: "Creates a key with the permissions of its user's role. Only this response contains the key; the service stores a hash. " +
			"A user gets a mail when another user creates a key for them. " +
			"A user can have at most 50 working credentials. On one day (UTC), 100 keys can be created for a user, and all users of a customer " +
			"together can create 200 for others, of which 20 for one address, and the vendor's staff 2,000; then the response is " +
			"a 429 with the code `QUOTA_EXCEEDED`.\n\nWith an " +
			"`Idempotency-Key`, a random UUID, you can safely repeat the request for 24 hours: the same body gets the first response again, " +
			"with the same secret and `Idempotency-Replayed: true`, and a different body gets a 422. Until then, the service stores the " +
			"secret encrypted with your key, of which it stores only a hash. If the created key was deleted since, the response is a 409." +
			keyPermission,
		Errors:     web.BodyErrors(http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity),
		Extensions: map[string]any{web.OwnLimit: true},
	}
	getAPIKey = huma.Operation{
		OperationID: "getApiKey", Method: http.MethodGet, Path: "/v1/users/{userId}/api-keys/{keyId}",
		Tags:        []string{"API keys"},
		Summary:     "Get an API key",
		Description: "Returns a key that is not deleted, without its secret." + keyPermission,
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}
	deleteAPIKey = huma.Operation{
		OperationID: "deleteApiKey", Method: http.MethodDelete, Path: "/v1/users/{userId}/api-keys/{keyId}",
		Tags:    []string{"API keys"},
		Summary: "Delete an API key", DefaultStatus: http.StatusNoContent,
		Description: "The key stops working with the next request. A key that is deleted already gets the same response, with any " +
			"`If-Match`. " +
			"With `made=true`, all keys, tokens and passwords that were created with it, " +
			"directly or in several steps, also those of other users, stop working within seconds, and within minutes if there are many. Do that " +
			"if the key has leaked." + keyPermission,
		Errors: []int{http.StatusForbidden, http.StatusNotFound, http.StatusPreconditionFailed},
	}
	activateUser = huma.Operation{
		OperationID: "activateUser", Method: http.MethodPost, Path: "/v1/users/activate", Tags: []string{"Users"},
		Summary: "Activate an account",
		Description: "Makes the user `active` and creates a first API key, `data.apiKey`, which only this response contains. The token of " +
			"an activation mail works once. It requires no other credential.",
		Errors: web.BodyErrors(),
	}
)

const keyPermission = "\n\nYour own keys need no permission; those of other users need `api-keys:write`."
