// Package ranking scores how well a label or the words of a sentence answer a question, and chooses
// the best answer.
//
// The input is a question, and the terms of a label or of a sentence; the output is a score from 0
// to about 1. [Best] returns an answer only if its score is high enough and clearly above the scores
// of all other values. If two values have similar scores, it returns no answer, because a caller
// cannot distinguish a guess from a fact.
package ranking
