// Package questions works out what a variable asks for: the labels that would answer it, what the
// value looks like, and which other meanings rule a label out.
//
// The input is a variable with a name, a type and a description; the output is a [Question]. The
// package does not see the document. Names and descriptions come from the caller and may be in any
// of the ten languages. grammar.txt turns a question such as "until when must we pay" into the terms of a label,
// DUE DATE. Known concepts and their labels are in concepts.txt.
package questions
