package learned

import (
	"strings"
	"unicode"

	"portside/documents/lazyregexp"
	"portside/documents/offline/names"
	"portside/documents/offline/scan"
	"portside/documents/offline/values"
)

// Bounds of postal addresses.
const (
	maxAddressLines = 6
	maxAddressBytes = 240
	minAddressBytes = 8
)

var (
	// postcode matches numbers of four to six digits, and the postal codes of the United States, Portugal, Poland, Sweden, the
	// United Kingdom and the Netherlands.
	postcode = lazyregexp.New(`\b(\d{4,6}|\d{5}-\d{3,4}|\d{4}-\d{3}|\d{2}-\d{3}|\d{3} \d{2}|` +
		`[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4} ?[A-Z]{2})\b`)
	// street matches words of streets in the ten languages, and other words of English and Malay addresses.
	street = lazyregexp.New(`(?i)(stra(ss|ß)e\b|str\.|weg\b|platz\b|allee\b|` +
		`\b(street|st|road|rd|avenue|ave|lane|drive|suite|floor|jalan|jln|lot|rue|boulevard|bd|place|calle|c/|avenida|av|` +
		`plaza|rua|praça|largo|via|viale|piazza|corso|straat|laan|plein|gatan|vägen|ul|ulica|aleja|al|strada|bulevardul|` +
		`p\.? ?o\.? box)\b|straat\b|laan\b|gatan\b|vägen\b|väg\b)`)
	// notAddress matches text that stands beside an address, such as a phone number or an amount.
	notAddress = lazyregexp.New(`(?i)(@|www\.|https?:|\b(tel|fax|phone|téléphone|telefon\w*|e-?mail|gst|vat|iban|bic|` +
		`reg|no\. ?:|date|invoice|total|ust|steuer\w*|siret|nif|cif|kvk|btw)\b ?[.:#(]?|\d[.,]\d\d\b)`)
)

// addresses returns the runs of lines that may be a postal address.
func (r *Reader) addresses() []candidate {
	found := spanSet{isKnown: map[scan.Span]bool{}}
	pieces := r.layout.pieces
	for i := range pieces {
		if r.ix.Watch.Stopped() || len(found.all) > maxCandidates {
			break
		}
		for _, start := range r.addressStarts(&pieces[i]) {
			for n := 1; n <= maxAddressLines && i+n <= len(pieces) && (n == 1 || r.isNextLine(i+n-2)); n++ {
				at := cutBrackets(r.ix.Text, scan.Between(start, pieces[i+n-1].at.End))
				text := at.In(r.ix.Text)
				if at.Len() > maxAddressBytes || notAddress().MatchString(text) {
					break
				}
				if at = names.Trim(r.ix.Text, at); at.Len() >= minAddressBytes && looksLikeAddress(text) {
					found.add(at)
				}
			}
		}
	}
	all := make([]candidate, 0, len(found.all))
	for _, at := range found.all {
		all = r.add(all, candidate{answer: joined(values.StringAnswer(r.ix.Text, at, 1), ", ")})
	}
	return all
}

// addressStarts returns where an address may begin in a piece: at its start, after a label, a name in brackets, or the
// first comma.
func (r *Reader) addressStarts(p *piece) []int {
	starts := []int{p.at.Start}
	text := p.at.In(r.ix.Text)
	for _, mark := range []string{": ", ") ", ", "} {
		if i := strings.Index(text, mark); i >= 0 {
			starts = append(starts, p.at.Start+i+len(mark))
		}
	}
	if at := bracketedNumber().FindStringIndex(text); len(at) > 0 && at[0] == 0 {
		return starts[1:] // the number of a company stands above its address
	}
	return starts
}

// bracketedNumber matches the number of a company in brackets, such as "(126926-H)".
var bracketedNumber = lazyregexp.New(`\([A-Z]{0,4} ?\d[\d .\-/]{3,20}-?[A-Z]?\)`)

// cutRegister removes the number of a company at the end of its name.
func cutRegister(text string, at scan.Span) scan.Span {
	for _, found := range bracketedNumber().FindAllStringIndex(at.In(text), -1) {
		if found[0] > 0 && at.Start+found[1] == at.End {
			at.End = at.Start + found[0]
			return names.Trim(text, at)
		}
	}
	return at
}

// cutBrackets removes the brackets at the end of an address.
func cutBrackets(text string, at scan.Span) scan.Span {
	part := strings.TrimRight(at.In(text), ". ")
	if i := strings.LastIndex(part, "("); i > minAddressBytes && (strings.HasSuffix(part, ")") || !strings.Contains(part[i:], ")")) {
		at.End = at.Start + i
	}
	return at
}

// looksLikeAddress reports whether a text has a digit, a word, and a postal code or the word for a street.
func looksLikeAddress(text string) bool {
	return strings.IndexFunc(text, unicode.IsDigit) >= 0 && strings.IndexFunc(text, unicode.IsLetter) >= 0 &&
		(postcode().MatchString(text) || street().MatchString(text))
}
