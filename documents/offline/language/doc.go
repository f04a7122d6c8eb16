// Package language holds the rules that depend on the language of a text: which language it is, its
// stop words, the stems of its words, and where its sentences end.
//
// The input is plain text; the output is a language code, stems or spans. Ten languages are
// supported. For any other language the package uses the rules that the ten have in common, so
// every function has an answer for every text.
package language
