package pullsdynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/parallel"
	"portside/shared/dynamo/items"
	"portside/shared/pulls"
)

// Page implements pulls.Store. The pulls of an owner, of a customer or of a repository come from all shards of an
// index, which is consistent with the table within moments. The pulls of a credential come from the table itself, those
// of everybody from the log.
func (s *Store) Page(ctx context.Context, want pulls.Range) ([]pulls.Pull, bool, error) {
	if low, high := bounds(want); low >= high {
		return nil, false, nil
	}
	switch {
	case want.By.Credential != "":
		return s.ofCredential(ctx, want)
	case want.By.Owner != "":
		return s.fromIndex(ctx, index{"byOwner", "ownerShard", want.By.Owner}, want)
	case want.By.Customer != "":
		return s.fromIndex(ctx, index{"byCustomer", "customerShard", want.By.Customer}, want)
	case want.By.Repository != "":
		return s.fromIndex(ctx, index{"byRepository", "repositoryShard", want.By.Repository}, want)
	default:
		return s.ofEverybody(ctx, want)
	}
}

// bounds returns the positions that enclose the range. A time without an id sorts before every pull of that
// millisecond, so it is inclusive as a lower and exclusive as an upper bound. A position is always an upper bound.
func bounds(want pulls.Range) (low, high pulls.Position) {
	high = pulls.Position(want.To.UTC().Format(pulls.Stamp))
	if want.After != "" {
		high = min(high, want.After)
	}
	return pulls.Position(want.From.UTC().Format(pulls.Stamp)), high
}

// lastOf returns the latest time that a pull in the range can have.
func lastOf(want pulls.Range) time.Time {
	if at, ok := want.After.At(); ok && at.Before(want.To) {
		return at
	}
	return want.To
}

// index is a key in an index, and its shards.
type index struct{ name, attribute, value string }

