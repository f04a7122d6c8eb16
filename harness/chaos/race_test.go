//go:build race

package chaos

// defaultPermutations are fewer with the race detector, which makes each of them several times slower. Races show in the first ones.
const defaultPermutations = 50
