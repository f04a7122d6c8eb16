package trust_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"fmt"
	"strings"
	"testing"

	"portside/shared/trust"
	"portside/testclient/workloadtest"
)

func TestParseKeys(t *testing.T) {
	keys, err := trust.ParseKeys([]byte(workloadtest.KeySet(
		workloadtest.NewKey("r", "RS256"), workloadtest.NewKey("e", "ES256"), workloadtest.NewKey("", "EdDSA"),
	)))
	if err != nil || len(keys) != 3 {
		t.Fatal(keys, err)
	}
	_, isRSA := keys[0].Public.(*rsa.PublicKey)
	_, isEC := keys[1].Public.(*ecdsa.PublicKey)
	_, isEd := keys[2].Public.(ed25519.PublicKey)
	if !isRSA || !isEC || !isEd || keys[0].ID != "r" || keys[1].Algorithm != "ES256" || keys[2].ID != "" {
		t.Errorf("parsed %+v", keys)
	}
}

// TestParseKeysSkipsOtherKeys puts each odd key beside a good one, and alone.
func TestParseKeysSkipsOtherKeys(t *testing.T) {
	good := strings.TrimSuffix(strings.TrimPrefix(workloadtest.KeySet(workloadtest.NewKey("1", "ES256")),
		`{"keys":[`), `]}`)
	for name, odd := range map[string]string{
		"unknown kind": `{"kty":"AKP"}`, "unknown curve": `{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}`,
		"encryption":   strings.Replace(good, `"sig"`, `"enc"`, 1),
		"short RSA":    `{"kty":"RSA","n":"` + strings.Repeat("_", 171) + `","e":"AQAB"}`,
		"even RSA":     `{"kty":"RSA","n":"` + strings.Repeat("_", 340) + `__8A","e":"AQAB"}`,
		"exponent 1":   `{"kty":"RSA","n":"` + strings.Repeat("_", 342) + `","e":"AQ"}`,
		"huge RSA":     `{"kty":"RSA","n":"` + strings.Repeat("_", 4000) + `","e":"AQAB"}`,
		"not a curve":  `{"kty":"EC","crv":"P-256","x":"` + strings.Repeat("A", 43) + `","y":"` + strings.Repeat("A", 43) + `"}`,
		"moved border": `{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}`,
		"short Ed":     `{"kty":"OKP","crv":"Ed25519","x":"AA"}`, "X25519": `{"kty":"OKP","crv":"X25519","x":"` + strings.Repeat("A", 43) + `"}`,
		"padding": `{"kty":"OKP","crv":"Ed25519","x":"` + strings.Repeat("A", 43) + `="}`, "no object": `7`, "number": `{"kty":7}`,
	} {
		if keys, err := trust.ParseKeys([]byte(`{"keys":[` + odd + `,` + good + `]}`)); err != nil || len(keys) != 1 ||
			keys[0].ID != "1" {
			t.Errorf("%s: %+v, %v", name, keys, err)
		}
		if keys, err := trust.ParseKeys([]byte(`{"keys":[` + odd + `]}`)); err == nil {
			t.Errorf("%s alone: %+v", name, keys)
		}
	}
	for name, secret := range map[string]string{
		"symmetric": `{"kty":"oct","k":"c2VjcmV0"}`, "without a value": `{"kty":"oct"}`,
		"private":                   strings.Replace(good, `{`, `{"d":"AA",`, 1),
		"prime":                     strings.Replace(good, `{`, `{"P":"AA",`, 1),
		"private with a wrong type": strings.Replace(good, `{`, `{"use":["sig"],"d":"AA",`, 1),
	} {
		_, err := trust.ParseKeys([]byte(`{"keys":[` + good + `,` + secret + `]}`))
		if err == nil || !strings.Contains(err.Error(), "replace it") {
			t.Errorf("%s: %v", name, err)
		}
	}
	many := strings.Repeat(good+",", 100) + good
	for _, text := range []string{"", "[]", "{}", "null", `{"keys":{}}`, `{"keys":[` + many + `]}`} {
		if _, err := trust.ParseKeys([]byte(text)); err == nil {
			t.Errorf("accepted %.20s", text)
		}
	}
}

func FuzzParseKeys(f *testing.F) {
	f.Add(workloadtest.KeySet(workloadtest.NewKey("1", "RS256"), workloadtest.NewKey("2", "ES256"),
		workloadtest.NewKey("3", "EdDSA")))
	f.Add(`{"keys":[{"kty":"RSA","n":"","e":""},{"kty":"EC","crv":"P-521","x":"","y":""}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		keys, err := trust.ParseKeys([]byte(text))
		if (err == nil) != (len(keys) > 0) {
			t.Errorf("%d keys, %v", len(keys), err)
		}
		for _, key := range keys {
			if key.Public == nil || strings.Contains(fmt.Sprintf("%T", key.Public), "rivate") {
				t.Errorf("key %+v", key)
			}
		}
	})
}
