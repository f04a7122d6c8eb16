package checks

import (
	"strings"
	"unicode/utf8"
)

// MaxEmail is the greatest length of an email address, in bytes; RFC 5321 as corrected by erratum 1690 of RFC 3696.
const MaxEmail = 254

// Email checks an email address, which must be in its normal form already.
func (f *Failures) Email(pointer, s string) {
	switch {
	case len(s) > MaxEmail:
		f.Add(pointer, "must have at most %d bytes", MaxEmail)
	case !isPlausibleEmail(s):
		f.Add(pointer, "must be an email address such as ada@example.com, in ASCII (an international domain in its xn-- form)")
	}
}

// isPlausibleEmail accepts the dot-atom form of RFC 5322, section 3.4.1, in ASCII. It rejects other letters (RFC 6531),
// because SES does not deliver to such addresses and two spellings of one mailbox would look different; international
// domains are written in their xn-- form. It also rejects quoted local parts and address literals, which real mailboxes
// do not need.
func isPlausibleEmail(s string) bool {
	local, domain, found := strings.Cut(s, "@")
	if !found || len(local) > 64 || !utf8.ValidString(s) {
		return false
	}
	for atom := range strings.SplitSeq(local, ".") {
		if atom == "" || strings.ContainsFunc(atom, isNotAtomText) {
			return false
		}
	}
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, isNotDomainText) ||
			strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
	}
	return true
}

func isNotAtomText(r rune) bool {
	return isNotLetterOrDigit(r) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
}

func isNotDomainText(r rune) bool { return isNotLetterOrDigit(r) && r != '-' }

func isNotLetterOrDigit(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
}
