package main

import (
	"time"

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
	read, write := web.Needs(principal.CustomersRead).ForCustomers(), web.Needs(principal.CustomersWrite).RecentSignIn()
	web.Handle(api, read, web.At("GET "+path, listCustomers), s.list)
	web.Handle(api, read, web.At("GET "+path+"/search", searchCustomers), s.search)
	web.Handle(api, write, web.At("POST "+path, createCustomer), s.create)
	web.Handle(api, read, web.At("GET "+onePath, getCustomer), s.get)
	web.Handle(api, write, web.At("PUT "+onePath, updateCustomer), s.update)
	web.Handle(api, write, web.At("PATCH "+onePath, patchCustomer), s.patch)
	web.Handle(api, web.Needs(principal.CustomersDelete).RecentSignIn(), web.At("DELETE "+onePath, deleteCustomer), s.delete)
	web.Handle(api, write, web.At("DELETE "+onePath+"/credentials", endCredentials), s.endCredentials)
	web.Handle(api, read, web.At("GET "+entitlementsPath, listEntitlements), s.listEntitlements)
	web.Handle(api, write, web.At("POST "+entitlementsPath, createEntitlement), s.createEntitlement)
	web.Handle(api, read, web.At("GET "+oneEntitlementPath, getEntitlement), s.getEntitlement)
	web.Handle(api, write, web.At("PUT "+oneEntitlementPath, updateEntitlement), s.updateEntitlement)
	web.Handle(api, write, web.At("DELETE "+oneEntitlementPath, deleteEntitlement), s.deleteEntitlement)
	web.Handle(api, read, web.At("GET "+policiesPath, listTrustPolicies), s.listTrustPolicies)
	web.Handle(api, write, web.At("POST "+policiesPath, createTrustPolicy), s.createTrustPolicy)
	web.Handle(api, read, web.At("GET "+onePolicyPath, getTrustPolicy), s.getTrustPolicy)
	web.Handle(api, write, web.At("PUT "+onePolicyPath, updateTrustPolicy), s.updateTrustPolicy)
	web.Handle(api, write, web.At("DELETE "+onePolicyPath, deleteTrustPolicy), s.deleteTrustPolicy)
	return api
}

const (
	path, onePath                        = "/v1/customers", "/v1/customers/{customerId}"
	entitlementsPath, oneEntitlementPath = onePath + "/entitlements", onePath + "/entitlements/{entitlementId}"
	policiesPath, onePolicyPath          = onePath + "/trust-policies", onePath + "/trust-policies/{policyId}"
)

var tags, entitlementTags, policyTags = []string{"Customers"}, []string{"Entitlements"}, []string{"Trust policies"}
