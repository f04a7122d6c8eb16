package text

import (
	"regexp"
	"strings"
	"sync"
)

// credentialHead matches a credential up to its secret part: kind_id_, such as psk_0123456789ab_, in any case. A URL
// may contain an underscore as %5F, or as %255F if it was encoded twice.
// It is compiled on its first use, because all functions have this package.
var credentialHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)ps[a-z](?:_|%(?:25)*5f)[0-9a-z]{12}(?:_|%(?:25)*5f)`)
})

// secretCharacters also has those of an encoded or doubled underscore, behind which the secret of an overlapping
// credential could follow.
const secretCharacters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_%"

// MaskSecrets replaces the secret part of credentials in a text by an ellipsis, and keeps their kind and public ID. A
// person can type a credential anywhere, for example into a path, from where it would reach a log. Parts of an
// incompletely copied credential count, too.
//
// The local stack's gateway has the same rules (local/gateway/record.go).
func MaskSecrets(text string) string {
	if !strings.ContainsAny(text, "_%") { // most texts; this is much faster
		return text
	}
	var masked strings.Builder
	for {
		head := credentialHead().FindStringIndex(text)
		if head == nil {
			return masked.String() + text
		}
		masked.WriteString(text[:head[1]])
		text = text[head[1]:]
		secret := text
		if next := credentialHead().FindStringIndex(text); next != nil {
			secret = text[:next[0]]
		}
		rest := strings.TrimLeft(secret, secretCharacters)
		if rest != secret {
			masked.WriteString("…")
		}
		text = text[len(secret)-len(rest):]
	}
}
