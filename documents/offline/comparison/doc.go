// Package comparison describes in words how the values of two documents differ.
//
// The input is two extractions; the output is one sentence for each variable, in any of the ten
// languages. Numbers differ by an amount and a percentage, dates by days, texts by their words. All
// sentences come from fixed templates.
package comparison
