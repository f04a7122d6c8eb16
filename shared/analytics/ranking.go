package analytics

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/core/parallel"
)

// RankingKind is what a ranking compares.
type RankingKind string

// The kinds of rankings.
const (
	Artifacts RankingKind = "artifact" // charts and images
	People    RankingKind = "person"   // the users whose credentials pulled
)

// RankedItem is an artifact that was pulled, or a user who pulled. It has either Kind and Repository,
// or UserID.
type RankedItem struct {
	Kind       string // chart or image
	Repository string
	UserID     string
}

// PullCount is the number of pulls of an artifact, or by a user.
type PullCount struct {
	RankedItem
	Pulls int64
}

// RankingStore reads the pulls of artifacts and users.
type RankingStore interface {
	// Tops returns the first maxPlaces items of each span, or all if there are fewer, in the order of
	// PullCount.Compare. It is eventually consistent.
	Tops(ctx context.Context, of RankingKind, spans []calendar.Span) (tops [][]PullCount, maxPlaces int, err error)
	// PullsOf returns the pulls of one item from the first to the last day.
	PullsOf(ctx context.Context, item RankedItem, first, last calendar.Day) (int64, error)
}

// Rankings finds the artifacts that were pulled most, and the users who pulled most.
type Rankings struct {
	store RankingStore
	now   func() time.Time
}

// MaxRanking is the largest limit of a RankingQuery.
const MaxRanking = 50

// maxConcurrentReads limits how many reads of a ranking run at the same time.
const maxConcurrentReads = 8

// NewRankings returns the rankings of a store.
func NewRankings(store RankingStore, now func() time.Time) *Rankings {
	return &Rankings{store: store, now: now}
}

// RankingQuery selects a ranking.
type RankingQuery struct {
	Period  PeriodQuery
	Of      RankingKind
	Limit   int // 1 to MaxRanking
	Compare Comparison
}

// Ranking has the items with the most pulls in a period, in the order of PullCount.Compare. The counts are exact.
type Ranking struct {
	Period   Period
	Compared *Period // nil unless requested
	Entries  []RankingEntry
	// Complete means that no other item belongs among the entries. It can be false only if the period has several
	// spans, and one of them has more items than its top.
	Complete bool
	AsOf     time.Time
	Partial  bool // the period includes today
}

// RankingEntry is an item of a ranking.
type RankingEntry struct {
	PullCount
	Before int64 // pulls in the compared period; 0 without a comparison
}

// Top returns a ranking. It reads the tops of all spans in one call and, for a comparison, the pulls of each entry. It
// makes further calls only for items that are missing from the full top of some span. It returns the errors of
// PeriodQuery.Resolve and CheckComparison, and of the store.
func (r *Rankings) Top(ctx context.Context, query RankingQuery) (Ranking, error) {
	now := r.now().UTC().Truncate(time.Millisecond)
	today := calendar.DayOf(now)
	period, other, err := query.Period.resolveBoth(query.Compare, today)
	if err != nil {
		return Ranking{}, err
	}
	tops, maxPlaces, err := r.store.Tops(ctx, query.Of, period.calendarSpans(today))
	if err != nil {
		return Ranking{}, err
	}
	ranking := Ranking{Period: period, Compared: other, AsOf: now, Partial: period.Last >= today}
	counts, complete, err := r.merge(ctx, rankedSpans(tops, maxPlaces), period, query.Limit)
	if err != nil {
		return Ranking{}, err
	}
	ranking.Complete, ranking.Entries = complete, make([]RankingEntry, len(counts))
	for i, c := range counts {
		ranking.Entries[i].PullCount = c
	}
	return ranking, r.readBefore(ctx, &ranking)
}

// readBefore sets the pulls of each entry in the compared period.
func (r *Rankings) readBefore(ctx context.Context, ranking *Ranking) error {
	if ranking.Compared == nil {
		return nil
	}
	return parallel.Each(len(ranking.Entries), maxConcurrentReads, func(i int) (err error) {
		e := &ranking.Entries[i]
		e.Before, err = r.store.PullsOf(ctx, e.RankedItem, ranking.Compared.First, ranking.Compared.Last)
		return err
	})
}

// calendarSpans covers the period with few spans. There are no pulls after today, so a period that ends today can
// use spans that end later.
func (p Period) calendarSpans(today calendar.Day) []calendar.Span {
	var spans []calendar.Span
	for day := p.First; day <= p.Last; {
		span := p.longestSpan(day, today)
		spans, day = append(spans, span), span.Last+1
	}
	return spans
}

