//go:build !race

package simulator

const defaultSteps = 100_000
