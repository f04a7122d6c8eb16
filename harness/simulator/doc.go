// Package simulator runs random operations of users against the services, with faults and jumps of the clock. It
// compares the answers and the tables with a model.
//
// A round starts several operations at once. Each of their calls of AWS waits for the scheduler, which releases one
// call at a time, in an order that depends only on the seed. So operations interleave at every call, and a seed replays
// a failure. A step is one released call. The operations run in a bubble of testing/synctest, where waits take no time.
//
// An operation names the parts of the model that it may change, and the parts on which its answer depends. The answer
// must be exactly the expected one if no fault touched the operation and no other operation of the round changes these
// parts. Any other answer makes the model unsure of the parts that the operation may have changed. The next check reads
// these parts from the services. An effect that no operation can undo, such as a revocation, holds after every success.
package simulator
