package principal

// Person is a user as other domains see one: the recipient of a mail, or the owner of a new
// credential.
type Person struct {
	ID      string
	Email   string
	Name    string
	Role    Role
	Active  bool  // whether the person's credentials are accepted, unless the customer is suspended
	Version int64 // of the user that was read; 0 if it was read from a list

	CustomerID        string // the person's customer; empty for the vendor's staff
	CustomerSuspended bool   // only of a person that was read alone, not of those in lists; see MayAct
	Generation        int64  // of new credentials of a person that was read alone; see credentials.Credential
}

// MayAct reports whether the credentials of a person that was read alone are accepted: the person is active, and the
// customer is not suspended.
func (p Person) MayAct() bool { return p.Active && !p.CustomerSuspended }
