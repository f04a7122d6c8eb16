package usersdynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/items"
	"portside/shared/rank"
	"portside/shared/users"
)

// List implements users.Store: the counters say where the offset lies, then one Query reads from the start of its leaf.
func (s *Store) List(ctx context.Context, query users.Query) (users.Page, error) {
	place, err := s.ranks.Find(ctx, string(query.Role), query.Offset)
	if err != nil {
		return users.Page{}, err
	}
	page := users.Page{Users: []users.User{}, Total: place.Total}
	if place.PastEnd {
		return page, nil
	}
	list := allUsers
	if query.Role != "" {
		list = string(query.Role)
	}
	page.Users, err = s.readList(ctx, list, place, query.Limit)
	return page, err
}

func (s *Store) readList(ctx context.Context, list string, place rank.Place, limit int) ([]users.User, error) {
	pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true),
		Limit:                     aws.Int32(int32(place.Skip + limit)), //nolint:gosec // both are small: a leaf and a page
		KeyConditionExpression:    aws.String("pk = :list AND sk >= :start"),
		ExpressionAttributeValues: items.Map{":list": items.Text("list#" + list), ":start": items.Text(numberKey(place.Start))},
	})
	found, passed := make([]users.User, 0, limit), 0
	for pages.HasMorePages() && len(found) < limit {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", list, err)
		}
		for _, item := range page.Items {
			if passed++; passed <= place.Skip || len(found) == limit {
				continue
			}
			stored, err := items.Decode[listItem](item)
			if err != nil {
				return nil, err
			}
			found = append(found, stored.user())
		}
	}
	return found, nil
}
