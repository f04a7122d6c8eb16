// Package passkeytest is an authenticator in software, for tests: it creates and uses passkeys as a
// browser with a platform authenticator does, with ECDSA over P-256 and the attestation "none". It
// shares no code with the library that verifies its responses. Its fields let tests deviate from the
// rules.
package passkeytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"testing"
)

// Flags of the authenticator data (section 6.1 of the specification).
const (
	UserPresent     byte = 1 << 0
	UserVerified    byte = 1 << 2
	BackupEligible  byte = 1 << 3
	BackedUp        byte = 1 << 4
	hasAttestedData byte = 1 << 6
)

// Authenticator has one passkey.
type Authenticator struct {
	Origin       string // of the page that it believes to be on
	SiteID       string // the relying party ID that it signs
	Flags        byte
	Counter      uint32 // of the next response
	CredentialID []byte
	UserHandle   []byte // set by Create
	Format       string // of the attestation

	key *ecdsa.PrivateKey
}

// New returns an Authenticator with a new key, which verifies its user and does not count.
func New(tb testing.TB, origin, siteID string) *Authenticator {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	id := make([]byte, 32)
	_, _ = rand.Read(id)
	return &Authenticator{
		Origin: origin, SiteID: siteID, Flags: UserPresent | UserVerified, CredentialID: id, Format: "none", key: key,
	}
}

// Create returns the response to creation options, as JSON.
func (a *Authenticator) Create(tb testing.TB, options json.RawMessage) json.RawMessage {
	tb.Helper()
	var wanted struct {
		Challenge string
		User      struct{ ID string }
	}
	decode(tb, options, &wanted)
	a.UserHandle = unbase64(tb, wanted.User.ID)
	return a.credential(tb, map[string]any{
		"clientDataJSON":    encode(a.clientData(tb, "webauthn.create", wanted.Challenge)),
		"attestationObject": encode(a.attestation()),
		"transports":        []string{"internal"},
	})
}

// Get returns the response to request options, as JSON.
func (a *Authenticator) Get(tb testing.TB, options json.RawMessage) json.RawMessage {
	tb.Helper()
	var wanted struct{ Challenge string }
	decode(tb, options, &wanted)
	clientData := a.clientData(tb, "webauthn.get", wanted.Challenge)
	data := a.data(a.Flags)
	signed := sha256.Sum256(append(slices.Clone(data), hash(clientData)...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, signed[:])
	if err != nil {
		tb.Fatal(err)
	}
	return a.credential(tb, map[string]any{
		"clientDataJSON": encode(clientData), "authenticatorData": encode(data),
		"signature": encode(signature), "userHandle": encode(a.UserHandle),
	})
}

func (a *Authenticator) credential(tb testing.TB, response map[string]any) json.RawMessage {
	tb.Helper()
	text, err := json.Marshal(map[string]any{
		"id": encode(a.CredentialID), "rawId": encode(a.CredentialID), "type": "public-key",
		"authenticatorAttachment": "platform", "clientExtensionResults": map[string]any{}, "response": response,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

func (a *Authenticator) clientData(tb testing.TB, kind, challenge string) []byte {
	tb.Helper()
	text, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": a.Origin,
		"crossOrigin": false})
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// data returns the authenticator data: the hash of the site, the flags and the counter.
func (a *Authenticator) data(flags byte) []byte {
	data := append(hash([]byte(a.SiteID)), flags)
	return binary.BigEndian.AppendUint32(data, a.Counter)
}

// attestation returns the CBOR map {"fmt": …, "attStmt": {}, "authData": …}.
func (a *Authenticator) attestation() []byte {
	data := a.data(a.Flags | hasAttestedData)
	data = append(data, make([]byte, 16)...) // the model of the authenticator: unknown
	data = binary.BigEndian.AppendUint16(data, uint16(len(a.CredentialID)))
	data = append(data, a.CredentialID...)
	data = append(data, a.publicKey()...)

	object := append([]byte{0xa3}, cborText("fmt")...)
	object = append(object, cborText(a.Format)...)
	object = append(object, cborText("attStmt")...)
	object = append(object, 0xa0)
	object = append(object, cborText("authData")...)
	object = append(object, 0x59)
	object = binary.BigEndian.AppendUint16(object, uint16(len(data)))
	return append(object, data...)
}

// publicKey returns the COSE map {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}.
func (a *Authenticator) publicKey() []byte {
	point, err := a.key.PublicKey.Bytes() // 0x04, x, y
	if err != nil {
		panic(err) // a P-256 key always has this form
	}
	key := []byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20}
	key = append(key, point[1:33]...)
	return append(append(key, 0x22, 0x58, 0x20), point[33:]...)
}

// cborText returns a CBOR string of up to 23 bytes.
func cborText(s string) []byte { return append([]byte{0x60 | byte(len(s))}, s...) }

func hash(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:]
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func unbase64(tb testing.TB, text string) []byte {
	tb.Helper()
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func decode(tb testing.TB, text []byte, v any) {
	tb.Helper()
	if err := json.Unmarshal(text, v); err != nil {
		tb.Fatal(err)
	}
}
