// Package index reads a document once and records the facts in it by position: terms, numbers,
// dates, durations and ranges.
//
// The input is a document, the output is an [Index]. It does not know what anybody will ask. It
// does not change after [New] returns, and its lists are sorted by position, so that each lookup of
// a span is a binary search. The amount of text that is searched is limited; [Index.Truncated]
// reports that the document has more.
package index
