//go:build race

package simulator

// defaultSteps is smaller with the race detector, which needs several times as long for each step.
const defaultSteps = 20_000
