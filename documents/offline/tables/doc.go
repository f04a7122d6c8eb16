// Package tables finds the records of a list, such as the line items of an invoice, in the tables of a document.
//
// Each column of the list is a question. A column of a table answers the question if its header matches it, as the
// label of a value does, and if the cells below the header have its type. If one number in each row is the product of
// two others, these columns are the quantity, the price and the amount. Find reads the table whose headers match the
// questions best. The table may continue on the next page, with or without its headers. Find leaves out rows of totals
// and the second lines of records.
package tables
