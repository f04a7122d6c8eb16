package stack

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// minFreeBytes is the free space below which a failure is probably due to a full disk.
const minFreeBytes = 1 << 20

// freeBytes returns the free space of the disk with a folder.
func freeBytes(dir string) (float64, error) {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return 0, err
	}
	if disk.Blocks == 0 {
		return math.Inf(1), nil // not a disk, such as /proc
	}
	return float64(disk.Bavail) * float64(disk.Bsize), nil
}

func (s *Stack) isDiskFull() bool {
	free, err := s.options.FreeBytes(s.options.DataDir)
	return err == nil && free < minFreeBytes
}

// explainFullDisk adds to the error of a start that the disk is full.
func (s *Stack) explainFullDisk(err error) error {
	if !s.isDiskFull() {
		return err
	}
	return fmt.Errorf("%s: free some space and start again (%w)", s.fullDisk(), err)
}

// reportFullDisk prints a line if the disk is full, once until there is space again. Engines and functions report a full disk each in
// their own way, and clients get 503. So the stack looks for itself after each failure.
func (s *Stack) reportFullDisk() {
	isFull := s.isDiskFull()
	if was := s.diskFull.Swap(isFull); isFull && !was {
		s.logError(s.fullDisk() + ": free some space; until then, requests fail and log lines are lost")
	}
}

func (s *Stack) fullDisk() string { return "the disk of " + s.relative(s.options.DataDir) + " is full" }
