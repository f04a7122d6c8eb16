package pullsdynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/calendar"
	"portside/shared/core/retry"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/pullcounts"
)

// ErrRecounting means that a recount of a day is open. No pulls are counted until it is finished.
var ErrRecounting = errors.New("pullsdynamo: a recount of pulls is open; run `portside recount-pulls --fix` with its day to finish it")

// Correction is a number that differs from the log. Counter is the name of an artifact or user, or the ranking of a
// span.
type Correction struct {
	Counter           string
	Stored, Recounted int64
}

// CompareCounts compares the counts of a day by artifact and user, and the rankings of its spans, with the log. Pulls
// that are counted meanwhile can appear as differences.
func (s *Store) CompareCounts(ctx context.Context, day calendar.Day) ([]Correction, error) {
	if _, err := s.CountPending(ctx); err != nil {
		return nil, err
	}
	r := recount{Store: s, day: day}
	return r.run(ctx)
}

// errInterfered means that an item belongs to a later window than the recount's. Another recount has closed the window
// too early for this one, or the item is damaged.
var errInterfered = errors.New("pullsdynamo: a later window has changed the counts")

// Recount corrects the counts of a day by artifact and user, and the rankings of its spans. It takes a separate window,
// so that no other pulls are counted meanwhile. A call after an interruption finishes the window.
func (s *Store) Recount(ctx context.Context, day calendar.Day) ([]Correction, error) {
	var found []Correction
	isTransient := func(err error) bool { return errors.Is(err, errInterfered) }
	err := retry.Default.Do(ctx, isTransient, func() (err error) {
		found, err = s.recountOnce(ctx, day)
		return err
	})
	return found, err
}

// recountOnce closes its window also if it fails, so that pulls are counted again. Its corrections stay right.
func (s *Store) recountOnce(ctx context.Context, day calendar.Day) ([]Correction, error) {
	w, err := s.openRecount(ctx, day)
	if err != nil {
		return nil, err
	}
	r := recount{Store: s, day: day, window: w.Number}
	found, err := r.run(ctx)
	closing := s.putWindow(context.WithoutCancel(ctx), window{Number: w.Number}, w.Number)
	if closing != nil && !items.ConditionFailed(closing) {
		err = errors.Join(err, fmt.Errorf("close the window: %w", closing))
	}
	return found, err
}

// openRecount returns the open window of a recount of the day, or opens one.
func (s *Store) openRecount(ctx context.Context, day calendar.Day) (window, error) {
	for {
		last, _, err := items.Get[window](ctx, items.In(s.client, s.pulls), windowKey())
		if err != nil || last.Recount == day.String() {
			return last, err
		}
		if last.Recount != "" {
			return window{}, fmt.Errorf("%w: %s", ErrRecounting, last.Recount)
		}
		if len(last.Batches) > 0 {
			if _, err := s.countWindow(ctx, last); err != nil {
				return window{}, err
			}
			continue
		}
		next := window{Number: last.Number + 1, Recount: day.String()}
		if err := s.putWindow(ctx, next, last.Number); !items.ConditionFailed(err) {
			return next, err
		}
	}
}

// recount compares a day with its log. With a window it corrects the differences.
type recount struct {
	*Store
	day         calendar.Day
	window      int64
	corrections []Correction
	sums        map[spanRanking]map[string]int64
}

func (r *recount) run(ctx context.Context) ([]Correction, error) {
	want, err := r.logged(ctx)
	if err != nil {
		return nil, err
	}
	r.sums = map[spanRanking]map[string]int64{}
	for _, span := range calendar.SpansOf(r.day) {
		for _, ranking := range []string{pullcounts.Artifact, pullcounts.Person} {
			r.sums[spanRanking{ranking, span.Name}] = map[string]int64{}
		}
	}
	err = r.compareYears(ctx, want)
	for ranking, sums := range r.sums {
		if err == nil {
			err = r.compareTop(ctx, ranking, sums)
		}
	}
	slices.SortFunc(r.corrections, func(a, b Correction) int { return strings.Compare(a.Counter, b.Counter) })
	return r.corrections, err
}

// logged counts the day's pulls in the log, without pending batches. It reads the log first: a writer makes a batch
// pending before it commits it, so that each batch in the log is either pending afterwards or counted.
func (r *recount) logged(ctx context.Context) (map[string]pullcounts.Days, error) {
	var batches []items.Map
	err := r.eachBatch(ctx, r.day, false, func(item items.Map) error {
		batches = append(batches, item)
		return nil
	})
	if err != nil {
		return nil, err
	}
	isPending, err := r.pendingOf(ctx, r.day)
	if err != nil {
		return nil, err
	}
	t := newTally()
	for _, item := range batches {
		sk, _ := item["sk"].(*types.AttributeValueMemberS)
		if sk == nil || isPending[sk.Value] {
			continue
		}
		all, err := unpack(item)
		if err != nil {
			return nil, err
		}
		t.add(all)
	}
	return t.names, nil
}

