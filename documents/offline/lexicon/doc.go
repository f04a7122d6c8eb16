// Package lexicon maps the words and phrases of business documents to terms that are the same in
// all ten languages: "Rechnungsnummer", "factuurnr" and "invoice no." all mean INVOICE NUMBER.
//
// The input is words, the output is a list of [Mention] values: a term and where it appears. A word
// that the lexicon does not know becomes its own term, in lower case. The lexicon never changes
// at run time. A test writes the index that it is read from, out of lexicon.txt.
package lexicon
