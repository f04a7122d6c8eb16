// Package harness documents the tests that look for lost data and for open doors. Each folder has one kind of test; `make harness`
// runs all of them and prints their figures, which docs/security.md keeps.
package harness
