// Package coldstart shortens the time that a caller waits for a function which just started.
package start

import (
	"runtime"
	"runtime/debug"
)

// first is when the first collection of garbage comes, in percent of the 4 MB at which the runtime has it: at 16 MB.
const first = 400

// DelayCollection puts the first collection of garbage off until the heap has 16 MB, so that none runs before the first
// answer: what a start allocates is needed. The next ones come when they always do.
func DelayCollection() {
	usual := debug.SetGCPercent(first)
	runtime.AddCleanup(&struct{ self *int }{new(int)}, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
