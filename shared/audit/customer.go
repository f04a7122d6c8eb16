package audit

import (
	"maps"
	"strconv"

	coreaudit "portside/shared/core/audit"
)

// forCustomer returns an event about what belongs to a customer, as its users see it. Of an actor outside the customer,
// only the kind remains: the vendor's people, the operator and the functions of the service have no ID, name,
// credential or address. Fields of the vendor are left out, and so is the ID of another customer, from or to which a
// user was moved.
func forCustomer(event coreaudit.Event, customerID string) coreaudit.Event {
	if event.Actor.CustomerID != customerID {
		event.Actor = coreaudit.Actor{Kind: event.Actor.Kind}
	}
	if isMove(event, customerID) {
		event.Before = coreaudit.Fields{}
	}
	event.Before, event.After = shownTo(customerID, event.Target.Kind, event.Before),
		shownTo(customerID, event.Target.Kind, event.After)
	return event
}

// isMove reports whether the event moved its target to the customer. The target's fields before that belong to another
// owner.
func isMove(event coreaudit.Event, customerID string) bool {
	mine := strconv.Quote(customerID)
	return string(event.After[customerField]) == mine && string(event.Before[customerField]) != mine
}

// vendorFields are the fields of targets that users of a customer do not see: data of the vendor, and IDs of its people
// and their credentials.
var vendorFields = map[coreaudit.Kind][]string{
	coreaudit.Customer:          {"externalId", "metadata"},
	coreaudit.Credential:        {"madeWith"},
	coreaudit.Session:           {"madeWith"},
	coreaudit.CredentialRequest: {"decidedBy"},
	coreaudit.Project:           {"settings", "metadata", "ownerId", "members"},
}

// customerField is the field of a target that names its customer.
const customerField = "customerId"

func shownTo(customerID string, kind coreaudit.Kind, fields coreaudit.Fields) coreaudit.Fields {
	shown := maps.Clone(fields)
	for _, name := range vendorFields[kind] {
		delete(shown, name)
	}
	if string(shown[customerField]) != strconv.Quote(customerID) {
		delete(shown, customerField)
	}
	return shown
}