func (s *Store) pendingOf(ctx context.Context, day calendar.Day) (map[string]bool, error) {
	found := map[string]bool{}
	for _, shard := range shards {
		pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
			TableName: &s.pulls, ConsistentRead: aws.Bool(true),
			KeyConditionExpression: aws.String("pk = :shard AND begins_with(sk, :day)"),
			ExpressionAttributeValues: items.Map{
				":shard": items.Text("pending#" + string(shard)), ":day": items.Text(day.String()),
			},
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return nil, fmt.Errorf("read the pending batches of pulls: %w", err)
			}
			for _, item := range page.Items {
				if sk, ok := item["sk"].(*types.AttributeValueMemberS); ok {
					found[sk.Value] = true
				}
			}
		}
	}
	return found, nil
}

// compareYears compares all stored years, and then the years that should be stored but are not.
func (r *recount) compareYears(ctx context.Context, want map[string]pullcounts.Days) error {
	missing := maps.Clone(want)
	pages := dynamodb.NewScanPaginator(r.client, &dynamodb.ScanInput{
		TableName: &r.analytics, ConsistentRead: aws.Bool(true), FilterExpression: aws.String("begins_with(pk, :prefix)"),
		ExpressionAttributeValues: items.Map{":prefix": items.Text(pullcounts.Prefix)},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("read the counts of pulls: %w", err)
		}
		for _, item := range page.Items {
			if err := r.compareStored(ctx, item, want, missing); err != nil {
				return err
			}
		}
	}
	for name, days := range missing {
		if err := r.compareYear(ctx, name, &year{days: pullcounts.Days{}}, days[r.day]); err != nil {
			return err
		}
	}
	return nil
}

func (r *recount) compareStored(ctx context.Context, item items.Map, want, missing map[string]pullcounts.Days) error {
	key, err := items.Decode[struct{ PK, SK string }](item)
	if err != nil {
		return err
	}
	stored, err := decodeYear(item)
	if err != nil {
		return fmt.Errorf("%s %s: %w", key.PK, key.SK, err)
	}
	name := strings.TrimPrefix(key.PK, pullcounts.Prefix)
	if key.SK != pullcounts.Year(r.day) {
		r.addSums(name, stored.days)
		return nil
	}
	delete(missing, name)
	return r.compareYear(ctx, name, stored, want[name][r.day])
}

// compareYear compares the day in a year, and adds the year to the sums of the spans.
func (r *recount) compareYear(ctx context.Context, name string, stored *year, want int64) error {
	if stored.days[r.day] != want {
		r.corrections = append(r.corrections, Correction{name, stored.days[r.day], want})
		next := &year{r.window, maps.Clone(stored.days)}
		next.days[r.day] = want
		if r.window > 0 {
			if err := r.replaceYear(ctx, name, next, stored.window); err != nil {
				return err
			}
		}
		stored = next
	}
	r.addSums(name, stored.days)
	return nil
}

// replaceYear writes a year. It fails if the year belongs to a later window than this one.
func (r *recount) replaceYear(ctx context.Context, name string, next *year, window int64) error {
	if r.window < window {
		return fmt.Errorf("%w: %s has window %d, and this one is %d", errInterfered, name, window, r.window)
	}
	stored, err := r.putYear(ctx, pullcounts.Key(name, pullcounts.Year(r.day)), next, window)
	if err == nil && stored.days[r.day] != next.days[r.day] {
		err = fmt.Errorf("%w: %s", errInterfered, name)
	}
	return err
}

func (r *recount) addSums(name string, days pullcounts.Days) {
	for _, span := range calendar.SpansOf(r.day) {
		if n := days.Sum(span.First, span.Last); n > 0 {
			r.sums[spanRanking{pullcounts.RankingOf(name), span.Name}][name] += n
		}
	}
}

// compareTop compares a ranking with the sums. With a window it always writes the ranking: the number keeps a slower
// call for the same window from writing after the next window.
func (r *recount) compareTop(ctx context.Context, ranking spanRanking, sums map[string]int64) error {
	stored, last, err := r.readTop(ctx, ranking)
	if err != nil {
		return err
	}
	var all []pullcounts.Place
	for name, n := range sums {
		all = append(all, pullcounts.Place{Name: name, Pulls: n})
	}
	top := pullcounts.Merge(nil, all)
	isWrong := !slices.Equal(stored, top)
	if isWrong {
		r.corrections = append(r.corrections,
			Correction{"ranking " + ranking.ranking + " " + ranking.span, total(stored), total(top)})
	}
	if r.window <= last {
		if isWrong && r.window > 0 {
			return fmt.Errorf("%w: the ranking %s %s has window %d, and this one is %d",
				errInterfered, ranking.ranking, ranking.span, last, r.window)
		}
		return nil
	}
	written, err := r.putTop(ctx, ranking, numbered{top, r.window}, last)
	if err == nil && written > r.window {
		err = fmt.Errorf("%w: the ranking %s %s", errInterfered, ranking.ranking, ranking.span)
	}
	return err
}

func total(top []pullcounts.Place) int64 {
	sum := int64(0)
	for _, p := range top {
		sum += p.Pulls
	}
	return sum
}
