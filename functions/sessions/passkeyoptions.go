package main

import (
	"encoding/base64"

	"portside/shared/sessions/passkeys"
	"portside/shared/sessions/passkeys/passkeyswebauthn"
)

const (
	publicKey = "public-key"
	required  = "required"
)

// creationOptions are PublicKeyCredentialCreationOptionsJSON of Web Authentication Level 3, section 5.1.8.
type creationOptions struct {
	RP          relyingParty          `json:"rp" doc:"The site to which the passkey will belong."`
	User        passkeyUser           `json:"user"`
	Challenge   string                `json:"challenge" doc:"Random bytes in base64url, which work once, for 5 minutes." example:"p5aV2uHXr0AOqUk7HQitvi-Ny1p5aV2uHXr0AOqUk7E"`
	Parameters  []passkeyParameter    `json:"pubKeyCredParams" doc:"Accepted kinds of keys, the preferred one first."`
	Timeout     int                   `json:"timeout" doc:"Milliseconds in which the authenticator must answer." example:"300000"`
	Excluded    []passkeyDescriptor   `json:"excludeCredentials" doc:"Your passkeys, which an authenticator does not create again."`
	Selection   authenticatorCriteria `json:"authenticatorSelection"`
	Attestation string                `json:"attestation" enum:"none" doc:"Portside does not ask for the model of an authenticator."`
}

type relyingParty struct {
	ID   string `json:"id" doc:"Host name of the site." example:"portal.example.com"`
	Name string `json:"name" example:"Portside"`
}

type passkeyUser struct {
	ID          string `json:"id" doc:"How authenticators identify you, in base64url." example:"AZOfboqOfVyjwV9sCnsuEQ"`
	Name        string `json:"name" doc:"Your email address." example:"ada@example.com"`
	DisplayName string `json:"displayName" example:"Ada Lovelace"`
}

type passkeyParameter struct {
	Type      string `json:"type" enum:"public-key"`
	Algorithm int    `json:"alg" doc:"A COSE algorithm." example:"-7"`
}

type passkeyDescriptor struct {
	Type       string   `json:"type" enum:"public-key"`
	ID         string   `json:"id" doc:"In base64url." example:"AZOfboqOfVyjwV9sCnsuEQ"`
	Transports []string `json:"transports" doc:"How browsers reach the authenticator." example:"[\"internal\"]"`
}

type authenticatorCriteria struct {
	ResidentKey        string `json:"residentKey" enum:"required"`
	RequireResidentKey bool   `json:"requireResidentKey" doc:"Same meaning as residentKey, for older browsers."`
	UserVerification   string `json:"userVerification" enum:"required"`
}

func encodeCreationOptions(o passkeys.CreationOptions) creationOptions {
	options := creationOptions{
		RP: relyingParty{ID: o.Site.ID, Name: passkeys.Name},
		User: passkeyUser{
			ID: base64URL(passkeyswebauthn.UserHandle(o.Person.ID)), Name: o.Person.Email, DisplayName: o.Person.Name,
		},
		Challenge: base64URL(o.Challenge), Timeout: ceremonyTimeout(), Attestation: "none",
		Excluded: make([]passkeyDescriptor, len(o.Existing)),
		Selection: authenticatorCriteria{
			ResidentKey: required, RequireResidentKey: true, UserVerification: required,
		},
	}
	for _, algorithm := range passkeyswebauthn.Algorithms() {
		options.Parameters = append(options.Parameters, passkeyParameter{Type: publicKey, Algorithm: algorithm})
	}
	for i, p := range o.Existing {
		options.Excluded[i] = passkeyDescriptor{
			Type: publicKey, ID: base64URL(p.CredentialID), Transports: append([]string{}, p.Transports...),
		}
	}
	return options
}

// requestOptions are PublicKeyCredentialRequestOptionsJSON of Web Authentication Level 3, section 5.1.9.
// They name no passkeys, so the authenticator offers those that it has for the site.
type requestOptions struct {
	Challenge        string `json:"challenge" doc:"Random bytes in base64url, which work once, for 5 minutes." example:"p5aV2uHXr0AOqUk7HQitvi-Ny1p5aV2uHXr0AOqUk7E"`
	RPID             string `json:"rpId" doc:"Host name of the site." example:"portal.example.com"`
	Timeout          int    `json:"timeout" doc:"Milliseconds in which the authenticator must answer." example:"300000"`
	UserVerification string `json:"userVerification" enum:"required"`
}

func ceremonyTimeout() int { return int(passkeys.ChallengeLifetime.Milliseconds()) }

func base64URL(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }
