// Package media answers questions about uploaded files: it summarizes a file, extracts values from
// it, or compares two files.
//
// A [Service] combines three kinds of parts that do not know each other. The readers of module
// documents turn a file into text. An engine (a package media<engine>, or the offline engine of
// module documents) answers a question about that text. A store keeps answers.
// Engines and evidence always refer to the same text, whatever the format of the file.
//
// Package jobs does this work for clients: while they wait, or later.
package media
