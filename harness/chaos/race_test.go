//go:build race

package chaos

// defaultPermutations is smaller with the race detector, because each permutation takes several times as long. A few permutations show a
// race.
const defaultPermutations = 50
