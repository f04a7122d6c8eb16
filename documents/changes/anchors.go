package changes

import "sort"

// anchor is a clause that both documents have: its number in the first and in the second one.
type anchor struct{ first, second int }

// anchors returns clauses that stand once in each of the documents, as many as have the same order in both. They divide long texts into
// short ones (the patience algorithm of Bram Cohen), because the search for equal clauses is only exact if there are few changes.
func anchors(a, b []clause) []anchor {
	places := onlyPlaces(b)
	var common []anchor
	for text, first := range onlyPlaces(a) {
		if second, isCommon := places[text]; isCommon {
			common = append(common, anchor{first, second})
		}
	}
	sort.Slice(common, func(i, j int) bool { return common[i].first < common[j].first })
	return longestRise(common)
}

// onlyPlaces returns the numbers of the clauses whose text no other clause has.
func onlyPlaces(all []clause) map[string]int {
	places, again := map[string]int{}, map[string]bool{}
	for i, c := range all {
		if _, isKnown := places[c.text]; isKnown {
			again[c.text] = true
		}
		places[c.text] = i
	}
	for text := range again {
		delete(places, text)
	}
	return places
}

// longestRise returns the longest part of the anchors whose second numbers rise.
func longestRise(all []anchor) []anchor {
	ends := []int{}                 // the anchor with the smallest end of each length
	before := make([]int, len(all)) // the anchor before each in its part, or -1
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
	rise := make([]anchor, len(ends))
	if len(ends) == 0 {
		return nil
	}
	for i, n := ends[len(ends)-1], len(ends)-1; n >= 0; i, n = before[i], n-1 {
		rise[n] = all[i]
	}
	return rise
}
