// Package dates finds the calendar days of a text.
//
// The input is a text and its language; the output is a list of [Date] values in order, without
// overlaps. "3/4/2026" has two readings; the other dates of the text decide which part is the
// month. If they do not, the date is marked as ambiguous or invalid, so that no caller takes a
// guess for a fact.
package dates
