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

// Ranked says what a ranking compares.
type Ranked string

// The rankings.
const (
	Artifacts Ranked = "artifact" // charts and images
	People    Ranked = "person"   // the users whose credentials pulled
)

// Puller is an artifact that was pulled, or a user who pulled. It has either Kind and Repository, or
// UserID.
type Puller struct {
	Kind       string // chart or image
	Repository string
	UserID     string
}

// PullCount is the number of pulls of an artifact, or by a user.
type PullCount struct {
	Puller
	Pulls int64
}

// RankingStore reads the pulls of artifacts and users.
type RankingStore interface {
	// Top returns those with the most pulls in a span, at most limit, the first one first. A span
	// is a day, month or year: 2026-11-21, 2026-11 or 2026. It lags moments behind the pulls.
	Top(ctx context.Context, of Ranked, span string, limit int) ([]PullCount, error)
	// PullsOf returns the pulls of one of them from the first to the last day.
	PullsOf(ctx context.Context, puller Puller, first, last calendar.Day) (int64, error)
}

// Rankings answers which artifacts were pulled most, and who pulled most.
type Rankings struct {
	store RankingStore
	now   func() time.Time
	depth int // how many entries of a span are read
}

// MaxRanking is the longest ranking that can be requested.
const MaxRanking = 50

// NewRankings returns the rankings of a store.
func NewRankings(store RankingStore, now func() time.Time) *Rankings {
	return &Rankings{store: store, now: now, depth: 2 * MaxRanking}
}

// RankingQuery selects a ranking.
type RankingQuery struct {
	Period PeriodQuery
	Of     Ranked
	Limit  int // 1 to MaxRanking
	With   Comparison
}

// Ranking is the list of those with the most pulls in a period. The counts are exact.
type Ranking struct {
	Period   Period
	Compared *Period // nil unless requested
	Entries  []RankingEntry
	// Complete means that nobody else has more pulls than the last entry. It is false only for a
	// period of several months or days with more entries than are read of each.
	Complete bool
	AsOf     time.Time
	Partial  bool // the period includes today
}

// RankingEntry is a place of a ranking.
type RankingEntry struct {
	PullCount
	Before int64 // pulls in the period of the comparison; 0 without one
}

// Top returns a ranking. It makes one call for each span of the period, a call for each entry of a
// comparison, and further calls only if the spans are longer than what is read of them. It returns
// the errors of PeriodQuery.Resolve and of the store.
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
	ranking := Ranking{Period: period, Compared: period.compared(query.With), AsOf: now, Partial: period.Last >= today}
	counts, complete, err := r.merge(ctx, spans, period, query.Limit)
	if err != nil {
		return Ranking{}, err
	}
	ranking.Complete, ranking.Entries = complete, make([]RankingEntry, len(counts))
	for i, c := range counts {
		ranking.Entries[i].PullCount = c
	}
	return ranking, r.compare(ctx, &ranking)
}

// compare sets the pulls of each entry in the period of the comparison.
func (r *Rankings) compare(ctx context.Context, ranking *Ranking) error {
	if ranking.Compared == nil {
		return nil
	}
	return parallel.Each(len(ranking.Entries), maxConcurrentReads, func(i int) (err error) {
		e := &ranking.Entries[i]
		e.Before, err = r.store.PullsOf(ctx, e.Puller, ranking.Compared.First, ranking.Compared.Last)
		return err
	})
}

// calendarSpans covers the period with as few years, months and days as possible. Because nothing
// has happened after today, a period that ends today may be covered up to the end of the year.
func (p Period) calendarSpans(today calendar.Day) []string {
	last := p.Last
	if last >= today {
		last = firstOf(today.Begin().Year()+1, time.January) - 1
	}
	var spans []string
	for day := p.First; day <= p.Last; {
		year, month, date := day.Begin().Date()
		nextYear, nextMonth := firstOf(year+1, time.January), firstOf(year, month+1)
		switch {
		case date == 1 && month == time.January && nextYear-1 <= last:
			spans, day = append(spans, fmt.Sprintf("%04d", year)), nextYear
		case date == 1 && nextMonth-1 <= last:
			spans, day = append(spans, fmt.Sprintf("%04d-%02d", year, month)), nextMonth
		default:
			spans, day = append(spans, day.String()), day+1
		}
	}
	return spans
}

func (r *Rankings) readSpans(ctx context.Context, of Ranked, spans []string) ([]rankedSpan, error) {
	found := make([]rankedSpan, len(spans))
	return found, parallel.Each(len(spans), maxConcurrentReads, func(i int) error {
		entries, err := r.store.Top(ctx, of, spans[i], r.depth)
		found[i].entries = entries
		if len(entries) == r.depth {
			found[i].mostOfOthers = entries[len(entries)-1].Pulls
		}
		return err
	})
}

// rankedSpan is the beginning of the ranking of a span.
type rankedSpan struct {
	entries      []PullCount
	mostOfOthers int64 // what one that is not among the entries can have at most
}

// contender is one that may be among the first of a period.
type contender struct {
	PullCount
	missing int64 // how many more pulls it can have
}

// merge adds up the spans. A contender that is not in the beginning of every span may have more
// pulls than those that were read, so merge reads its days if it can still be among the first.
func (r *Rankings) merge(ctx context.Context, spans []rankedSpan, p Period, limit int) (top []PullCount, complete bool, err error) {
	contenders, most := addUp(spans)
	slices.SortFunc(contenders, func(a, b contender) int {
		return cmp.Or(cmp.Compare(b.Pulls+b.missing, a.Pulls+a.missing), a.compare(b.Puller))
	})
	known := contenders[:min(len(contenders), r.depth)]
	for _, c := range contenders[len(known):] {
		most = max(most, c.Pulls+c.missing)
	}
	err = parallel.Each(len(known), maxConcurrentReads, func(i int) (err error) {
		if known[i].missing > 0 {
			known[i].Pulls, err = r.store.PullsOf(ctx, known[i].Puller, p.First, p.Last)
		}
		return err
	})
	slices.SortFunc(known, func(a, b contender) int {
		return cmp.Or(cmp.Compare(b.Pulls, a.Pulls), a.compare(b.Puller))
	})
	for _, c := range known[:min(len(known), limit)] {
		top = append(top, c.PullCount)
	}
	return top, most == 0 || len(top) > 0 && top[len(top)-1].Pulls >= most, err
}

// addUp returns all that occur in the spans, and how many pulls one that does not occur can have at
// most.
func addUp(spans []rankedSpan) (contenders []contender, mostOfOthers int64) {
	sums := map[Puller]*contender{}
	for _, span := range spans {
		mostOfOthers += span.mostOfOthers
	}
	for _, span := range spans {
		for _, e := range span.entries {
			if sums[e.Puller] == nil {
				sums[e.Puller] = &contender{PullCount: PullCount{Puller: e.Puller}, missing: mostOfOthers}
			}
			sums[e.Puller].Pulls += e.Pulls
			sums[e.Puller].missing -= span.mostOfOthers
		}
	}
	for _, c := range sums {
		contenders = append(contenders, *c)
	}
	return contenders, mostOfOthers
}

func (p Puller) compare(q Puller) int {
	return cmp.Or(
		strings.Compare(p.Repository, q.Repository), strings.Compare(p.Kind, q.Kind), strings.Compare(p.UserID, q.UserID),
	)
}

// maxConcurrentReads limits how many reads of a ranking run at the same time.
const maxConcurrentReads = 8
