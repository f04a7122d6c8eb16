package start

import (
	"runtime"
	"runtime/debug"
)

// firstCollectionPercent delays the first garbage collection: 400 percent of the runtime's minimum heap of 4 MB is
// 16 MB. No function's packages allocate the 4 MB before main with which the runtime's own setting would begin a
// collection.
const (
	firstCollectionPercent = 400
	usualPercent           = 100
)

// delayCollection delays the first garbage collection until the heap has 16 MB, so that none runs before the first
// response: a starting function still needs almost everything that it allocated. Later collections run at the usual
// times.
func delayCollection() {
	debug.SetGCPercent(firstCollectionPercent)
	runtime.AddCleanup(&struct{ self *int }{new(int)}, func(percent int) { debug.SetGCPercent(percent) }, usualPercent)
}