// fromIndex reads a page from each shard and merges them.
func (s *Store) fromIndex(ctx context.Context, by index, want pulls.Range) ([]pulls.Pull, bool, error) {
	pages := make([]*dynamodb.QueryOutput, len(shards))
	err := parallel.Each(len(shards), len(shards), func(i int) (err error) {
		pages[i], err = s.queryShard(ctx, by, shards[i:i+1], want)
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("read the pulls: %w", err)
	}
	found := newPage(want)
	for _, page := range pages {
		found.more = found.more || page.LastEvaluatedKey != nil
		for _, item := range page.Items {
			p, _, err := decodeRecorded(item)
			if err != nil {
				return nil, false, err
			}
			found.add(p)
		}
	}
	all, more := found.first()
	return all, more, nil
}

// queryShard reads one item more than the page needs, because the first can be the pull at the upper bound.
func (s *Store) queryShard(ctx context.Context, by index, shard string,
	want pulls.Range) (*dynamodb.QueryOutput, error) {
	low, high := bounds(want)
	return s.client.Query(ctx, &dynamodb.QueryInput{
		TableName: &s.pulls, IndexName: &by.name, ScanIndexForward: aws.Bool(false),
		Limit:                    aws.Int32(int32(want.Limit + 1)), //nolint:gosec // at most a page
		KeyConditionExpression:   aws.String("#by = :by AND #position BETWEEN :low AND :high"),
		ExpressionAttributeNames: map[string]string{"#by": by.attribute, "#position": "position"},
		ExpressionAttributeValues: items.Map{
			":by": items.Text(listOf(want.IsChecks) + by.value + "#" + shard), ":low": items.Text(string(low)),
			":high": items.Text(string(high)),
		},
	})
}

// ofCredential reads whole minutes, because the items of a minute are in the order of their ids.
func (s *Store) ofCredential(ctx context.Context, want pulls.Range) ([]pulls.Pull, bool, error) {
	found := newPage(want)
	err := s.readRange(ctx, keyRange{
		pk: listOf(want.IsChecks) + credentialPrefix + want.By.Credential, limit: want.Limit + 1,
		low: want.From.UTC().Format(minuteLayout), high: lastOf(want).UTC().Format(minuteLayout) + "~",
	}, func(item items.Map) (bool, error) {
		p, _, err := decodeRecorded(item)
		found.add(p)
		endOfMinute := p.At.Truncate(time.Minute).Add(time.Minute - time.Millisecond)
		return found.isFull(endOfMinute), err
	})
	all, more := found.first()
	return all, more, err
}

// maxBatchesPerQuery bounds the units of a query of the log.
const maxBatchesPerQuery = 64

// ofEverybody reads the batches of one month after the other, until no batch is left that can have a newer pull than
// the page. A batch that ends after the page begins can have pulls of the page, if they are in the same slot.
func (s *Store) ofEverybody(ctx context.Context, want pulls.Range) ([]pulls.Pull, bool, error) {
	found := newPage(want)
	last := endOfSlot(lastOf(want))
	for month := monthOf(last); !month.Before(monthOf(want.From)); month = month.AddDate(0, -1, 0) {
		err := s.readRange(ctx, keyRange{
			pk: logPartition(month, want.IsChecks), limit: min(want.Limit+1, maxBatchesPerQuery),
			low: want.From.UTC().Format(pulls.Stamp), high: last.Format(pulls.Stamp) + "~",
		}, func(item items.Map) (bool, error) { return found.addBatch(item) })
		if err != nil || found.more {
			all, more := found.first()
			return all, more, err
		}
	}
	all, more := found.first()
	return all, more, nil
}

// endOfSlot returns the last time in the slot of a time, in the precision of pulls.
func endOfSlot(at time.Time) time.Time { return at.UTC().Truncate(slot).Add(slot - time.Millisecond) }

func monthOf(at time.Time) time.Time {
	at = at.UTC()
	return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// keyRange is a range within one partition of the table.
type keyRange struct {
	pk, low, high string
	limit         int // of one query
}

// readRange visits the items of a range in descending order until visit returns true.
func (s *Store) readRange(ctx context.Context, r keyRange, visit func(items.Map) (bool, error)) error {
	pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
		TableName: &s.pulls, ScanIndexForward: aws.Bool(false), Limit: aws.Int32(int32(r.limit)), //nolint:gosec // at most a page
		KeyConditionExpression:    aws.String("pk = :pk AND sk BETWEEN :low AND :high"),
		ExpressionAttributeValues: items.Map{":pk": items.Text(r.pk), ":low": items.Text(r.low), ":high": items.Text(r.high)},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("read the pulls: %w", err)
		}
		for _, item := range page.Items {
			if done, err := visit(item); done || err != nil {
				return err
			}
		}
	}
	return nil
}

// page collects the pulls of a range.
type page struct {
	want      pulls.Range
	low, high pulls.Position
	found     []pulls.Pull
	more      bool
	checked   time.Time // the last argument of isFull
}

func newPage(want pulls.Range) *page {
	low, high := bounds(want)
	return &page{want: want, low: low, high: high}
}

// add adds a pull if it is in the range.
func (p *page) add(pull pulls.Pull) {
	if at := pull.Position(); p.low <= at && at < p.high {
		p.found = append(p.found, pull)
	}
}

// addBatch adds the pulls of a batch and reports whether the page is full.
func (p *page) addBatch(item items.Map) (bool, error) {
	all, err := unpack(item)
	for _, pull := range all {
		p.add(pull)
	}
	sk, _ := item["sk"].(*types.AttributeValueMemberS)
	last, parseErr := time.Parse(pulls.Stamp, sk.Value[:len(pulls.Stamp)])
	if err == nil {
		err = parseErr
	}
	return p.isFull(last), err
}

// isFull reports whether the page is complete and has a pull to spare, if all pulls that are not read yet are at or
// before a time.
func (p *page) isFull(unread time.Time) bool {
	if unread.Equal(p.checked) || len(p.found) < p.want.Limit {
		return false // like the last time, or obviously
	}
	p.checked = unread
	newer := 0
	for _, pull := range p.found {
		if pull.At.After(unread) {
			newer++
		}
	}
	p.more = newer >= p.want.Limit
	return p.more
}

// first returns the newest pulls of the range, and whether there may be more.
func (p *page) first() ([]pulls.Pull, bool) {
	sortNewestFirst(p.found)
	if len(p.found) > p.want.Limit {
		return p.found[:p.want.Limit], true
	}
	return p.found, p.more
}
