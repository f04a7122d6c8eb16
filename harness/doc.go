// Package harness documents the tests that look for lost data and for open doors. Each folder has one kind of test.
// `make test` runs a few of their permutations, faults and steps, and `make nightly` many. It writes their figures into
// FIGURES.md.
package harness
