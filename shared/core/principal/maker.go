package principal

import "slices"

// Maker is one step in the origin of a credential: a user, and the credential with which that user acted.
type Maker struct {
	UserID       string
	CredentialID string // public id
}

// Hand returns who makes what the caller makes now: the caller first, then the makers of the caller's credential. It is
// empty for the operator's command, which has no credential and no user.
func (p Principal) Hand() []Maker {
	if p.UserID == operatorID {
		return nil
	}
	return append([]Maker{{UserID: p.UserID, CredentialID: p.CredentialID}}, p.Makers...)
}

// Share reports whether any user is in both chains of makers. Rules that need two different people refuse a shared
// user, because a person who made a credential may still have its secret.
func Share(a, b []Maker) bool {
	return slices.ContainsFunc(a, func(m Maker) bool { return MadeBy(b, m.UserID) })
}

// MadeBy reports whether the user is in a chain of makers.
func MadeBy(makers []Maker, userID string) bool { return slices.Contains(UsersOf(makers), userID) }

// UsersOf returns the distinct users in a chain of makers, sorted.
func UsersOf(makers []Maker) []string {
	users := make([]string, len(makers))
	for i, m := range makers {
		users[i] = m.UserID
	}
	slices.Sort(users)
	return slices.Compact(users)
}
