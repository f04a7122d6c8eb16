// Package chaos documents tests of the functions that consume events. Each test delivers the same events in many seeded ways: again,
// merged, out of order, at the same time, and with a process that ends in the middle. The result must equal that of the orderly delivery.
package chaos
