// Package candidates collects what a document offers as answers: labels with the values beside or
// below them, sentences, and lines with check boxes.
//
// The input is an index and the layout of the document: paragraphs, tables, fields and positions on
// the page. The output is a [Set]. The package does not know any question, so each [Pair] only has
// a weight that says how surely its label and its value belong together.
package candidates
