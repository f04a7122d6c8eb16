// Package simulator runs random operations of users against the services, with faults and jumps of the clock, and compares the answers
// and the tables with what must be true.
//
// A round starts several operations at once. Each of their calls of AWS waits until the scheduler releases it, alone, in an order that
// the seed chooses. So operations meet at every point, and a failure replays by its seed. A step is one released call. The operations run
// in a bubble of testing/synctest, where waits take no time.
//
// An operation names the parts of the model that it may change and those that its answer depends on. If no fault touched it and no other
// operation of the round changes these, its answer must be exactly the expected one. Other answers only make the model unsure, until the
// next check reads what is stored. An effect that no operation can undo, such as a revocation, holds after every success.
package simulator
