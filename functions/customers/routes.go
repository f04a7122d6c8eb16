package main

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/customers"
	"portside/shared/entitlements"
	"portside/shared/trust"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// service has the handlers and their dependencies.
type service struct {
	customers    *customers.Service
	entitlements *entitlements.Service
	policies     *trust.Service
	now          func() time.Time
}

// stores are what the services keep their data in.
type stores struct {
	customers    customers.Store
	entitlements entitlements.Store
	policies     trust.Store
}

func newService(in stores, now func() time.Time) *service {
	return &service{
		customers:    customers.NewService(in.customers, resource.NewID, now),
		entitlements: entitlements.NewService(in.entitlements, resource.NewID, now),
		policies:     trust.NewService(in.policies, resource.NewID, now), now: now,
	}
}

// routes returns the API of this function.
func routes(s *service, auth web.Authenticator) *web.API {
	api := web.NewAPI(auth)
	web.Handle(api, web.Needs(principal.CustomersRead).ForCustomers(), listCustomers, s.list)
	web.Handle(api, web.Needs(principal.CustomersRead).ForCustomers(), searchCustomers, s.search)
	web.Handle(api, web.Needs(principal.CustomersWrite).RecentSignIn(), createCustomer, s.create)
	web.Handle(api, web.Needs(principal.CustomersRead).ForCustomers(), getCustomer, s.get)
	web.Handle(api, web.Needs(principal.CustomersWrite).RecentSignIn(), updateCustomer, s.update)
	web.Handle(api, web.Needs(principal.CustomersWrite).RecentSignIn(), patchCustomer, s.patch)
	web.Handle(api, web.Needs(principal.CustomersDelete).RecentSignIn(), deleteCustomer, s.delete)
	web.Handle(api, web.Needs(principal.CustomersWrite).RecentSignIn(), endCredentials, s.endCredentials)
	web.Handle(api, web.Needs(principal.CustomersRead).ForCustomers(), listEntitlements, s.listEntitlements)
	web.Handle(api, web.Needs(principal.CustomersWrite).RecentSignIn(), createEntitlement, s.createEntitlement)
	web.Handle(api, web.Needs(principal.CustomersRead).ForCustomers(), getEntitlement, s.getEntitlement)
	web.Handle(api, web.Needs(principal.CustomersWrite).RecentSignIn(), updateEntitlement, s.updateEntitlement)
	web.Handle(api, web.Needs(principal.CustomersWrite).RecentSignIn(), deleteEntitlement, s.deleteEntitlement)
	web.Handle(api, web.Needs(principal.CustomersRead).ForCustomers(), listTrustPolicies, s.listTrustPolicies)
	web.Handle(api, web.Needs(principal.CustomersWrite).RecentSignIn(), createTrustPolicy, s.createTrustPolicy)
	web.Handle(api, web.Needs(principal.CustomersRead).ForCustomers(), getTrustPolicy, s.getTrustPolicy)
	web.Handle(api, web.Needs(principal.CustomersWrite).RecentSignIn(), updateTrustPolicy, s.updateTrustPolicy)
	web.Handle(api, web.Needs(principal.CustomersWrite).RecentSignIn(), deleteTrustPolicy, s.deleteTrustPolicy)
	return api
}

const (
	path, onePath                        = "/v1/customers", "/v1/customers/{customerId}"
	entitlementsPath, oneEntitlementPath = onePath + "/entitlements", onePath + "/entitlements/{entitlementId}"
	policiesPath, onePolicyPath          = onePath + "/trust-policies", onePath + "/trust-policies/{policyId}"
)

var tags, entitlementTags, policyTags = []string{"Customers"}, []string{"Entitlements"}, []string{"Trust policies"}

