// Package faults documents tests that run each flow of a client with each fault of AWS at each call of the flow. The
// client repeats what failed, as real ones do, until the fault is over. Then the repeat must end right, and the data
// must be as after a run without faults.
//
// Each flow first runs without faults, which records its requests. A fault then disturbs one request, which the SDK
// repeats, or all requests from that one to the end of the client's attempt, so that the SDK gives up. A test chooses
// some of these runs by a seed:
//
//	SCALE=1000 go test ./faults -v               # all
//	go test ./faults -v -args -flow "count pulls"
package faults
