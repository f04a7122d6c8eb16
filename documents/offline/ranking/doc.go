// Package ranking scores how well a label or the words of a sentence answer a question, and chooses
// the best answer.
//
// The input is a question, and the terms of a label or of a sentence; the output is a score from 0
// to about 1. [Best] returns an answer only if its score is high enough and clearly above that of
// every other value. If two values are as good as each other, there is no answer, because a caller
// cannot tell a guess from a fact.
package ranking
