package principal

// Reaches reports whether what belongs to a user of the customer exists for the caller. To the vendor's staff, everything exists. To a user
// of a customer, only what belongs to the same customer exists, whatever the role. The ID is empty for what belongs to the staff.
func (p Principal) Reaches(customerID string) bool {
	return p.CustomerID == "" || p.CustomerID == customerID
}

// CanFor reports whether the caller holds the permission for what belongs to a user of the customer.
func (p Principal) CanFor(permission Permission, customerID string) bool {
	return p.Can(permission) && p.Reaches(customerID)
}

// CanForAll reports whether the caller holds the permission for what belongs to anybody.
func (p Principal) CanForAll(permission Permission) bool {
	return p.Can(permission) && p.CustomerID == ""
}
