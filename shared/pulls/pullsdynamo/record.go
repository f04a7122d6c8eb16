package pullsdynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/parallel"
	"portside/shared/dynamo/items"
	"portside/shared/pulls"
)

// maxRounds bounds how often Record tries to get a pull that other writers take at the same time.
const maxRounds = 20

// errContested means that the pulls were taken over by other writers again and again.
var errContested = errors.New("pullsdynamo: other writers take over the same pulls; deliver them again")

// candidate is a pull to record. Holder is the batch that has it, or empty if it is not stored.
type candidate struct {
	pulls.Pull
	holder string
}

// Record implements pulls.Store. If a call has several lines of one pull, the earliest counts. It records the checks
// after the pulls, so that pulls do not wait for checks.
func (s *Store) Record(ctx context.Context, all []pulls.Pull) (int, error) {
	var fetched, checks []pulls.Pull
	for _, p := range all {
		if p.IsCheck {
			checks = append(checks, p)
		} else {
			fetched = append(fetched, p)
		}
	}
	added, err := s.recordDistinct(ctx, fetched)
	if err != nil {
		return added, err
	}
	checked, err := s.recordChecks(ctx, checks)
	return added + checked, err
}

// recordDistinct adds pulls, or the first checks of hours.
func (s *Store) recordDistinct(ctx context.Context, all []pulls.Pull) (int, error) {
	added, candidates := 0, distinct(all)
	for range maxRounds {
		if len(candidates) == 0 {
			return added, nil
		}
		written, contested, err := s.attempt(ctx, candidates)
		added += written
		if err == nil {
			candidates, err = s.resolve(ctx, contested)
		}
		if err != nil {
			return added, fmt.Errorf("record pulls: %w", err)
		}
	}
	return added, fmt.Errorf("record pulls: %w", errContested)
}

// distinct returns each pull once.
func distinct(all []pulls.Pull) []candidate {
	earliest := map[string]pulls.Pull{}
	for _, p := range all {
		if known, ok := earliest[p.ID()]; !ok || p.At.Before(known.At) {
			earliest[p.ID()] = p
		}
	}
	candidates := make([]candidate, 0, len(earliest))
	for _, p := range earliest {
		candidates = append(candidates, candidate{Pull: p})
	}
	return candidates
}

// attempt records candidates in batches. It returns the number of pulls that it committed, and those that
// another batch has.
func (s *Store) attempt(ctx context.Context, candidates []candidate) (int, []candidate, error) {
	var mu sync.Mutex
	added, contested := 0, []candidate(nil)
	groups := split(candidates)
	err := parallel.Each(len(groups), maxConcurrentCalls/8, func(i int) error {
		written, others, err := s.recordBatch(ctx, groups[i])
		mu.Lock()
		defer mu.Unlock()
		added += written
		contested = append(contested, others...)
		return err
	})
	return added, contested, err
}

// split groups candidates into batches: those of the same slot, up to maxBatchBytes.
func split(candidates []candidate) [][]candidate {
	slices.SortFunc(candidates, func(a, b candidate) int { return a.At.Compare(b.At) })
	var groups [][]candidate
	size := 0
	for i, c := range candidates {
		if i == 0 || !c.At.Truncate(slot).Equal(candidates[i-1].At.Truncate(slot)) || size+textSize(c.Pull) > maxBatchBytes {
			groups, size = append(groups, nil), 0
		}
		size += textSize(c.Pull)
		groups[len(groups)-1] = append(groups[len(groups)-1], c)
	}
	return groups
}

// textSize is an upper bound of the JSON text of a pull: escaped, a byte takes up to six.
func textSize(p pulls.Pull) int {
	const names = 200
	plain := len(p.Repository) + len(p.Reference) + len(p.Digest) + len(p.CredentialID) + len(p.OwnerID)
	return min(names+plain+6*(len(p.Address)+len(p.Client)), maxPullBytes)
}

// recordBatch takes the candidates that no other batch has, and commits them. If another writer abandoned
// the batch meanwhile, all of its pulls are contested.
func (s *Store) recordBatch(ctx context.Context, group []candidate) (int, []candidate, error) {
	batch := newBatch(group[len(group)-1].At)
	if group[0].IsCheck {
		batch += checksSuffix
	}
	mine, others, err := s.claimPulls(ctx, batch, group)
	if err != nil || len(mine) == 0 {
		return 0, others, err
	}
	err = s.commit(ctx, batch, mine)
	if errors.Is(err, errAbandoned) {
		for _, p := range mine {
			others = append(others, candidate{Pull: p, holder: batch})
		}
		return 0, others, nil
	}
	if err != nil {
		return 0, nil, err
	}
	return len(mine), others, nil
}

