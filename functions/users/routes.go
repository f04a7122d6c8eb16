package main

import (
	"time"

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
	read := web.Needs(principal.UsersRead).ForCustomers()
	write := web.Needs(principal.UsersWrite).RecentSignIn().ForCustomers()
	remove := web.Needs(principal.UsersDelete).RecentSignIn().ForCustomers()
	web.Handle(api, read, web.At("GET /v1/users", listUsers), s.list)
	web.Handle(api, read, web.At("GET /v1/users/search", searchUsers), s.search)
	web.Handle(api, write, web.At("POST /v1/users", createUser), s.create)
	web.Handle(api, write, web.At("POST /v1/users/imports", importUsers), s.importFile)
	web.HandleEarly(api, read, web.At("GET /v1/users/{userId}", getUser), web.Early(s.read, s.get))
	web.Handle(api, write, web.At("PUT /v1/users/{userId}", updateUser), s.update)
	web.Handle(api, write, web.At("PATCH /v1/users/{userId}", patchUser), s.patch)
	web.Handle(api, remove, web.At("DELETE /v1/users/{userId}", deleteUser), s.delete)
	web.Handle(api, write, web.At("DELETE /v1/users/{userId}/sessions", signOutUser), s.signOut)
	web.Handle(api, write, web.At("DELETE /v1/users/{userId}/credentials", endCredentials), s.endCredentials)
	web.Handle(api, read, web.At("GET /v1/users/{userId}/invitation", getInvitation), s.getInvitation)
	web.Handle(api, write, web.At("POST /v1/users/{userId}/invitation", resendInvitation), s.resendInvitation)
	web.Handle(api, web.SignedIn().ForCustomers(), web.At("GET /v1/users/{userId}/api-keys", listAPIKeys), s.listKeys)
	web.HandleEarly(api, web.SignedIn().RecentSignIn().ForCustomers(), web.At("POST /v1/users/{userId}/api-keys", createAPIKey),
		web.Early(s.findOwner, s.createKey))
	web.Handle(api, web.SignedIn().ForCustomers(), web.At("GET /v1/users/{userId}/api-keys/{keyId}", getAPIKey), s.getKey)
	web.Handle(api, web.SignedIn().ForCustomers(), web.At("DELETE /v1/users/{userId}/api-keys/{keyId}", deleteAPIKey), s.deleteKey)
	web.Handle(api, web.WithLink(), web.At("POST /v1/users/activate", activateUser), s.activate)
	return api
}

const keyPermission = "\n\nYour own keys need no permission; those of other users need `api-keys:write`."
