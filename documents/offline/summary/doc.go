// Package summary writes a summary that consists of sentences of the document.
//
// The input is a document; the output is text in the language of the document. Sentences are ranked
// by their position, length, facts and cue words, and by a random walk over a graph of similar
// sentences (as LexRank and TextRank do). Sentences that repeat a chosen one are skipped. For
// invoices and similar papers, the summary begins with the title, date and total. For documents
// that are mostly tables, it begins with the size and column names of the tables.
package summary
