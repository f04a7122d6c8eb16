// Package scale reads SCALE and SEED, the two environment variables that set the size and the random values of the
// random tests of all modules.
//
// SCALE multiplies the checks of properties, the permutations, steps, requests and sizes. It is 1 by default and in
// `.ci/run`, and larger in `make nightly`. SEED is the first seed of everything random. Without it, the seed is 1, so
// that a second run repeats a failure. `.ci/run` takes the seed from the commit, and `make nightly` a new one.
package scale

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
)

// Of returns n multiplied by SCALE.
func Of(n int) int { return n * settings().scale }

// IsLarge reports whether SCALE is more than 1.
func IsLarge() bool { return settings().scale > 1 }

// Seed returns SEED.
func Seed() uint64 { return settings().seed }

// Every returns the start and the step of a loop that tests every nth place of an operation. SEED selects the start.
// With a larger SCALE, the loop tests every place. Use it only if all places take too long.
func Every(n int) (first, step int) { return settings().every(n) }

// Checks returns its argument, after it has told rapid how many checks a property needs, and with which seed they
// begin:
//
//	rapid.Check(scale.Checks(t), func(t *rapid.T) { … })
func Checks(t *testing.T) *testing.T {
	t.Helper()
	return ChecksOf(t, 100)
}

// ChecksOf is like Checks for properties whose checks take longer. As rapid has one number of checks for a test binary,
// all properties of a package need the same one.
func ChecksOf(t *testing.T, checks int) *testing.T {
	t.Helper()
	firstOfBinary.Do(func() {
		checksOfBinary = checks
		set(t, "rapid.checks", strconv.Itoa(Of(checks)))
		set(t, "rapid.seed", strconv.FormatUint(Seed(), 10))
	})
	if checks != checksOfBinary {
		t.Fatalf("this property needs %d checks, another one of the package %d", checks, checksOfBinary)
	}
	return t
}

var (
	firstOfBinary  sync.Once
	checksOfBinary int
)

// set sets a flag of rapid, unless the command line has set it.
func set(t *testing.T, name, value string) {
	t.Helper()
	isSet := false
	flag.Visit(func(f *flag.Flag) { isSet = isSet || f.Name == name })
	if isSet {
		return
	}
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
}

type values struct {
	scale int
	seed  uint64
}

func (v values) every(n int) (first, step int) {
	if v.scale > 1 {
		return 1, 1
	}
	return 1 + int((v.seed-1)%uint64(n)), n
}

// settings reads the environment once. A wrong value ends the test binary, because it would otherwise test less than
// was asked for.
var settings = sync.OnceValue(func() values {
	read, err := parse(os.Getenv("SCALE"), os.Getenv("SEED"))
	if err != nil {
		panic(err)
	}
	return read
})

func parse(scale, seed string) (values, error) {
	read := values{scale: 1, seed: 1}
	if scale != "" {
		n, err := strconv.ParseUint(scale, 10, 16)
		if err != nil || n == 0 {
			return values{}, fmt.Errorf("SCALE is %q: set a whole number from 1 to 65535", scale)
		}
		read.scale = int(n)
	}
	if seed != "" {
		n, err := strconv.ParseUint(seed, 10, 64)
		if err != nil || n == 0 {
			return values{}, fmt.Errorf("SEED is %q: set a whole number from 1 to 18446744073709551615", seed)
		}
		read.seed = n
	}
	return read, nil
}
