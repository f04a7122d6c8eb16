//go:build race

package faults

// defaultWorkers is smaller with the race detector, because the engine of S3 would not answer so many slow runs in time.
const defaultWorkers = 24
