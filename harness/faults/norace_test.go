//go:build !race

package faults

const defaultWorkers = 48
