// Package media answers questions about uploaded files: it summarizes them, extracts values from them, and compares two
// of them.
//
// Three parts meet here and do not know each other. The readers of module documents turn a file into text. An engine
// (packages media<engine>, or the offline engine of module documents) answers a question about that text. Stores keep
// uploads, jobs and answers. Every engine and all evidence refer to the same text, whatever the format of the file was.
package media
