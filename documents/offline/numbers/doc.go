// Package numbers finds the numbers of a text, with their currency, percent sign, sign and
// multiplier.
//
// The input is a text and its language; the output is a list of [Number] values in order, without
// overlaps. A number is reported only if the text leaves no doubt about it: parts of names, dates,
// phone numbers, powers and fractions are left out. "1.234" has two readings; the other numbers of
// the text decide, and otherwise the language does.
package numbers