// claimPulls writes the candidates as pulls of the batch. It returns the pulls that are, and those that another
// batch has.
func (s *Store) claimPulls(ctx context.Context, batch string, group []candidate) (mine []pulls.Pull, others []candidate, err error) {
	stored := make([]candidate, len(group))
	err = parallel.Each(len(group), maxConcurrentCalls, func(i int) (err error) {
		stored[i], err = s.claimPull(ctx, batch, group[i])
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for _, c := range stored {
		if c.holder == batch {
			mine = append(mine, c.Pull)
		} else {
			others = append(others, c)
		}
	}
	return mine, others, nil
}

// claimPull writes a pull, or takes it over from its holder, and returns the pull that is stored then.
func (s *Store) claimPull(ctx context.Context, batch string, c candidate) (candidate, error) {
	write := s.put
	if c.holder != "" {
		write = s.claimFromHolder
	}
	err := write(ctx, batch, c)
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return storedCandidate(failed.Item, c)
	}
	if err != nil {
		return candidate{}, fmt.Errorf("write a pull: %w", err)
	}
	return candidate{Pull: c.Pull, holder: batch}, nil
}

// storedCandidate returns the pull in an item. The item is nil if it has been deleted meanwhile.
func storedCandidate(item items.Map, c candidate) (candidate, error) {
	if item == nil {
		return candidate{Pull: c.Pull}, nil
	}
	p, holder, err := decodeRecorded(item)
	return candidate{Pull: p, holder: holder}, err
}

func (s *Store) put(ctx context.Context, batch string, c candidate) error {
	_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.pulls, Item: itemOf(c.Pull, batch), ConditionExpression: aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	return err
}

func (s *Store) claimFromHolder(ctx context.Context, batch string, c candidate) error {
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.pulls, Key: items.Key(pullKey(c.Pull)), UpdateExpression: aws.String("SET heldBy = :batch"),
		ConditionExpression:                 aws.String("heldBy = :holder"),
		ExpressionAttributeValues:           items.Map{":batch": items.Text(batch), ":holder": items.Text(c.holder)},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	return err
}

// resolve returns the candidates whose holder will never be committed. It waits for holders that have not
// been committed yet, then abandons them.
func (s *Store) resolve(ctx context.Context, contested []candidate) ([]candidate, error) {
	byHolder := map[string][]candidate{}
	for _, c := range contested {
		byHolder[c.holder] = append(byHolder[c.holder], c)
	}
	left := byHolder[""]
	delete(byHolder, "")
	holders := make([]string, 0, len(byHolder))
	for holder := range byHolder {
		holders = append(holders, holder)
	}
	slices.SortFunc(holders, cmp.Compare[string])
	isFree := make([]bool, len(holders))
	err := parallel.Each(len(holders), maxConcurrentCalls, func(i int) (err error) {
		isFree[i], err = s.abandonUnlessCommitted(ctx, holders[i])
		return err
	})
	for i, holder := range holders {
		if isFree[i] {
			left = append(left, byHolder[holder]...)
		}
	}
	return left, err
}

// errUndecided means that a batch is neither committed nor abandoned.
var errUndecided = errors.New("pullsdynamo: the batch is not committed yet")

// abandonUnlessCommitted waits for the commit of a batch, then abandons the batch. It reports whether the batch is
// abandoned, so that its pulls can be taken over.
func (s *Store) abandonUnlessCommitted(ctx context.Context, batch string) (bool, error) {
	var item items.Map
	err := s.patience.Do(ctx, func(err error) bool { return errors.Is(err, errUndecided) }, func() (err error) {
		item, err = s.readBatch(ctx, batch)
		return err
	})
	if errors.Is(err, errUndecided) {
		item, err = s.abandon(ctx, batch)
	}
	return err == nil && isAbandoned(item), err
}

func (s *Store) readBatch(ctx context.Context, batch string) (items.Map, error) {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.pulls, Key: batchKey(batch), ConsistentRead: aws.Bool(true),
		ProjectionExpression: aws.String("pk, " + abandoned),
	})
	if err != nil {
		return nil, fmt.Errorf("read a batch of pulls: %w", err)
	}
	if out.Item == nil {
		return nil, errUndecided
	}
	return out.Item, nil
}
