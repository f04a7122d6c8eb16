//go:build !race

package chaos

const defaultPermutations = 150
