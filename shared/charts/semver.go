package charts

import (
	"cmp"
	"strconv"
	"strings"
)

// newestFirst orders versions as helm does: semantically and descending, with invalid versions at
// the end. Helm leaves the order of versions open that differ only in their build metadata; here it
// is fixed, so that equal indexes have equal bytes.
func newestFirst(a, b Version) int {
	return cmp.Or(compareVersions(b.Version, a.Version), cmp.Compare(b.Version, a.Version))
}

func compareVersions(a, b string) int {
	coreA, preA, okA := cutVersion(a)
	coreB, preB, okB := cutVersion(b)
	if !okA || !okB {
		return cmp.Compare(rankOf(okA), rankOf(okB))
	}
	for i := range coreA {
		if c := cmp.Compare(coreA[i], coreB[i]); c != 0 {
			return c
		}
	}
	return comparePrereleases(preA, preB)
}

// sameRelease reports whether two versions differ at most in their build metadata. A client that
// asks for one may get the other.
func sameRelease(a, b string) bool {
	_, _, okA := cutVersion(a)
	_, _, okB := cutVersion(b)
	return okA && okB && compareVersions(a, b) == 0
}

func rankOf(valid bool) int {
	if valid {
		return 1
	}
	return 0
}

// cutVersion parses versions as loosely as helm: a leading v is allowed, and minor and patch are
// optional.
func cutVersion(s string) (core [3]uint64, pre string, ok bool) {
	s, _, _ = strings.Cut(strings.TrimPrefix(s, "v"), "+")
	s, pre, _ = strings.Cut(s, "-")
	parts := strings.Split(s, ".")
	if len(parts) > len(core) {
		return core, "", false
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 64)
		if err != nil {
			return core, "", false
		}
		core[i] = n
	}
	return core, pre, true
}

func comparePrereleases(a, b string) int {
	if a == "" || b == "" {
		return cmp.Compare(rankOf(a == ""), rankOf(b == ""))
	}
	partsA, partsB := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(partsA), len(partsB)) {
		if c := compareIdentifiers(partsA[i], partsB[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(partsA), len(partsB))
}

// compareIdentifiers orders numbers before words.
func compareIdentifiers(a, b string) int {
	numberA, errA := strconv.ParseUint(a, 10, 64)
	numberB, errB := strconv.ParseUint(b, 10, 64)
	switch {
	case errA == nil && errB == nil:
		return cmp.Compare(numberA, numberB)
	case errA != nil && errB != nil:
		return cmp.Compare(a, b)
	}
	return cmp.Compare(rankOf(errA != nil), rankOf(errB != nil))
}
