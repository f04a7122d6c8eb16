// Package rules_test checks what the compiler does not: which package may import which, that names agree between
// template.yaml, functions/ and events/, which writes have conditions, what the template grants, and which tests prove
// what the documents claim.
//
// Most checks are functions of a file system, so that a test can break each rule in a small tree. They parse the
// sources instead of running `go list`: the test cache tracks only the files that the test itself opens, so with a
// child process a cached "ok" would hide a new import.
package rules_test

// root is the folder of the project.
const root = "../.."
