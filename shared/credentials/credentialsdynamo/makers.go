package credentialsdynamo

import (
	"strings"

	"portside/shared/core/principal"
)

// FormatMakers returns the stored form of a chain of makers: one text per maker, which is much smaller than a map.
func FormatMakers(makers []principal.Maker) []string {
	var all []string
	for _, m := range makers {
		all = append(all, m.UserID+"/"+m.CredentialID)
	}
	return all
}

// ParseMakers is the inverse of FormatMakers.
func ParseMakers(all []string) []principal.Maker {
	var makers []principal.Maker
	for _, text := range all {
		userID, credentialID, _ := strings.Cut(text, "/")
		makers = append(makers, principal.Maker{UserID: userID, CredentialID: credentialID})
	}
	return makers
}
