// Package statements answers questions of type boolean: does the document say that something is so,
// or that it is not?
//
// The input is a question; the output is a list of answers, each true or false. A document answers
// with a check box, with yes or no beside a label, or with a sentence. A sentence answers only if
// it plainly affirms or plainly denies. Conditions, doubts, exceptions, plans and reported speech
// give no answer, and neither does silence.
package statements
