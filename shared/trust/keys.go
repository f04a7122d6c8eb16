package trust

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

const (
	maxKeys    = 100  // of a set
	minRSABits = 2048 // RFC 7518, section 3.3
	maxRSABits = 8192 // the time of a verification grows with the square
)

// Key is a public key with which an issuer signs.
type Key struct {
	ID        string // kid; empty if the set has none
	Algorithm string // with which alone the key may be used; empty if the set does not say it
	Public    crypto.PublicKey
}

// The errors of ParseKeys.
var (
	errKeys    = errors.New("is not a JSON Web Key Set (RFC 7517)")
	errNoKeys  = errors.New("has no usable signing key: RSA of 2,048 to 8,192 bits, P-256, P-384, P-521 or Ed25519")
	errTooMany = fmt.Errorf("has more than %d keys", maxKeys)
	errSecret  = errors.New("has a private or symmetric key; remove it, and replace it wherever it is used")
)

// jwk is a JSON Web Key (RFC 7517, RFC 7518, RFC 8037).
type jwk struct {
	Type      string `json:"kty"`
	Use       string `json:"use"`
	ID        string `json:"kid"`
	Algorithm string `json:"alg"`
	Curve     string `json:"crv"`
	N         string `json:"n"`
	E         string `json:"e"`
	X         string `json:"x"`
	Y         string `json:"y"`
}

// ParseKeys returns the public keys for signatures of a JSON Web Key Set. It skips keys of other kinds, as RFC 7517
// says, but refuses a set that gives away a secret.
func ParseKeys(text []byte) ([]Key, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, errKeys
	}
	if len(set.Keys) > maxKeys {
		return nil, errTooMany
	}
	var keys []Key
	for _, raw := range set.Keys {
		var key jwk
		err := json.Unmarshal(raw, &key)
		if key.Type == "oct" || hasSecret(raw) {
			return nil, errSecret
		}
		if err != nil {
			continue
		}
		if public := key.public(); public != nil && (key.Use == "" || key.Use == "sig") {
			keys = append(keys, Key{ID: key.ID, Algorithm: key.Algorithm, Public: public})
		}
	}
	if len(keys) == 0 {
		return nil, errNoKeys
	}
	return keys, nil
}

// secrets are the members of a private or symmetric key (RFC 7518, section 6).
var secrets = []string{"d", "k", "p", "q", "dp", "dq", "qi", "oth"}

// hasSecret reports whether a key has a secret member, also if other members have wrong types and the key is skipped.
func hasSecret(key json.RawMessage) bool {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(key, &members) //nolint:errchkjson // something else than an object has no members
	for name := range members {
		if slices.Contains(secrets, strings.ToLower(name)) {
			return true
		}
	}
	return false
}

// public returns the key, or nil if it is of an unknown kind, weak or malformed.
func (k jwk) public() crypto.PublicKey {
	switch k.Type {
	case "RSA":
		return k.rsa()
	case "EC":
		return k.ec()
	case "OKP":
		if x := decode(k.X); k.Curve == "Ed25519" && len(x) == ed25519.PublicKeySize {
			return ed25519.PublicKey(x)
		}
	}
	return nil
}

func (k jwk) rsa() crypto.PublicKey {
	n, e := new(big.Int).SetBytes(decode(k.N)), new(big.Int).SetBytes(decode(k.E))
	const maxExponent = 1<<31 - 1
	isWeak := n.BitLen() < minRSABits || n.BitLen() > maxRSABits || n.Bit(0) == 0 || e.Bit(0) == 0
	if isWeak || !e.IsInt64() || e.Int64() < 3 || e.Int64() > maxExponent {
		return nil
	}
	return &rsa.PublicKey{N: n, E: int(e.Int64())}
}

func (k jwk) ec() crypto.PublicKey {
	curve := map[string]elliptic.Curve{"P-256": elliptic.P256(), "P-384": elliptic.P384(),
		"P-521": elliptic.P521()}[k.Curve]
	if curve == nil {
		return nil
	}
	const uncompressed = 4
	point := append([]byte{uncompressed}, decode(k.X)...)
	key, err := ecdsa.ParseUncompressedPublicKey(curve, append(point, decode(k.Y)...)) // checks that the point is on the curve
	if err != nil || len(decode(k.X)) != len(decode(k.Y)) {
		return nil
	}
	return key
}

// decode returns the bytes of a value, or none if it is malformed.
func decode(text string) []byte {
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil
	}
	return data
}
