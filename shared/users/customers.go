package users

import (
	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

// A user of a customer can create users only in this customer, and cannot move a user out of it.

// ErrOtherCustomer means that a caller of a customer has named another customer.
var ErrOtherCustomer = fault.Invalid(fault.Field{
	Pointer: "/customerId", Detail: "must be absent or the ID of your own customer; only the vendor's staff can name another one",
})

// inCustomerOf returns the input of a caller: a user that a customer's user creates belongs to the same customer.
// Errors: ErrOtherCustomer.
func (n NewUser) inCustomerOf(caller principal.Principal) (NewUser, error) {
	if n.CustomerID == "" {
		n.CustomerID = caller.CustomerID
	}
	if !caller.Reaches(n.CustomerID) {
		return NewUser{}, ErrOtherCustomer
	}
	return n, nil
}

// checkMove returns ErrOtherCustomer if a caller of a customer moves the user out of the customer.
func checkMove(caller principal.Principal, after User) error {
	if !caller.Reaches(after.CustomerID) {
		return ErrOtherCustomer
	}
	return nil
}

// checkReach returns ErrNotFound if the user does not exist for the caller.
func checkReach(caller principal.Principal, u User) error {
	if !caller.Reaches(u.CustomerID) {
		return ErrNotFound
	}
	return nil
}

// visibleTo returns what the caller gets for a user that was read.
func visibleTo(caller principal.Principal, user User, err error) (User, error) {
	if err == nil {
		err = checkReach(caller, user)
	}
	if err != nil {
		return User{}, err
	}
	return user, nil
}

// within limits the query to what exists for the caller. It returns false if nothing of it does.
func (q *Query) within(caller principal.Principal) bool {
	if q.CustomerID == "" {
		q.CustomerID = caller.CustomerID
	}
	return caller.Reaches(q.CustomerID)
}
