// Package einvoice answers questions about an e-invoice by the business terms of EN 16931, which the readers of files
// have found by their paths in the XML.
//
// The input is a document and a variable; the output is the value of the term that the variable asks for, with its
// place. A question becomes a set of meanings by words.txt, and questions.txt says which meanings ask for which terms.
// A question with a word that is in neither file is not answered here.
package einvoice
