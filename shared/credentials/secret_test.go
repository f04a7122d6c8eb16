package credentials_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"portside/shared/credentials"
)

// published is the expression that docs/security.md gives to secret scanners.
var published = regexp.MustCompile(`^ps[ktpl]_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}$`)

var kinds = []credentials.Kind{credentials.APIKey, credentials.AccessToken, credentials.Password, credentials.Link}

//proves:docs/security.md
func TestMintFollowsThePublishedForm(t *testing.T) {
	for _, kind := range kinds {
		seen := map[string]bool{}
		for range 1000 {
			secret := credentials.Mint(kind)
			if !published.MatchString(secret.Reveal()) {
				t.Fatalf("%s does not match the published form", secret)
			}
			if seen[secret.ID()] {
				t.Fatalf("the id %s was created twice", secret.ID())
			}
			seen[secret.ID()] = true
			parsed, err := credentials.Parse(secret.Reveal())
			if err != nil || parsed != secret || parsed.Kind() != kind || !parsed.Matches(secret.Hash()) {
				t.Fatalf("Parse of the revealed %s: %v", secret, err)
			}
		}
	}
}

// TestParseRejectsEveryChangedCharacter relies on the checksum: a CRC-32 detects every change of
// one character.
//
//proves:docs/security.md
func TestParseRejectsEveryChangedCharacter(t *testing.T) {
	text := credentials.Mint(credentials.APIKey).Reveal()
	for i := range len(text) {
		for _, c := range "0Zz_-\x00é" {
			changed := text[:i] + string(c) + text[i+1:]
			if _, err := credentials.Parse(changed); err == nil && changed != text {
				t.Errorf("Parse accepted a change at %d to %q", i, c)
			}
		}
	}
}

func TestParseIgnoresLineEndsAtTheEnd(t *testing.T) {
	secret := credentials.Mint(credentials.AccessToken)
	for end, works := range map[string]bool{"\n": true, "\r\n": true, "\n\n": true, " ": false, "\n0": false, "\x00": false} {
		got, err := credentials.Parse(secret.Reveal() + end)
		if works != (err == nil) || works && (got.Reveal() != secret.Reveal() || !got.Matches(secret.Hash())) {
			t.Errorf("%q: %v, %v", end, got, err)
		}
	}
}

//proves:docs/security.md
func TestSecretsDoNotPrint(t *testing.T) {
	secret := credentials.Mint(credentials.APIKey)
	hidden := secret.Reveal()[17:]
	inJSON, err := json.Marshal(map[string]any{"key": secret})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("made", "key", secret, "in", struct{ Key credentials.Secret }{secret})
	for _, text := range []string{
		secret.String(), fmt.Sprintf("%s %v %+v %#v %q", secret, secret, secret, secret, secret),
		fmt.Sprintf("%+v", struct{ Key credentials.Secret }{secret}), string(inJSON), log.String(),
	} {
		if strings.Contains(text, hidden) {
			t.Errorf("the secret appears in %s", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, kind := range kinds {
		f.Add(credentials.Mint(kind).Reveal())
	}
	f.Add("")
	f.Add("psk_000000000000_000000000000000000000000000000000000")
	f.Fuzz(func(t *testing.T, text string) {
		secret, err := credentials.Parse(text)
		if err != nil {
			return
		}
		if secret.Reveal() != text || !published.MatchString(text) {
			t.Errorf("accepted %q", text)
		}
	})
}

func BenchmarkParseMalformedText(b *testing.B) {
	for _, garbage := range []string{"", strings.Repeat("x", 53), "psk_000000000000_000000000000000000000000000000000000"} {
		b.Run(fmt.Sprint(len(garbage)), func(b *testing.B) {
			for b.Loop() {
				if _, err := credentials.Parse(garbage); err == nil {
					b.Fatal("accepted")
				}
			}
		})
	}
}
