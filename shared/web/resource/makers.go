package resource

import "portside/shared/core/principal"

// Maker is one step in the origin of a credential, as responses show it.
type Maker struct {
	UserID       string `json:"userId" doc:"ID of the user who created it." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	CredentialID string `json:"credentialId" doc:"Public ID of the API key or session with which the user created it." example:"3vQB7B6MrGQZ"`
}

// EncodeMakers returns a chain of makers for a response, never nil.
func EncodeMakers(makers []principal.Maker) []Maker {
	encoded := make([]Maker, len(makers))
	for i, m := range makers {
		encoded[i] = Maker(m)
	}
	return encoded
}
