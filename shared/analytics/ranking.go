package analytics

import (
	"cmp"
	"context"
	"fmt"
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
	// Top returns up to limit items with the most pulls in a span, in descending order. A span is a
	// day or month: 2026-11-21 or 2026-11. It is eventually consistent.
	Top(ctx context.Context, of RankingKind, span string, limit int) ([]PullCount, error)
	// PullsOf returns the pulls of one item from the first to the last day.
	PullsOf(ctx context.Context, item RankedItem, first, last calendar.Day) (int64, error)
}

// Rankings finds the artifacts that were pulled most, and the users who pulled most.
type Rankings struct {
	store          RankingStore
	now            func() time.Time
	entriesPerSpan int // how many items Top reads of a span
}

// MaxRanking is the largest limit of a RankingQuery.
const MaxRanking = 50

// maxConcurrentReads limits how many reads of a ranking run at the same time.
const maxConcurrentReads = 8

// NewRankings returns the rankings of a store.
func NewRankings(store RankingStore, now func() time.Time) *Rankings {
	return &Rankings{store: store, now: now, entriesPerSpan: 2 * MaxRanking}
}

// RankingQuery selects a ranking.
type RankingQuery struct {
	Period  PeriodQuery
	Of      RankingKind
	Limit   int // 1 to MaxRanking
	Compare Comparison
}

// Ranking has the items with the most pulls in a period, in descending order. The counts are exact.
type Ranking struct {
	Period   Period
	Compared *Period // nil unless requested
	Entries  []RankingEntry
	// Complete means that no other item has more pulls than the last entry. It can be false only if
	// the period has several spans, and one of them has more items than Top reads.
	Complete bool
	AsOf     time.Time
	Partial  bool // the period includes today
}

// RankingEntry is an item of a ranking.
type RankingEntry struct {
	PullCount
	Before int64 // pulls in the compared period; 0 if there is no comparison
}

// Top returns a ranking. It makes one call for each span of the period and, for a comparison, one for
// each entry. It makes further calls only if a span has more items than entriesPerSpan. It returns the
// errors of PeriodQuery.Resolve and of the store.
func (r *Rankings) Top(ctx context.Context, query RankingQuery) (Ranking, error) {
	now := r.now().UTC().Truncate(time.Millisecond)
	today := calendar.DayOf(now)
	period, err := query.Period.Resolve(today)
	if err != nil {
		return Ranking{}, err
	}
	spans, err := r.readSpans(ctx, query.Of, period.calendarSpans(today))
	if err != nil {
		return Ranking{}, err
	}
	ranking := Ranking{Period: period, Compared: period.compared(query.Compare), AsOf: now, Partial: period.Last >= today}
	counts, complete, err := r.merge(ctx, spans, period, query.Limit)
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

// calendarSpans covers the period with as few months and days as possible. There are no pulls
// after today, so a period that ends today can use the span of the whole month.
func (p Period) calendarSpans(today calendar.Day) []string {
	last := p.Last
	if last >= today {
		last = firstOf(today.Begin().Year()+1, time.January) - 1
	}
	var spans []string
	for day := p.First; day <= p.Last; {
		year, month, date := day.Begin().Date()
		nextMonth := firstOf(year, month+1)
		if date == 1 && nextMonth-1 <= last {
			spans, day = append(spans, fmt.Sprintf("%04d-%02d", year, month)), nextMonth
			continue
		}
		spans, day = append(spans, day.String()), day+1
	}
	return spans
}

func (r *Rankings) readSpans(ctx context.Context, of RankingKind, spans []string) ([]rankedSpan, error) {
	found := make([]rankedSpan, len(spans))
	return found, parallel.Each(len(spans), maxConcurrentReads, func(i int) error {
		entries, err := r.store.Top(ctx, of, spans[i], r.entriesPerSpan)
		found[i].entries = entries
		if len(entries) == r.entriesPerSpan {
			found[i].maxUnread = entries[len(entries)-1].Pulls
		}
		return err
	})
}

// rankedSpan has the top entries of a span.
type rankedSpan struct {
	entries   []PullCount
	maxUnread int64 // upper bound of the pulls of any item that is not among the entries
}

// candidate is an item that may belong to the top of a period.
type candidate struct {
	PullCount
	unread int64 // upper bound of its pulls in the spans that do not have it among their entries
}

// maxPulls is the upper bound of the candidate's pulls in the whole period.
func (c candidate) maxPulls() int64 { return c.Pulls + c.unread }

// merge returns the top of the whole period. A span may have more pulls of an item than its entries
// show, so merge reads the exact counts of the items that may have the most pulls.
func (r *Rankings) merge(ctx context.Context, spans []rankedSpan, p Period, limit int) (top []PullCount, complete bool, err error) {
	candidates, maxOther := addUp(spans)
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.maxPulls(), a.maxPulls()), a.compare(b.RankedItem))
	})
	likely := candidates[:min(len(candidates), r.entriesPerSpan)]
	if len(candidates) > len(likely) {
		maxOther = max(maxOther, candidates[len(likely)].maxPulls())
	}
	if err := r.readUnread(ctx, likely, p); err != nil {
		return nil, false, err
	}
	slices.SortFunc(likely, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.Pulls, a.Pulls), a.compare(b.RankedItem))
	})
	for _, c := range likely[:min(len(likely), limit)] {
		top = append(top, c.PullCount)
	}
	return top, maxOther == 0 || len(top) > 0 && top[len(top)-1].Pulls >= maxOther, nil
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

func (i RankedItem) compare(other RankedItem) int {
	return cmp.Or(
		strings.Compare(i.Repository, other.Repository), strings.Compare(i.Kind, other.Kind), strings.Compare(i.UserID, other.UserID),
	)
}
