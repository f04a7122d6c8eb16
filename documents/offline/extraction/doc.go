// Package extraction runs the stages below it on one document and finds the values of variables.
//
// The input is a document and variables; the output is one value or null for each variable, with
// the quote that proves it. [Prepare] does the work that does not depend on a variable.
package extraction
