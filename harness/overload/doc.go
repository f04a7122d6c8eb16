// Package overload documents tests that send the running local stack more than it can serve: more requests in all than
// it has capacity for, and floods of one user that an admin must be able to stop. All requests stay on this machine,
// and each test bounds its connections, requests and bytes.
package overload
