package main

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// unitTime returns the CPU time of a unit, which is a fixed amount of the work that tests do. A busy machine needs more
// CPU time for the same work. The function does a tenth of the unit, to stay cheap, and multiplies its time.
func unitTime() time.Duration {
	const fraction = 10
	before := cpuTime(syscall.RUSAGE_SELF)
	for range 100 / fraction {
		unitOfWork()
	}
	return fraction * (cpuTime(syscall.RUSAGE_SELF) - before)
}

// unitOfWork hashes, sorts, allocates, and encodes JSON. It returns the length of the JSON text.
func unitOfWork() int {
	words := make([]string, 2000)
	counts := map[string]int{}
	sum := sha256.Sum256(nil)
	for i := range words {
		sum = sha256.Sum256(sum[:])
		words[i] = strconv.Itoa(int(sum[0])<<8 | int(sum[1]))
		counts[words[i]]++
	}
	slices.SortFunc(words, strings.Compare)
	encoded, err := json.Marshal(map[string]any{"words": words, "counts": counts})
	if err != nil {
		panic(err) // such a map always has a JSON text
	}
	return len(encoded)
}
