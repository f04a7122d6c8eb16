// Package chaos tests functions that consume events. Each test delivers the same events in many ways, which a seed
// chooses: repeated, merged, out of order, concurrently, and to processes that are killed partway. The result must be
// the same as when each event is delivered once and in order. Here are the functions whose work is spread over several
// domains; TestEveryConsumerIsKnown names the tests of other functions.
package chaos
