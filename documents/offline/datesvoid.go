package offline

import (
	"slices"
	"sort"
)

// notSaidAgain leaves out the days of which another one tells how they are read.
func notSaidAgain(open, kept []dated) []dated {
	said := make(map[string]bool, len(kept))
	for _, d := range kept {
		said[d.iso()] = true
	}
	return slices.DeleteFunc(open, func(d dated) bool {
		other := dated{year: d.year, month: d.day, day: d.month}
		return said[d.iso()] || said[other.iso()]
	})
}

// voided joins what is no day with what may be either of two, in order.
func voided(impossible, open []dated) []dated {
	all := slices.Concat(impossible, open)
	slices.SortFunc(all, func(a, b dated) int { return a.at.start - b.at.start })
	for i := range all {
		all[i].void = true
	}
	return all
}

// daysSaid are the days of a stretch with those that are void: they answer nothing, but what they stand with is answered.
func (r *reading) daysSaid(s span) []dated {
	from := sort.Search(len(r.voidDays), func(i int) bool { return r.voidDays[i].at.start >= s.start })
	size := sort.Search(len(r.voidDays)-from, func(i int) bool { return r.voidDays[from+i].at.end > s.end })
	if size == 0 {
		return r.datesIn(s)
	}
	all := slices.Concat(r.datesIn(s), r.voidDays[from:from+size])
	slices.SortFunc(all, func(a, b dated) int { return a.at.start - b.at.start })
	return all
}
