// Package values reads the text beside a label as a value of the type that a question asks for: a
// date, a number, or a string such as an identifier, a name or a time of day.
//
// The input is a question and a span or a pair; the output is a list of answers with scores. The
// quote of an answer is always exactly the text of the document.
package values