var (
	listCustomers = huma.Operation{
		OperationID: "listCustomers", Method: http.MethodGet, Path: path, Tags: tags, Summary: "List customers",
		Description: "Returns one page of customers in the order of their creation, with the exact total.",
	}
	searchCustomers = huma.Operation{
		OperationID: "searchCustomers", Method: http.MethodGet, Path: path + "/search", Tags: tags, Summary: "Search customers",
		Description: "Returns the customers whose slug or external ID begins with the text, or whose name has it at the beginning of its " +
			"first, second or third word: `ac`, `ship` and `c-18` find Acme Shipping with the external ID C-1815. The results are sorted by the " +
			"text that matched, each customer once. A search finds a change with the next request and takes the same time for any number of " +
			"customers. A page can have fewer results than `limit` although `pagination.hasMore` is true.",
	}
	createCustomer = huma.Operation{
		OperationID: "createCustomer", Method: http.MethodPost, Path: path, Tags: tags, Summary: "Create a customer",
		DefaultStatus: http.StatusCreated,
		Description: "Creates a customer, a company that buys from you. The slug and the external ID must not belong to another customer." +
			"\n\nWith an `Idempotency-Key` you can safely repeat the request for 24 hours: the same body gets the first response again with " +
			"`Idempotency-Replayed: true`, and a different body gets a 422.",
		Errors: web.BodyErrors(http.StatusConflict, http.StatusUnprocessableEntity),
	}
	getCustomer = huma.Operation{
		OperationID: "getCustomer", Method: http.MethodGet, Path: onePath, Tags: tags, Summary: "Get a customer",
		Description: "Returns one customer with all fields. The `ETag` identifies the version; send it in `If-Match` to change only this " +
			"version. A new or deleted user changes `users` but not the `ETag`.",
		Errors: []int{http.StatusNotFound},
	}
	updateCustomer = huma.Operation{
		OperationID: "updateCustomer", Method: http.MethodPut, Path: onePath, Tags: tags, Summary: "Change a customer",
		Description: "Changes the fields in the body and leaves other fields unchanged. `contacts` and `metadata` are each replaced " +
			"completely. To remove the limit of users, set `users` of `limits` to null.\n\nIf you suspend a customer, all credentials of " +
			"its users stop working with the next request. They work again when the customer is `active` again. A limit below the present number of users only stops new users.",
		Errors: web.BodyErrors(http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed),
	}
	patchCustomer = huma.Operation{
		OperationID: "patchCustomer", Method: http.MethodPatch, Path: onePath, Tags: tags, Summary: "Patch a customer",
		Description: "Changes a customer as `PUT` does, with a JSON Merge Patch (RFC 7396): `metadata` is merged into the current one, " +
			"and a member of it that is null is removed. `contacts` is replaced completely.",
		Errors: web.BodyErrors(http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed),
	}
	deleteCustomer = huma.Operation{
		OperationID: "deleteCustomer", Method: http.MethodDelete, Path: onePath, Tags: tags, Summary: "Delete a customer",
		DefaultStatus: http.StatusNoContent,
		Description: "Deletes a customer permanently. A customer who still has users cannot be deleted. To stop the users of a customer, set " +
			"its status to `suspended`.",
		Errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed},
	}
	endCredentials = huma.Operation{
		OperationID: "endCustomerCredentials", Method: http.MethodDelete, Path: onePath + "/credentials", Tags: tags,
		Summary: "End all credentials of a customer's users", DefaultStatus: http.StatusNoContent,
		Description: "Ends all sessions, passkeys, API keys, tokens and passwords of all users of the customer, and the tokens that its " +
			"pipelines and pods have exchanged, for example after a theft. " +
			"They stop working with the next request, however many there are. The users stay `active` and can sign in again with a mailed link; " +
			"to prevent that, set the status of the customer to `suspended`. Invitations stay. Credentials that are created afterwards work.",
		Errors: []int{http.StatusNotFound},
	}
)

