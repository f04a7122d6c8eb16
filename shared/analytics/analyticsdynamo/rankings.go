package analyticsdynamo

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
)

var _ analytics.RankingStore = (*Store)(nil)

// pullsItem is the number of pulls of an artifact, or by a user, in a span. pullsdynamo writes it.
type pullsItem struct {
	PK    string `dynamodbav:"pk"`
	SK    string `dynamodbav:"sk"`
	Pulls int64  `dynamodbav:"pulls"`
}

// Top implements analytics.RankingStore with one call.
func (s *Store) Top(ctx context.Context, of analytics.RankingKind, span string, limit int) ([]analytics.PullCount, error) {
	out, err := s.client.Query(ctx, &dynamodb.QueryInput{
		TableName: &s.table, IndexName: aws.String("byPulls"), ScanIndexForward: aws.Bool(false), Limit: aws.Int32(int32(limit)),
		KeyConditionExpression:    aws.String("ranking = :ranking"),
		ExpressionAttributeValues: items.Map{":ranking": items.Text(string(of) + "#" + span)},
	})
	if err != nil {
		return nil, fmt.Errorf("read the ranking of %s: %w", span, err)
	}
	top := make([]analytics.PullCount, len(out.Items))
	for i, item := range out.Items {
		found, err := items.Decode[pullsItem](item)
		if err != nil {
			return nil, s.itemError(item, err)
		}
		top[i] = analytics.PullCount{RankedItem: parseItem(found.PK), Pulls: found.Pulls}
	}
	return top, nil
}

// PullsOf implements analytics.RankingStore with one call for every megabyte, which is about 30
// years.
func (s *Store) PullsOf(ctx context.Context, ranked analytics.RankedItem, first, last calendar.Day) (int64, error) {
	sum := int64(0)
	err := s.eachDay(ctx, dayRange{pullsPartition(ranked), first, last}, func(item items.Map) error {
		found, err := items.Decode[pullsItem](item)
		if len(found.SK) == len("2006-01-02") { // not a month or a year
			sum += found.Pulls
		}
		return err
	})
	return sum, err
}

const person = "person"

func pullsPartition(item analytics.RankedItem) string {
	if item.UserID != "" {
		return "pulls#" + person + "#" + item.UserID
	}
	return "pulls#" + item.Kind + "#" + item.Repository
}

func parseItem(partition string) analytics.RankedItem {
	kind, name, _ := strings.Cut(strings.TrimPrefix(partition, "pulls#"), "#")
	if kind == person {
		return analytics.RankedItem{UserID: name}
	}
	return analytics.RankedItem{Kind: kind, Repository: name}
}
