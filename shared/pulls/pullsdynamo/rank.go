package pullsdynamo

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/calendar"
	"portside/shared/core/parallel"
	"portside/shared/dynamo/pullcounts"
)

// spanRanking identifies the ranking of a span.
type spanRanking struct{ ranking, span string }

// changedPlaces returns the pulls of the artifacts and users in each span that has new pulls of them.
func changedPlaces(all []counts, added map[string]pullcounts.Days) map[spanRanking][]pullcounts.Place {
	changed := map[spanRanking][]pullcounts.Place{}
	for _, c := range all {
		spans := map[string]calendar.Span{}
		for day := range added[c.name] {
			for _, span := range calendar.SpansOf(day) {
				spans[span.Name] = span
			}
		}
		for _, span := range spans {
			key := spanRanking{pullcounts.RankingOf(c.name), span.Name}
			changed[key] = append(changed[key], pullcounts.Place{Name: c.name, Pulls: c.sum(span)})
		}
	}
	return changed
}

// rank merges the changed places into the rankings that do not have the window yet. Counts only grow, so the first
// places are among the first places of before and those that changed.
func (s *Store) rank(ctx context.Context, number int64, changed map[spanRanking][]pullcounts.Place) error {
	rankings := slices.Collect(maps.Keys(changed))
	return parallel.Each(len(rankings), maxConcurrentCalls, func(i int) error {
		for stored := int64(-1); stored < number; { // again after a recount of an earlier window, slower than this one
			top, window, err := s.readTop(ctx, rankings[i])
			if err != nil || window >= number {
				return err
			}
			stored, err = s.putTop(ctx, rankings[i], numbered{pullcounts.Merge(top, changed[rankings[i]]), number}, window)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// readTop returns a ranking and its window, strongly consistent.
func (s *Store) readTop(ctx context.Context, r spanRanking) (top []pullcounts.Place, window int64, err error) {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.analytics, Key: pullcounts.TopKey(r.ranking, r.span), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read the ranking of %s: %w", r.span, err)
	}
	top, err = pullcounts.UnpackTop(out.Item)
	return top, number(out.Item[pullcounts.Window]), err
}

// numbered is a ranking with the number of its window.
type numbered struct {
	top    []pullcounts.Place
	window int64
}

// putTop replaces a ranking if its window is still the expected one. It returns the window that is stored then.
func (s *Store) putTop(ctx context.Context, r spanRanking, next numbered, expected int64) (int64, error) {
	item, err := pullcounts.PackTop(next.top)
	if err != nil {
		return 0, err
	}
	maps.Copy(item, pullcounts.TopKey(r.ranking, r.span))
	stored, err := s.putNumbered(ctx, item, next.window, expected)
	return number(stored[pullcounts.Window]), err
}
