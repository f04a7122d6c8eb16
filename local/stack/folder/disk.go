package folder

import (
	"fmt"
	"math"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// minFreeBytes is the free space below which a failure is probably due to a full disk.
const minFreeBytes = 1 << 20

// FreeBytes returns the free space of the disk with a folder.
func FreeBytes(dir string) (float64, error) {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return 0, err
	}
	if disk.Blocks == 0 {
		return math.Inf(1), nil // not a disk, such as /proc
	}
	return float64(disk.Bavail) * float64(disk.Bsize), nil
}

// Disk is the disk of a data folder.
type Disk struct {
	Folder   Folder
	Free     func(dir string) (float64, error) // such as FreeBytes
	LogError func(text string)
	isFull   atomic.Bool // and reported
}

// Explain adds to the error of a start that the disk is full.
func (d *Disk) Explain(err error) error {
	if !d.lacksSpace() {
		return err
	}
	return fmt.Errorf("%s: free some space and start again (%w)", d.fullness(), err)
}

// Report prints a line if the disk is full, once until there is space again. Engines and functions report a full disk
// each in their own way, and clients get 503. So the stack looks for itself after each failure.
func (d *Disk) Report() {
	isFull := d.lacksSpace()
	if was := d.isFull.Swap(isFull); isFull && !was {
		d.LogError(d.fullness() + ": free some space; until then, requests fail and log lines are lost")
	}
}

func (d *Disk) lacksSpace() bool {
	free, err := d.Free(d.Folder.Path)
	return err == nil && free < minFreeBytes
}

func (d *Disk) fullness() string {
	return "the disk of " + d.Folder.Relative(d.Folder.Path) + " is full"
}
