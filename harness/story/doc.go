// Package story documents a test of the whole audit log: people and pipelines use the running local stack, the hours are sealed, and the
// operator's command verifies them. The test is in this module because it seals with a clock that is two hours ahead. A function of the
// stack has the clock of the machine.
package story
