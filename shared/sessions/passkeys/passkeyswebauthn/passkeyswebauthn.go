// Package passkeyswebauthn reads and verifies the responses of authenticators with go-webauthn, which
// implements the steps of sections 7.1 and 7.2 of Web Authentication Level 3.
//
// It accepts two forms of attestation: none, and packed, which some authenticators send although none was
// requested. Attestations prove the model of an authenticator, which Portside does not ask for, so
// the code that parses the other forms never gets a stranger's bytes.
package passkeyswebauthn

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"portside/shared/sessions/passkeys"
)

// Algorithms returns the COSE algorithms that the service accepts, the preferred one first: ES256,
// EdDSA and RS256, which all authenticators together support.
func Algorithms() []int {
	return []int{int(webauthncose.AlgES256), int(webauthncose.AlgEdDSA), int(webauthncose.AlgRS256)}
}

// UserHandle returns how authenticators identify a user: the 16 bytes of the user's id, or nil if it is no UUID.
func UserHandle(userID string) []byte {
	id, err := uuid.Parse(userID)
	if err != nil {
		return nil
	}
	return id[:]
}

// Verifier implements passkeys.Verifier.
type Verifier struct{}

var _ passkeys.Verifier = Verifier{}

var (
	errTooLarge    = errors.New("passkeyswebauthn: the response is too large")
	errAttestation = errors.New("passkeyswebauthn: the form of the attestation is not accepted")
	errKeySize     = errors.New("passkeyswebauthn: the public key is too large")
)

