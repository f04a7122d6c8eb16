// Package tables finds the records of a list, such as the line items of an invoice, in the tables of a document.
//
// Each column of the list is a question. A head of a table answers it if it matches the question as the label of a value would, and if the
// cells below have the type. The table whose heads answer the most questions has the records. A table may go on on the next page, with or
// without its heads. Rows of totals and second lines of a record are no records.
package tables
