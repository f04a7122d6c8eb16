package names

import (
	"strings"

	"portside/documents/offline/scan"
)

// Emails returns the e-mail addresses in a span.
func Emails(text string, in scan.Span) []scan.Span {
	var found []scan.Span
	for at := in.Start; at < in.End; {
		n := strings.IndexByte(text[at:in.End], '@')
		if n < 0 {
			return found
		}
		s := scan.Between(at+n, at+n+1)
		for s.Start > in.Start && isAddressByte(text[s.Start-1]) {
			s.Start--
		}
		for s.End < in.End && isAddressByte(text[s.End]) {
			s.End++
		}
		for !s.IsEmpty() && strings.IndexByte(".-", text[s.End-1]) >= 0 {
			s.End--
		}
		if host := text[at+n+1 : max(s.End, at+n+1)]; s.Start < at+n && strings.Contains(host, ".") {
			found = append(found, s)
		}
		at = max(s.End, at+n+1)
	}
	return found
}

func isAddressByte(b byte) bool { return scan.IsLetterOrDigit(b) || strings.IndexByte("._-+", b) >= 0 }

// IBANs returns the international bank account numbers in a span. Their check digits are correct.
func IBANs(text string, in scan.Span) []scan.Span {
	var found []scan.Span
	for i := in.Start; i+4 < in.End; i++ {
		starts := scan.IsUpper(text[i]) && scan.IsUpper(text[i+1]) && scan.IsDigit(text[i+2]) && scan.IsDigit(text[i+3])
		if !starts || i > 0 && scan.IsLetterOrDigit(text[i-1]) {
			continue
		}
		if end := ibanEnd(text, i, in.End); end > 0 {
			found = append(found, scan.Between(i, end))
			i = end
		}
	}
	return found
}

// ibanEnd returns the end of the account number that begins at offset i, or 0 if none begins there.
func ibanEnd(text string, i, last int) int {
	const minBytes, maxBytes = 15, 34
	var digits strings.Builder
	end := 0
	for at := i; at < last && digits.Len() <= maxBytes; at++ {
		b := text[at]
		if b == ' ' && at+1 < last && (scan.IsUpper(text[at+1]) || scan.IsDigit(text[at+1])) {
			continue
		}
		if !scan.IsUpper(b) && !scan.IsDigit(b) {
			break
		}
		digits.WriteByte(b)
		if digits.Len() >= minBytes && digits.Len() <= maxBytes && hasValidCheckDigits(digits.String()) {
			end = at + 1
		}
	}
	return end
}

// hasValidCheckDigits checks an IBAN by ISO 7064 MOD 97-10.
func hasValidCheckDigits(iban string) bool {
	const modulus = 97
	rest := 0
	for _, b := range []byte(iban[4:] + iban[:4]) {
		if scan.IsDigit(b) {
			rest = (rest*10 + int(b-'0')) % modulus
		} else {
			rest = (rest*100 + int(b-'A') + 10) % modulus
		}
	}
	return rest == 1
}

// Phone returns the first phone number in a span. ok is false if the span has no phone number.
func Phone(text string, in scan.Span) (at scan.Span, ok bool) {
	const minDigits, maxDigits = 6, 16
	start := strings.IndexAny(in.In(text), "+(0123456789")
	if start < 0 {
		return scan.Span{}, false
	}
	s := scan.Between(in.Start+start, in.Start+start)
	digits := 0
	for at := s.Start; at < in.End && strings.IndexByte("+()-./ 0123456789", text[at]) >= 0; at++ {
		if scan.IsDigit(text[at]) {
			digits++
			s.End = at + 1
		}
	}
	return s, digits >= minDigits && digits <= maxDigits
}
