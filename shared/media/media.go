// Package media answers questions about uploaded files: it summarizes a file, extracts values from
// it, or compares two files.
//
// A [Service] combines three kinds of parts that do not know each other. The readers of module
// documents turn a file into text. An engine (a package media<engine>, or the offline engine of
// module documents) answers a question about that text. Stores keep uploads, jobs and answers.
// Engines and evidence always refer to the same text, whatever the format of the file.
//
// A client sends its files in one of three ways: in the request, as an earlier upload, or either of
// them with a request for a job. A [Responder] answers while the client waits, or turns the work
// into a [Job] if it takes too long. A [Runner] does the work of jobs.
package media