var (
	listEntitlements = huma.Operation{
		OperationID: "listEntitlements", Method: http.MethodGet, Path: entitlementsPath, Tags: entitlementTags,
		Summary: "List the entitlements of a customer",
		Description: "Returns one page of the customer's entitlements in the order of their creation, with the exact total. Users of a " +
			"customer see only the entitlements of that customer.",
		Errors: []int{http.StatusNotFound},
	}
	createEntitlement = huma.Operation{
		OperationID: "createEntitlement", Method: http.MethodPost, Path: entitlementsPath, Tags: entitlementTags,
		Summary: "Create an entitlement", DefaultStatus: http.StatusCreated,
		Description: "Lets the users of the customer fetch some versions of some charts or images, in a period. A customer without " +
			"entitlements fetches nothing. Entitlements add up: what any of them allows, the customer may fetch. The scopes of a token " +
			"or password still apply.\n\nA customer can have 200 entitlements. Another one gets a 409 with the code " +
			"`TOO_MANY_ENTITLEMENTS`. With an `Idempotency-Key` you can safely repeat the request for 24 hours: the same body gets the " +
			"first response again with `Idempotency-Replayed: true`, and a different body gets a 422.",
		Errors: web.BodyErrors(http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity),
	}
	getEntitlement = huma.Operation{
		OperationID: "getEntitlement", Method: http.MethodGet, Path: oneEntitlementPath, Tags: entitlementTags,
		Summary: "Get an entitlement",
		Description: "Returns one entitlement. The `ETag` identifies the version; send it in `If-Match` to change only this version. " +
			"`status` changes with time, and does not change the `ETag`.",
		Errors: []int{http.StatusNotFound},
	}
	updateEntitlement = huma.Operation{
		OperationID: "updateEntitlement", Method: http.MethodPut, Path: oneEntitlementPath, Tags: entitlementTags,
		Summary: "Change an entitlement",
		Description: "Changes the fields in the body and leaves other fields unchanged. To remove `from` or `until`, set it to null. The " +
			"change takes effect with the next request of each credential.",
		Errors: web.BodyErrors(http.StatusNotFound, http.StatusPreconditionFailed),
	}
	deleteEntitlement = huma.Operation{
		OperationID: "deleteEntitlement", Method: http.MethodDelete, Path: oneEntitlementPath, Tags: entitlementTags,
		Summary: "Delete an entitlement", DefaultStatus: http.StatusNoContent,
		Description: "Deletes an entitlement permanently. From the next request on, the customer can fetch " +
			"only what its other entitlements allow. To keep the entitlement, set `until` instead.",
		Errors: []int{http.StatusNotFound, http.StatusPreconditionFailed},
	}
)

var (
	listTrustPolicies = huma.Operation{
		OperationID: "listTrustPolicies", Method: http.MethodGet, Path: policiesPath, Tags: policyTags,
		Summary: "List the trust policies of a customer",
		Description: "Returns one page of the customer's trust policies in the order of their creation, with the exact total. Users of a " +
			"customer see only the trust policies of that customer.",
		Errors: []int{http.StatusNotFound},
	}
	createTrustPolicy = huma.Operation{
		OperationID: "createTrustPolicy", Method: http.MethodPost, Path: policiesPath, Tags: policyTags,
		Summary: "Create a trust policy", DefaultStatus: http.StatusCreated,
		Description: "Lets pipelines and pods of the customer exchange a token of their platform for an access token, so that they need no " +
			"stored secret. The policy says which tokens are accepted: their issuer, their audience and conditions on their claims. The " +
			"entitlements of the customer apply to the access tokens.\n\nOne condition must name the identity that you trust, such as " +
			"`repository_id`, `repository_owner_id` or the beginning of `sub` for GitHub, because a public issuer signs for everybody. " +
			"Without such a condition, the response is a 400 that says which one to add.\n\nThe issuer must publish its OpenID Connect " +
			"configuration and its keys at public https addresses. For one that does not, send its keys in `jwks`, and change them when it " +
			"does.\n\n" +
			"A customer can have 50 trust policies. Another one gets a 409 with the code `TOO_MANY_TRUST_POLICIES`. With an " +
			"`Idempotency-Key` you can safely repeat the request for 24 hours: the same body gets the first response again with " +
			"`Idempotency-Replayed: true`, and a different body gets a 422.",
		Errors: web.BodyErrors(http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity),
	}
	getTrustPolicy = huma.Operation{
		OperationID: "getTrustPolicy", Method: http.MethodGet, Path: onePolicyPath, Tags: policyTags,
		Summary:     "Get a trust policy",
		Description: "Returns one trust policy. The `ETag` identifies the version; send it in `If-Match` to change only this version.",
		Errors:      []int{http.StatusNotFound},
	}
	updateTrustPolicy = huma.Operation{
		OperationID: "updateTrustPolicy", Method: http.MethodPut, Path: onePolicyPath, Tags: policyTags,
		Summary: "Change a trust policy",
		Description: "Changes the fields in the body and leaves other fields unchanged. The change takes effect with the next exchange. " +
			"Access tokens that were issued before work until they expire.",
		Errors: web.BodyErrors(http.StatusNotFound, http.StatusPreconditionFailed),
	}
	deleteTrustPolicy = huma.Operation{
		OperationID: "deleteTrustPolicy", Method: http.MethodDelete, Path: onePolicyPath, Tags: policyTags,
		Summary: "Delete a trust policy", DefaultStatus: http.StatusNoContent,
		Description: "Deletes a trust policy permanently. It accepts no more tokens. Access tokens that were issued before work until they " +
			"expire, at most an hour later; to stop all at once, suspend the customer.",
		Errors: []int{http.StatusNotFound, http.StatusPreconditionFailed},
	}
)
