package passkeys

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"sync"
	"time"

	"portside/shared/core/versions"
)

// The parts of the challenge of a sign-in, in this order.
const (
	keyIDLength  = 8
	expiryLength = 8 // Unix milliseconds
	bodyLength   = keyIDLength + expiryLength + 16
	signedLength = bodyLength + ed25519.SignatureSize
)

const (
	// keyLifetime is how long a process signs with the same key. Most processes end sooner, so it only limits the use
	// of a stolen key.
	keyLifetime = time.Hour
	// maxKeys is how many keys of other processes a process remembers.
	maxKeys = 1_000
)

// SigningKey is the public half of the key with which a process signs challenges.
type SigningKey struct {
	ID        []byte // random
	Public    ed25519.PublicKey
	ExpiresAt time.Time // after the last challenge that it signs
}

// signer creates and checks the challenges of sign-ins. Anyone may ask for a challenge, so it must cost nothing: it is
// not stored, but contains its expiry and a signature. A limit on challenges would let a stranger keep the neighbors
// from signing in. The private key never leaves the memory of its process. Other processes read the public key.
type signer struct {
	challenges Challenges

	mu      sync.Mutex
	own     SigningKey // zero until the first challenge
	private ed25519.PrivateKey
	known   map[string]SigningKey // by ID
}

// challenge returns a challenge that is valid for ChallengeLifetime. It calls the store only to publish a new key.
func (s *signer) challenge(ctx context.Context, now time.Time) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if expires := now.Add(ChallengeLifetime); s.private == nil || expires.After(s.own.ExpiresAt) {
		if err := s.renew(ctx, now); err != nil {
			return nil, err
		}
	}
	value := bytes.Clone(s.own.ID)
	value = binary.BigEndian.AppendUint64(value, uint64(now.Add(ChallengeLifetime).UnixMilli()))
	value = append(value, random(bodyLength-len(value))...)
	return append(value, ed25519.Sign(s.private, signedText(value))...), nil
}

// renew replaces the key of this process.
func (s *signer) renew(ctx context.Context, now time.Time) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err //nolint:wrapcheck // never happens: the program ends if the system has no random source
	}
	own := SigningKey{ID: random(keyIDLength), Public: public,
		ExpiresAt: versions.StoredTime(now.Add(keyLifetime + ChallengeLifetime))}
	if err := s.challenges.PublishKey(ctx, own); err != nil {
		return err
	}
	s.own, s.private = own, private
	s.remember(own)
	return nil
}

func (s *signer) remember(key SigningKey) {
	if s.known == nil || len(s.known) >= maxKeys {
		s.known = map[string]SigningKey{}
	}
	s.known[string(key.ID)] = key
}

// check returns the expiry of a challenge. It takes one read if this process does not know the key. Errors: ErrExpired
// if the challenge has expired or was not made by this service.
func (s *signer) check(ctx context.Context, value []byte, now time.Time) (expires time.Time, err error) {
	if len(value) != signedLength {
		return time.Time{}, ErrExpired
	}
	expires = time.UnixMilli(int64(binary.BigEndian.Uint64(value[keyIDLength:]))) //nolint:gosec // compared with now
	if !now.Before(expires) || expires.After(now.Add(ChallengeLifetime)) {
		return time.Time{}, ErrExpired
	}
	key, err := s.key(ctx, value[:keyIDLength], now)
	if err != nil {
		return time.Time{}, err
	}
	if !ed25519.Verify(key.Public, signedText(value[:bodyLength]), value[bodyLength:]) {
		return time.Time{}, ErrExpired
	}
	return expires, nil
}

// key returns the key with an ID that has not expired.
func (s *signer) key(ctx context.Context, id []byte, now time.Time) (SigningKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, isKnown := s.known[string(id)]
	if !isKnown {
		var err error
		if key, err = s.challenges.SigningKey(ctx, id); err != nil {
			return SigningKey{}, err
		}
		s.remember(key)
	}
	if !now.Before(key.ExpiresAt) {
		return SigningKey{}, ErrExpired
	}
	return key, nil
}

// signedText returns the bytes to sign. They begin with the purpose, so that a signature has no other use.
func signedText(body []byte) []byte { return append([]byte(SignIn+"\x00"), body...) }

func random(length int) []byte {
	value := make([]byte, length)
	_, _ = rand.Read(value) // never fails: it ends the program if the system has no random source
	return value
}
