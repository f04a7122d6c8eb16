package text

import "strings"

// MaskSecrets replaces the secret part of credentials in a text by an ellipsis, and keeps their kind and public ID. A person can type a
// credential anywhere, for example into a path, from where it would reach a log.
func MaskSecrets(text string) string {
	var masked strings.Builder
	for {
		begin, end := findSecret(text)
		if end == 0 {
			break
		}
		masked.WriteString(text[:begin] + "…")
		text = text[end:]
	}
	if masked.Len() == 0 {
		return text
	}
	return masked.String() + text
}

// idLength is the length of the public ID in a credential: kind_id_secret, such as psk_0123456789ab_….
const idLength = 12

// findSecret returns where the first secret part begins and ends, or 0 and 0. Parts of a credential that somebody copied incompletely
// count, too.
func findSecret(text string) (begin, end int) {
	for at := 0; at+4 <= len(text); at++ {
		next := strings.Index(text[at:], "ps")
		if next < 0 {
			return 0, 0
		}
		at += next
		id := at + 4 // after the kind and its underscore
		if id > len(text) || text[id-1] != '_' || text[id-2] < 'a' || text[id-2] > 'z' {
			continue
		}
		begin = id + alphanumerics(text[id:])
		if begin-id != idLength || begin == len(text) || text[begin] != '_' {
			continue
		}
		begin++
		if end = begin + alphanumerics(text[begin:]); end > begin {
			return begin, end
		}
	}
	return 0, 0
}

// alphanumerics returns the number of ASCII letters and digits at the beginning of a text.
func alphanumerics(text string) int {
	rest := strings.TrimLeft(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	return len(text) - len(rest)
}
