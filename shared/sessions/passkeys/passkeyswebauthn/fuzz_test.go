package passkeyswebauthn_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"portside/shared/sessions/passkeys"
	"portside/shared/sessions/passkeys/passkeyswebauthn"
	"portside/shared/testkit/passkeytest"
)

const userID = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"

var (
	site    = passkeys.Site{ID: "portal.example.com", Origin: "https://portal.example.com"}
	options = json.RawMessage(`{"challenge":"AAAAAAAAAAAAAAAAAAAAAA","user":{"id":"` +
		base64.RawURLEncoding.EncodeToString(passkeyswebauthn.UserHandle(userID)) + `"}}`)
)

// FuzzAttestation looks for responses that crash the reader, and for accepted keys that break the limits.
func FuzzAttestation(f *testing.F) {
	f.Add([]byte(passkeytest.New(f, site.Origin, site.ID).Create(f, options)))
	f.Add([]byte(`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30","attestationObject":"oA"}}`))
	f.Fuzz(func(t *testing.T, response []byte) {
		parsed, err := passkeyswebauthn.Verifier{}.Attestation(response)
		if err != nil {
			return
		}
		parsed.Challenge()
		key, err := parsed.Verify(site, userID)
		id := len(key.CredentialID)
		if err == nil && (id == 0 || id > 1023 || len(key.Public) > passkeys.MaxKey || len(key.Transports) > 6) {
			t.Errorf("accepted %d bytes of ID, %d bytes of key and %d transports", id, len(key.Public), len(key.Transports))
		}
	})
}

// FuzzAttestationObject is FuzzAttestation for the CBOR inside the response.
func FuzzAttestationObject(f *testing.F) {
	var valid struct {
		Response map[string]any `json:"response"`
		ID       string         `json:"id"`
	}
	if err := json.Unmarshal(passkeytest.New(f, site.Origin, site.ID).Create(f, options), &valid); err != nil {
		f.Fatal(err)
	}
	object, err := base64.RawURLEncoding.DecodeString(valid.Response["attestationObject"].(string))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(object)
	f.Fuzz(func(t *testing.T, object []byte) {
		valid.Response["attestationObject"] = base64.RawURLEncoding.EncodeToString(object)
		response, err := json.Marshal(map[string]any{"id": valid.ID, "rawId": valid.ID, "type": "public-key",
			"response": valid.Response})
		if err != nil {
			t.Fatal(err)
		}
		if parsed, err := (passkeyswebauthn.Verifier{}).Attestation(response); err == nil {
			_, _ = parsed.Verify(site, userID) // it must not panic
		}
	})
}

// FuzzAssertion looks for responses that crash the reader, and for accepted responses. A response must never be
// accepted, because the fuzzer does not have the key.
func FuzzAssertion(f *testing.F) {
	owner := passkeytest.New(f, site.Origin, site.ID)
	made, err := passkeyswebauthn.Verifier{}.Attestation(owner.Create(f, options))
	if err != nil {
		f.Fatal(err)
	}
	key, err := made.Verify(site, userID)
	if err != nil {
		f.Fatal(err)
	}
	thief := passkeytest.New(f, site.Origin, site.ID)
	thief.CredentialID, thief.UserHandle = owner.CredentialID, owner.UserHandle
	f.Add([]byte(thief.Get(f, options)))
	f.Fuzz(func(t *testing.T, response []byte) {
		parsed, err := passkeyswebauthn.Verifier{}.Assertion(response)
		if err != nil {
			return
		}
		parsed.Challenge()
		parsed.UserID()
		if _, err := parsed.Verify(site, userID, key); err == nil {
			t.Error("accepted a response that the key did not sign")
		}
	})
}
