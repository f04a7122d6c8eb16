package idempotency_test

import (
	"bytes"
	"strings"
	"testing"

	"portside/shared/core/idempotency"
)

//proves:docs/security.md
func TestOnlyTheSameKeyOpensASealedSecret(t *testing.T) {
	const secret = "pst_3vQB7B6MrGQZ_secret"
	key := idempotency.NewKey("ada", "6f0c3b52-9d1e-4c57-8a3f-2b7e5d90c614", "input")
	sealed := key.Seal(secret)
	if bytes.Contains(sealed, []byte("secret")) || bytes.Equal(sealed, key.Seal(secret)) {
		t.Errorf("sealed as %x", sealed)
	}
	if opened, err := key.Open(sealed); err != nil || opened != secret {
		t.Errorf("opened %q, %v", opened, err)
	}
	for name, other := range map[string]*idempotency.Key{
		"caller": idempotency.NewKey("grace", key.Text, "input"),
		"text":   idempotency.NewKey("ada", strings.ToUpper(key.Text), "input"),
		"input":  idempotency.NewKey("ada", key.Text, "another input"),
	} {
		if opened, err := other.Open(sealed); err == nil {
			t.Errorf("a key with another %s opens %q", name, opened)
		}
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if _, err := key.Open(changed); err == nil {
			t.Errorf("a change of byte %d is not noticed", i)
		}
	}
	if _, err := key.Open(nil); err == nil {
		t.Error("an empty text opens")
	}
}

func TestHashHidesTheText(t *testing.T) {
	key := idempotency.Key{Text: "order 66"}
	if hash := key.Hash(); len(hash) != 64 || strings.Contains(hash, key.Text) ||
		hash == (idempotency.Key{Text: "order 67"}).Hash() {
		t.Errorf("hash %q", hash)
	}
}
