package analyticsdynamo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/pullcounts"
)

var _ analytics.RankingStore = (*Store)(nil)

// Tops implements analytics.RankingStore with one call for 100 spans.
func (s *Store) Tops(ctx context.Context, of analytics.RankingKind, spans []calendar.Span) ([][]analytics.PullCount, int, error) {
	tops, index := make([][]analytics.PullCount, len(spans)), map[string]int{}
	keys := make([]items.Map, len(spans))
	for i, span := range spans {
		keys[i] = pullcounts.TopKey(string(of), span.Name)
		index[textAttribute(keys[i]["pk"])] = i
	}
	for chunk := range slices.Chunk(keys, keysPerCall) {
		err := s.eachKey(ctx, chunk, func(item items.Map) error {
			top, err := pullcounts.UnpackTop(item)
			tops[index[textAttribute(item["pk"])]] = pullCounts(top)
			return err
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return tops, pullcounts.MaxPlaces, nil
}

// keysPerCall is the limit of BatchGetItem.
const keysPerCall = 100

// eachKey reads items with eventual consistency.
func (s *Store) eachKey(ctx context.Context, keys []items.Map, visit func(items.Map) error) error {
	for len(keys) > 0 {
		out, err := s.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{s.table: {Keys: keys}},
		})
		if err != nil {
			return fmt.Errorf("read rankings: %w", err)
		}
		for _, item := range out.Responses[s.table] {
			if err := visit(item); err != nil {
				return s.itemError(item, err)
			}
		}
		keys = out.UnprocessedKeys[s.table].Keys
	}
	return nil
}

func textAttribute(value types.AttributeValue) string {
	text, ok := value.(*types.AttributeValueMemberS)
	if !ok {
		return ""
	}
	return text.Value
}

func pullCounts(top []pullcounts.Place) []analytics.PullCount {
	counts := make([]analytics.PullCount, len(top))
	for i, place := range top {
		counts[i] = analytics.PullCount{RankedItem: parseItem(place.Name), Pulls: place.Pulls}
	}
	return counts
}

// PullsOf implements analytics.RankingStore with one call. It reads one item for each year.
func (s *Store) PullsOf(ctx context.Context, ranked analytics.RankedItem, first, last calendar.Day) (int64, error) {
	sum := int64(0)
	years := itemRange{pullcounts.Prefix + itemName(ranked), pullcounts.Year(first), pullcounts.Year(last)}
	err := s.eachItem(ctx, years, func(item items.Map) error {
		days, err := pullcounts.UnpackDays(item)
		sum += days.Sum(first, last)
		return err
	})
	return sum, err
}

// itemName is the name of an artifact or a user in keys.
func itemName(item analytics.RankedItem) string {
	if item.UserID != "" {
		return pullcounts.Name(pullcounts.Person, item.UserID)
	}
	return pullcounts.Name(item.Kind, item.Repository)
}

func parseItem(name string) analytics.RankedItem {
	kind, rest, _ := strings.Cut(name, "#")
	if kind == pullcounts.Person {
		return analytics.RankedItem{UserID: rest}
	}
	return analytics.RankedItem{Kind: kind, Repository: rest}
}
