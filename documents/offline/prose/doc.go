// Package prose finds answers in running text, where no label and no table shows which value
// belongs to which word.
//
// The input is a question; the output is a list of answers with scores. A value belongs to the
// words between it and the value before it. Names are found next to the role of a person or a
// party. Answers from prose always score below those from labels.
package prose
