// Package crashes kills functions of the local stack at their calls of AWS: before each call that can change something,
// and after AWS has executed it. Then the client repeats the request, and the test checks that it took effect once and
// left nothing half done.
package crashes
