package learned

import (
	"strings"

	"portside/documents/lazyregexp"
	"portside/documents/offline/scan"
)

var (
	domain   = lazyregexp.New(`(?:@|www\.|https?://)[a-z0-9.-]+\.[a-z]{2,}`)
	register = lazyregexp.New(`(?i)\b(iban|bic|swift|hrb|ust-?id|vat|tax id|steuer|siret|siren|tva|nif|cif|p\. ?iva|kvk|btw|` +
		`registergericht|handelsregister)\b`)
)

// isInDomain reports whether a word of a name is in the domain of an e-mail or web address of the document. Sellers
// usually print their addresses, so such a name is likely the seller's.
func (r *Reader) isInDomain(name string) bool {
	const minBytes = 4
	if r.domains == nil {
		found := domain().FindAllString(strings.ToLower(r.ix.Text), -1)
		all := strings.Join(found, " ")
		r.domains = &all
	}
	if *r.domains == "" {
		return false
	}
	for _, w := range scan.Words(name) {
		if len(w.Text) >= minBytes && !legalForms()[w.Text] && strings.Contains(*r.domains, w.Text) {
			return true
		}
	}
	return false
}

// isNearRegister reports whether a company register, tax or bank account number is within a few lines before or after a
// name. Sellers usually print these numbers. The result is cached, because many questions ask about the same name.
func (r *Reader) isNearRegister(c *candidate) bool {
	return remembered(r.registers, c.answer.At, func() bool { return r.findRegister(c.answer.At) })
}

func (r *Reader) findRegister(at scan.Span) bool {
	const reach = 160 // bytes
	text := r.ix.Text
	from := scan.RuneStart(text, max(0, at.Start-reach), at.Start)
	to := scan.RuneStart(text, min(len(text), at.End+reach), len(text))
	return register().MatchString(text[from:at.Start]) || register().MatchString(text[at.End:to])
}