// Attestation implements passkeys.Verifier.
func (Verifier) Attestation(response []byte) (passkeys.Attestation, error) {
	if len(response) > passkeys.MaxResponse {
		return nil, errTooLarge
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(response)
	if err != nil {
		return nil, fmt.Errorf("parse a registration: %w", err)
	}
	return attestation{parsed}, nil
}

type attestation struct {
	*protocol.ParsedCredentialCreationData
}

// Challenge implements passkeys.Attestation.
func (a attestation) Challenge() []byte { return decoded(a.Response.CollectedClientData.Challenge) }

// Verify implements passkeys.Attestation.
func (a attestation) Verify(site passkeys.Site, userID string) (passkeys.Key, error) {
	key, err := a.verify(site, userID)
	if err != nil {
		return passkeys.Key{}, fmt.Errorf("%w: %w", passkeys.ErrRefused, err)
	}
	return key, nil
}

func (a attestation) verify(site passkeys.Site, userID string) (passkeys.Key, error) {
	switch protocol.AttestationFormat(a.Response.AttestationObject.Format) {
	case protocol.AttestationFormatNone, protocol.AttestationFormatPacked:
	default:
		return passkeys.Key{}, errAttestation
	}
	party, err := relyingParty(site)
	if err != nil {
		return passkeys.Key{}, err
	}
	user := user{handle: UserHandle(userID)}
	session := ceremony(site, a.Response.CollectedClientData.Challenge)
	session.UserID = user.handle
	for _, algorithm := range Algorithms() {
		session.CredParams = append(session.CredParams, protocol.CredentialParameter{
			Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.COSEAlgorithmIdentifier(algorithm),
		})
	}
	made, err := party.CreateCredential(user, session, a.ParsedCredentialCreationData)
	if err != nil {
		return passkeys.Key{}, fmt.Errorf("verify a registration: %w", err)
	}
	if len(made.PublicKey) > passkeys.MaxKey { // the library limits the credential ID
		return passkeys.Key{}, errKeySize
	}
	return keyOf(made), nil
}

// Assertion implements passkeys.Verifier.
func (Verifier) Assertion(response []byte) (passkeys.Assertion, error) {
	if len(response) > passkeys.MaxResponse {
		return nil, errTooLarge
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(response)
	if err != nil {
		return nil, fmt.Errorf("parse a sign-in: %w", err)
	}
	return assertion{parsed}, nil
}

type assertion struct {
	*protocol.ParsedCredentialAssertionData
}

// Challenge implements passkeys.Assertion.
func (a assertion) Challenge() []byte { return decoded(a.Response.CollectedClientData.Challenge) }

// CredentialID implements passkeys.Assertion.
func (a assertion) CredentialID() []byte { return a.RawID }

// UserID implements passkeys.Assertion.
func (a assertion) UserID() string {
	id, err := uuid.FromBytes(a.Response.UserHandle)
	if err != nil {
		return ""
	}
	return id.String()
}

// Verify implements passkeys.Assertion.
func (a assertion) Verify(site passkeys.Site, userID string, key passkeys.Key) (passkeys.Key, error) {
	used, err := a.verify(site, userID, key)
	if err != nil {
		return passkeys.Key{}, fmt.Errorf("%w: %w", passkeys.ErrSignIn, err)
	}
	return used, nil
}

func (a assertion) verify(site passkeys.Site, userID string, key passkeys.Key) (passkeys.Key, error) {
	party, err := relyingParty(site)
	if err != nil {
		return passkeys.Key{}, err
	}
	owner := user{handle: UserHandle(userID), credentials: []webauthn.Credential{credentialOf(key)}}
	session := ceremony(site, a.Response.CollectedClientData.Challenge)
	find := func(_, _ []byte) (webauthn.User, error) { return owner, nil }
	_, used, err := party.ValidatePasskeyLogin(find, session, a.ParsedCredentialAssertionData)
	if err != nil {
		return passkeys.Key{}, fmt.Errorf("verify a sign-in: %w", err)
	}
	after := keyOf(used)
	// The library keeps the old counter if the new one is not greater; the domain decides on that.
	after.SignCount = a.Response.AuthenticatorData.Counter
	after.Transports = key.Transports
	return after, nil
}

// relyingParty returns the site in the library's form. It sets no deadline, so the library reads no
// clock; the domain's challenges expire.
func relyingParty(site passkeys.Site) (*webauthn.WebAuthn, error) {
	party, err := webauthn.New(&webauthn.Config{RPID: site.ID, RPDisplayName: passkeys.Name,
		RPOrigins: []string{site.Origin}})
	if err != nil {
		return nil, fmt.Errorf("the site %s: %w", site.ID, err)
	}
	return party, nil
}

// ceremony returns the values that the library compares a response with. It takes the challenge from the response,
// because the domain has checked it already: it was stored under its hash.
func ceremony(site passkeys.Site, challenge string) webauthn.SessionData {
	return webauthn.SessionData{
		Challenge: challenge, RelyingPartyID: site.ID, UserVerification: protocol.VerificationRequired,
	}
}

// user implements webauthn.User.
type user struct {
	handle      []byte
	credentials []webauthn.Credential
}

// WebAuthnID implements webauthn.User.
func (u user) WebAuthnID() []byte { return u.handle }

// WebAuthnName implements webauthn.User.
func (u user) WebAuthnName() string { return "" }

// WebAuthnDisplayName implements webauthn.User.
func (u user) WebAuthnDisplayName() string { return "" }

// WebAuthnCredentials implements webauthn.User.
func (u user) WebAuthnCredentials() []webauthn.Credential { return u.credentials }

func credentialOf(key passkeys.Key) webauthn.Credential {
	return webauthn.Credential{
		ID: key.CredentialID, PublicKey: key.Public,
		Flags:         webauthn.CredentialFlags{BackupEligible: key.Synced, BackupState: key.BackedUp},
		Authenticator: webauthn.Authenticator{SignCount: key.SignCount},
	}
}

func keyOf(c *webauthn.Credential) passkeys.Key {
	key := passkeys.Key{
		CredentialID: c.ID, Public: c.PublicKey, SignCount: c.Authenticator.SignCount,
		Synced: c.Flags.BackupEligible, BackedUp: c.Flags.BackupState,
	}
	for _, t := range c.Transport {
		if isTransport(t) && !slices.Contains(key.Transports, string(t)) {
			key.Transports = append(key.Transports, string(t))
		}
	}
	return key
}

// isTransport reports whether the specification has this transport. The list comes from a stranger
// and goes back to browsers.
func isTransport(t protocol.AuthenticatorTransport) bool {
	switch t {
	case protocol.USB, protocol.NFC, protocol.BLE, protocol.SmartCard, protocol.Hybrid, protocol.Internal:
		return true
	default:
		return false
	}
}

// decoded returns the bytes of a challenge, or nil if it is not in base64url.
func decoded(challenge string) []byte {
	value, err := base64.RawURLEncoding.DecodeString(challenge)
	if err != nil {
		return nil
	}
	return value
}
