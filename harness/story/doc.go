// Package story tests the audit log from end to end: requests, sealing and verify-audit. The test runs the sealer
// itself, two hours ahead, because the functions of the stack use the clock of the machine.
package story
