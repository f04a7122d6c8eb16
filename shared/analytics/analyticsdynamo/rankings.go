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

// rankedPulls is a place in a ranking. pullsdynamo writes it.
type rankedPulls struct {
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
		found, err := items.Decode[rankedPulls](item)
		if err != nil {
			return nil, s.itemError(item, err)
		}
		top[i] = analytics.PullCount{RankedItem: parseItem(found.SK), Pulls: found.Pulls}
	}
	return top, nil
}

// PullsOf implements analytics.RankingStore with one call. It reads one item for each month.
func (s *Store) PullsOf(ctx context.Context, ranked analytics.RankedItem, first, last calendar.Day) (int64, error) {
	sum := int64(0)
	err := s.eachItem(ctx, itemRange{"pulls#" + itemName(ranked), monthOf(first), monthOf(last)}, func(item items.Map) error {
		n, err := pullsOfDays(item, first, last)
		sum += n
		return err
	})
	return sum, err
}

func monthOf(day calendar.Day) string { return day.Begin().Format("2006-01") }

// pullsOfDays adds up the attributes d01 to d31 of a month that are in the period.
func pullsOfDays(item items.Map, first, last calendar.Day) (int64, error) {
	month, err := items.Decode[struct {
		SK string `dynamodbav:"sk"`
	}](item)
	if err != nil {
		return 0, err
	}
	begin, err := calendar.ParseDay(month.SK + "-01")
	if err != nil {
		return 0, fmt.Errorf("read the pulls of a month: %w", err)
	}
	sum := int64(0)
	for day := max(begin, first); day <= last && monthOf(day) == month.SK; day++ {
		attribute, ok := item[day.Begin().Format("d02")]
		if !ok {
			continue
		}
		n, isInt := intAttribute(attribute)
		if !isInt {
			return 0, fmt.Errorf("read the pulls of %s: the count is not a whole number", day)
		}
		sum += n
	}
	return sum, nil
}

const person = "person"

// itemName is the name of an artifact or a user in keys.
func itemName(item analytics.RankedItem) string {
	if item.UserID != "" {
		return person + "#" + item.UserID
	}
	return item.Kind + "#" + item.Repository
}

func parseItem(name string) analytics.RankedItem {
	kind, rest, _ := strings.Cut(name, "#")
	if kind == person {
		return analytics.RankedItem{UserID: rest}
	}
	return analytics.RankedItem{Kind: kind, Repository: rest}
}
