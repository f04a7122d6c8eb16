package changes

import "sort"

// anchor is a clause that both documents have, by its index in each of them.
type anchor struct{ first, second int }

// anchors returns the clauses that occur exactly once in each document and in the same order in both. The anchors
// divide long texts into short ones, because lcs finds all equal clauses only if there are few changes. This is the
// patience algorithm of Bram Cohen.
func anchors(a, b []clause) []anchor {
	inSecond := uniqueClauses(b)
	var common []anchor
	for text, first := range uniqueClauses(a) {
		if second, isCommon := inSecond[text]; isCommon {
			common = append(common, anchor{first, second})
		}
	}
	sort.Slice(common, func(i, j int) bool { return common[i].first < common[j].first })
	return longestIncreasing(common)
}

// uniqueClauses returns the indexes of the clauses whose text is unique in the document, by their text.
func uniqueClauses(all []clause) map[string]int {
	indexes, repeated := map[string]int{}, map[string]bool{}
	for i, c := range all {
		if _, isKnown := indexes[c.text]; isKnown {
			repeated[c.text] = true
		}
		indexes[c.text] = i
	}
	for text := range repeated {
		delete(indexes, text)
	}
	return indexes
}

// longestIncreasing returns the longest subsequence of anchors whose second indexes increase.
func longestIncreasing(all []anchor) []anchor {
	ends := []int{}                 // for each length, the last anchor of the subsequence with the lowest end
	before := make([]int, len(all)) // for each anchor, the previous anchor of its subsequence, or -1
	for i, at := range all {
		n := sort.Search(len(ends), func(n int) bool { return all[ends[n]].second >= at.second })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	longest := make([]anchor, len(ends))
	if len(ends) == 0 {
		return nil
	}
	for i, n := ends[len(ends)-1], len(ends)-1; n >= 0; i, n = before[i], n-1 {
		longest[n] = all[i]
	}
	return longest
}
