// Package names finds the parts of a text that a type cannot describe: names of people and
// companies, e-mail addresses, account numbers and phone numbers.
//
// The input is a text and a span of it; the output is a smaller span. All functions are pure: they
// look at the text only, not at what other stages found in it.
package names
