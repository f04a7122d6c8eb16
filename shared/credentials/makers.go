package credentials

import (
	"fmt"
	"slices"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

// MaxMakers is the longest chain of makers of an API key or a token. It keeps a record small, and the work of ending
// everything that a leaked key has made. A token that renews itself does not lengthen its chain.
const MaxMakers = 8

// ErrTooManyMakers means that the new credential would have more than MaxMakers.
var ErrTooManyMakers = fault.NewFinal(fault.Conflict, fmt.Sprintf("The credential that you use is the last of %d credentials that were "+
	"created with one another, which is the maximum. Sign in, or use the key with which these were created.", MaxMakers+1))

// MadeBy returns the makers of a new credential that the caller creates. A token that creates its successor has no hand
// in it: both have the makers of the first token. Errors: ErrTooManyMakers.
func MadeBy(caller principal.Principal) ([]principal.Maker, error) {
	if caller.Scoped() {
		return caller.Makers, nil
	}
	makers := caller.Hand()
	if len(makers) > MaxMakers {
		return nil, ErrTooManyMakers
	}
	return makers, nil
}

// IsMadeWith reports whether the credential with the id is among the makers.
func (c Credential) IsMadeWith(id string) bool {
	return slices.ContainsFunc(c.Makers, func(m principal.Maker) bool { return m.CredentialID == id })
}

// RenewedFrom returns the ids of the tokens that were renewed from the one with the id, directly or in several steps.
// all are the tokens of its owner.
func RenewedFrom(id string, all []Credential) map[string]bool {
	successors := map[string][]string{}
	for _, c := range all {
		if c.RotatedFrom != "" {
			successors[c.RotatedFrom] = append(successors[c.RotatedFrom], c.ID)
		}
	}
	renewed := map[string]bool{}
	for open := []string{id}; len(open) > 0; open = open[1:] {
		for _, next := range successors[open[0]] {
			if !renewed[next] {
				renewed[next] = true
				open = append(open, next)
			}
		}
	}
	return renewed
}

// FirstOfLine returns the id of the first token of a line of renewals. If the owner's tokens do not include it any
// more, it returns the id from which the oldest one was renewed.
func FirstOfLine(id string, all []Credential) string {
	from := make(map[string]string, len(all))
	for _, c := range all {
		from[c.ID] = c.RotatedFrom
	}
	for range all {
		if from[id] == "" {
			break
		}
		id = from[id]
	}
	return id
}
