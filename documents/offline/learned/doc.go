// Package learned finds the value of a variable with a model that was trained on documents with known answers.
//
// The input is an index, a question, and what the rules say about it. Every value on the page that has the type of the
// question is a candidate, and every text near it is a possible label: before it in the line, to its left, above it, or
// the heading over it. Each candidate has features: how well these labels match the question, what the value looks
// like, where it is, and whether the rules found it. A sum of decision trees turns the features of each candidate into
// a score. The scores of all candidates become probabilities, together with the probability that none of them is the
// answer. cmd/train writes the trees.
package learned
