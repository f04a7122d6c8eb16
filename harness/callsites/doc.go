// Package callsites knows every place where the production code calls a service of AWS, and finds out which of them a
// running call comes from. Tests that inject faults measure with it which places they have reached.
//
// A place is written as file:function Operation, without the number of the line, so that the list in callsites.txt
// changes only with the calls. A test fails if the list is stale:
//
//	go test ./callsites -args -update
package callsites
