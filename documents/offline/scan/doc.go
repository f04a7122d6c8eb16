// Package scan reads the smallest pieces of a text: characters, words and lines, each with its
// position.
//
// Every later stage passes positions around as a [Span], in bytes of the document's text, so that a
// value that is found can always be quoted exactly as it appears. Words are folded: "Año" and "ANO"
// compare as equal. Text comes from strangers and may be very long, so loops over it call
// [Watch.Stopped] and end soon after the caller's context does.
package scan
