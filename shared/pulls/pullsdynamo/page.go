package pullsdynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/dynamo/items"
	"portside/shared/pulls"
)

// Page implements pulls.Store with one query of an index. For everybody's pulls, it queries one
// month after the other until one has pulls. Indexes are consistent with the table within moments.
func (s *Store) Page(ctx context.Context, want pulls.Range) ([]pulls.Pull, bool, error) {
	q := keyRange{limit: want.Limit}
	if q.low, q.high = bounds(want); q.low >= q.high {
		return nil, false, nil
	}
	if want.After != "" {
		q.limit++ // the query also returns the pull at that position
	}
	if q.attribute, q.value = indexed(want.By); q.attribute != "" {
		return s.query(ctx, q)
	}
	return s.byMonth(ctx, want, q)
}

func (s *Store) byMonth(ctx context.Context, want pulls.Range, q keyRange) ([]pulls.Pull, bool, error) {
	first := monthOf(want.From)
	for month := monthOf(lastOf(want)); !month.Before(first); month = month.AddDate(0, -1, 0) {
		q.attribute, q.value = "pk", partition(month)
		found, more, err := s.query(ctx, q)
		if err != nil || len(found) > 0 {
			return found, more || month.After(first), err
		}
	}
	return nil, false, nil
}

// bounds returns the sort keys that enclose the range. A time without an id sorts before every
// pull of that millisecond, so it is inclusive as a lower and exclusive as an upper bound. A
// position is always an upper bound.
func bounds(want pulls.Range) (low, high string) {
	high = want.To.UTC().Format(pulls.Stamp)
	if want.After != "" {
		high = min(high, string(want.After))
	}
	return want.From.UTC().Format(pulls.Stamp), high
}

// lastOf returns the latest time that a pull in the range can have.
func lastOf(want pulls.Range) time.Time {
	if at, ok := want.After.At(); ok && at.Before(want.To) {
		return at
	}
	return want.To
}

func monthOf(at time.Time) time.Time {
	at = at.UTC()
	return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// indexed returns the attribute that leads the index of a key. Each index is named after its
// attribute.
func indexed(key pulls.Key) (attribute, value string) {
	switch {
	case key.Credential != "":
		return "credential", key.Credential
	case key.Owner != "":
		return "owner", key.Owner
	case key.Repository != "":
		return "repository", key.Repository
	}
	return "", ""
}

var indexes = map[string]string{"credential": "byCredential", "owner": "byOwner", "repository": "byRepository"}

// keyRange is a range within one partition of the table or of an index.
type keyRange struct {
	attribute, value string
	low, high        string
	limit            int
}

func (s *Store) query(ctx context.Context, q keyRange) ([]pulls.Pull, bool, error) {
	input := &dynamodb.QueryInput{
		TableName: &s.pulls, ScanIndexForward: aws.Bool(false), Limit: aws.Int32(int32(q.limit)),
		KeyConditionExpression:    aws.String("#by = :by AND sk BETWEEN :low AND :high"),
		ExpressionAttributeNames:  map[string]string{"#by": q.attribute},
		ExpressionAttributeValues: items.Map{":by": items.Text(q.value), ":low": items.Text(q.low), ":high": items.Text(q.high)},
	}
	if index, ok := indexes[q.attribute]; ok {
		input.IndexName = &index
	}
	out, err := s.client.Query(ctx, input)
	if err != nil {
		return nil, false, fmt.Errorf("read the pulls: %w", err)
	}
	found, err := pullsOf(out.Items, pulls.Position(q.high))
	return found, out.LastEvaluatedKey != nil, err
}

// pullsOf decodes the items without the pull at the upper bound, which belongs to the previous
// page.
func pullsOf(all []items.Map, high pulls.Position) ([]pulls.Pull, error) {
	found := make([]pulls.Pull, 0, len(all))
	for _, item := range all {
		p, err := pullOf(item)
		if err != nil {
			return nil, err
		}
		if p.Position() != high {
			found = append(found, p)
		}
	}
	return found, nil
}