// longestSpan returns the span that begins with the day, or the smallest one that reaches the end of the period.
func (p Period) longestSpan(day, today calendar.Day) calendar.Span {
	spans := slices.DeleteFunc(calendar.SpansOf(day), func(s calendar.Span) bool {
		return s.First != day || s.Last > p.Last && p.Last < today
	})
	for _, s := range slices.Backward(spans) {
		if s.Last >= p.Last {
			return s
		}
	}
	for _, s := range spans {
		if !p.splitsMonth(s, today) {
			return s
		}
	}
	return spans[len(spans)-1] // the day
}

// splitsMonth reports whether a week contains the first day of a month that the period has completely. The month is a
// longer span than the week.
func (p Period) splitsMonth(s calendar.Span, today calendar.Day) bool {
	year, month, _ := s.First.Begin().Date()
	nextMonth, end := firstOf(year, month+1), firstOf(year, month+2)-1
	return s.First < nextMonth && nextMonth <= s.Last && s.Last-s.First == 6 && (end <= p.Last || p.Last >= today)
}

// rankedSpans returns the tops with the bounds of the items that they do not have.
func rankedSpans(tops [][]PullCount, maxPlaces int) []rankedSpan {
	spans := make([]rankedSpan, len(tops))
	for i, top := range tops {
		spans[i].entries = top
		if len(top) == maxPlaces {
			spans[i].maxUnread = top[len(top)-1].Pulls
		}
	}
	return spans
}

// rankedSpan has the top entries of a span.
type rankedSpan struct {
	entries   []PullCount
	maxUnread int64 // upper bound of the pulls of any item that is not among the entries
}

// candidate is an item that may belong to the top of a period.
type candidate struct {
	PullCount
	unread int64 // upper bound of its pulls in the spans that lack it
}

// maxPulls is the upper bound of the candidate's pulls in the whole period.
func (c candidate) maxPulls() int64 { return c.Pulls + c.unread }

// maxCandidates bounds the items whose exact counts a ranking reads.
const maxCandidates = 100

// merge returns the top of the whole period. The top of one span is exact. Of several spans, a span may have more pulls
// of an item than its top shows, so merge reads the exact counts of the items that may have the most pulls.
func (r *Rankings) merge(ctx context.Context, spans []rankedSpan, p Period, limit int) (top []PullCount, complete bool, err error) {
	if len(spans) == 1 {
		entries := spans[0].entries
		return entries[:min(len(entries), limit)], true, nil
	}
	candidates, maxOther := addUp(spans)
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.maxPulls(), a.maxPulls()), a.compare(b.RankedItem))
	})
	likely := candidates[:min(len(candidates), maxCandidates)]
	if len(candidates) > len(likely) {
		maxOther = max(maxOther, candidates[len(likely)].maxPulls())
	}
	if err := r.readUnread(ctx, likely, p); err != nil {
		return nil, false, err
	}
	for _, c := range likely {
		top = append(top, c.PullCount)
	}
	slices.SortFunc(top, PullCount.Compare)
	top = top[:min(len(top), limit)]
	// An item with as many pulls as the last entry may belong before it.
	return top, maxOther == 0 || len(top) == limit && top[limit-1].Pulls > maxOther, nil
}

// readUnread sets the exact pulls of the candidates that some span does not have among its entries.
func (r *Rankings) readUnread(ctx context.Context, candidates []candidate, p Period) error {
	return parallel.Each(len(candidates), maxConcurrentReads, func(i int) (err error) {
		c := &candidates[i]
		if c.unread > 0 {
			c.Pulls, err = r.store.PullsOf(ctx, c.RankedItem, p.First, p.Last)
		}
		return err
	})
}

// addUp returns all items in the spans, and the upper bound of the pulls of any other item.
func addUp(spans []rankedSpan) (candidates []candidate, maxUnread int64) {
	sums := map[RankedItem]*candidate{}
	for _, span := range spans {
		maxUnread += span.maxUnread
	}
	for _, span := range spans {
		for _, e := range span.entries {
			if sums[e.RankedItem] == nil {
				sums[e.RankedItem] = &candidate{PullCount: PullCount{RankedItem: e.RankedItem}, unread: maxUnread}
			}
			sums[e.RankedItem].Pulls += e.Pulls
			sums[e.RankedItem].unread -= span.maxUnread
		}
	}
	for _, c := range sums {
		candidates = append(candidates, *c)
	}
	return candidates, maxUnread
}

// Compare orders items: more pulls first, equal numbers by kind, repository and user.
func (c PullCount) Compare(other PullCount) int {
	return cmp.Or(cmp.Compare(other.Pulls, c.Pulls), c.compare(other.RankedItem))
}

func (i RankedItem) compare(other RankedItem) int {
	return cmp.Or(
		strings.Compare(i.Kind, other.Kind), strings.Compare(i.Repository, other.Repository), strings.Compare(i.UserID, other.UserID),
	)
}
