// Package tables finds the records of a list, such as the line items of an invoice, in the tables of a document.
//
// Each column of the list is a question. The head of a column of a table matches a question as the label of a value does. In addition, the
// cells below the head must have the type of the question, and numbers of which one is the product of two others show which one is the
// quantity, the price and the amount. Find reads the table whose heads match the questions best. The table may continue on the next page,
// with or without its heads. Find leaves out the rows of totals and the second lines of records.
package tables
