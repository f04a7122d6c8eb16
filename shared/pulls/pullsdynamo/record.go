package pullsdynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/calendar"
	"portside/shared/dynamo/transactions"
	"portside/shared/pulls"
)

// Record implements pulls.Store. Of several lines of one pull in a call, the earliest counts.
func (s *Store) Record(ctx context.Context, all []pulls.Pull) (int, error) {
	added := 0
	for rest := distinct(all); len(rest) > 0; {
		n := countFitting(rest)
		written, err := s.write(ctx, rest[:n])
		added += written
		if err != nil {
			return added, fmt.Errorf("record pulls: %w", err)
		}
		rest = rest[n:]
	}
	return added, nil
}

// distinct returns each pull once. Pulls that are counted together are adjacent, so that a
// transaction takes many of them.
func distinct(all []pulls.Pull) []pulls.Pull {
	kept := slices.Clone(all)
	slices.SortFunc(kept, func(a, b pulls.Pull) int {
		return cmp.Or(
			cmp.Compare(calendar.DayOf(a.At), calendar.DayOf(b.At)), cmp.Compare(a.Kind, b.Kind),
			strings.Compare(a.Repository, b.Repository), strings.Compare(a.Reference, b.Reference),
			strings.Compare(a.ID(), b.ID()), a.At.Compare(b.At),
		)
	})
	return slices.CompactFunc(kept, func(a, b pulls.Pull) bool { return a.ID() == b.ID() })
}

// countFitting returns how many pulls from the beginning fit into one transaction: at least one.
func countFitting(all []pulls.Pull) int {
	counts := tally{}
	for i, p := range all {
		counts.add(p)
		if 2*(i+1)+len(counts) > transactions.MaxItems {
			return i
		}
	}
	return len(all)
}

// write records the new pulls among those given, all or nothing, and returns their number. Pulls
// that exist fail the condition of their markers and are left out of the next attempt.
func (s *Store) write(ctx context.Context, chunk []pulls.Pull) (int, error) {
	for len(chunk) > 0 {
		err := transactions.Write(ctx, s.client, s.writes(chunk))
		if err == nil {
			return len(chunk), nil
		}
		failed, known := errors.AsType[*transactions.ConditionFailed](err)
		if !known {
			return 0, err
		}
		chunk = without(chunk, failed.Failures)
	}
	return 0, nil
}

// without returns the pulls whose markers did not fail. The markers are the first writes of a
// transaction.
func without(chunk []pulls.Pull, failures []transactions.Failure) []pulls.Pull {
	recorded := map[int]bool{}
	for _, f := range failures {
		recorded[f.Index] = true
	}
	var left []pulls.Pull
	for i, p := range chunk {
		if !recorded[i] {
			left = append(left, p)
		}
	}
	return left
}

// writes returns the markers in the order of the pulls, then all other writes.
func (s *Store) writes(chunk []pulls.Pull) []types.TransactWriteItem {
	counts := tally{}
	var markers, rest []types.TransactWriteItem
	for _, p := range chunk {
		counts.add(p)
		markers = append(markers, types.TransactWriteItem{Put: &types.Put{
			TableName: &s.pulls, Item: markerOf(p), ConditionExpression: aws.String("attribute_not_exists(pk)"),
		}})
		rest = append(rest, types.TransactWriteItem{Put: &types.Put{TableName: &s.pulls, Item: itemOf(p)}})
	}
	return slices.Concat(markers, rest, counts.writes(s.analytics))
}
