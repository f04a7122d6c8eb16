package credentialsdynamo

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/credentials"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/windowcounts"
)

const (
	// removedMinutes is how many counters of preceding minutes each request removes.
	removedMinutes = 3
	// sweepAbove is how many old counters may remain before another call removes them.
	sweepAbove = 8
)

// CountRequest implements credentials.Store. It reads the record and counts the request at the same time, so it takes
// one round trip, one read unit and one write unit; for a user of a customer two read units, see getWithCustomer. The
// first use in LastUseResolution takes another write unit, for the index of last uses.
//
// The item of the count has its own table, which functions can change that may only read credentials. Its key is
// derived from the presented secret, because the count does not wait for the record. Requests with a wrong secret
// therefore count on another item, which soon expires. The first request of a credential takes another call; see
// RecordUse.
//
// The item has an attribute for each minute ("m29417760"). Each request removes those of the minutes just before.
// Counters that remain after a pause are removed once several have accumulated.
func (r *Requests) CountRequest(ctx context.Context, secret credentials.Secret, at time.Time) (credentials.Presented, int, error) {
	var found credentials.Presented
	var missing error
	var reads sync.WaitGroup
	reads.Go(func() { found, missing = r.getWithCustomer(ctx, secret.ID()) })
	counted, err := r.count(ctx, secret, at)
	reads.Wait()
	switch {
	case missing != nil:
		return credentials.Presented{}, 0, missing
	case !secret.Matches(found.Hash):
		return credentials.Presented{}, 0, credentials.ErrUnknown
	case err != nil:
		return credentials.Presented{}, 0, err
	}
	if counted.PurgeAt < keptAtLeast(found.Credential, at).Unix() {
		if err := r.RecordUse(ctx, found.Credential, at); err != nil {
			return credentials.Presented{}, 0, err
		}
	}
	found.LastUsedAt = lastUse(at)
	return found, counted.used, nil
}

// CountOwner implements credentials.Store with one conditional write, and another one if it fails. The owner has an
// item for each minute, with the pk "owner#<id>#<minute>".
func (r *Requests) CountOwner(ctx context.Context, c credentials.Credential, block credentials.Block, at time.Time) (bool, error) {
	return r.countTogether(ctx, requester{c, "owner#" + c.Owner.ID, credentials.OwnerExhausted}, block, at)
}

// CountCustomer implements credentials.Store, as CountOwner does, with the pk "customer#<id>#<minute>".
//
// All users of a customer share this item, and DynamoDB takes 1,000 writes a second to one item. The greatest limit,
// 1,000,000 requests per minute in blocks of 32, needs 521. Each credential adds up to 4 in a minute until its blocks
// are that large, and 1 that is refused. So the item has room for some 5,700 credentials that make many requests in the
// same minute, or for 60,000 that make one, but not for more than 1,000 that make their first request of the minute in
// the same second. A write above that is retried, and then the request fails.
func (r *Requests) CountCustomer(ctx context.Context, c credentials.Credential, block credentials.Block, at time.Time) (bool, error) {
	return r.countTogether(ctx, requester{c, "customer#" + c.Owner.CustomerID, credentials.CustomerExhausted}, block, at)
}

// Find implements credentials.Store. It takes the same reads as CountRequest.
func (r *Requests) Find(ctx context.Context, secret credentials.Secret) (credentials.Presented, error) {
	found, err := r.getWithCustomer(ctx, secret.ID())
	if err == nil && !secret.Matches(found.Hash) {
		err = credentials.ErrUnknown
	}
	return found, err
}

// CountStep implements credentials.Store with one conditional write to an item for each minute, with the pk
// "step#<kind>#<subject>#<minute>". It exceeds the limit by less than a step.
func (r *Requests) CountStep(ctx context.Context, step credentials.Step, at time.Time) (int, bool, error) {
	used, ok, err := r.counter.Add(ctx, windowcounts.Events{
		PK: "step#" + step.Kind.String() + "#" + step.Subject + "#" + strconv.FormatInt(minuteAt(at), 10),
		N:  step.Requests, Limit: step.Limit, PurgeAt: at.Add(time.Hour),
	})
	if err != nil {
		return 0, false, fmt.Errorf("count a step of requests: %w", err)
	}
	if !ok {
		return step.Limit, false, nil
	}
	return used, true, nil
}

// requester is a credential whose requests count together with those of other credentials.
type requester struct {
	credentials.Credential

	together  string // whose requests they are; the beginning of the key
	exhausted int64  // is added to the requests of the credential if there may be no more
}

func (r *Requests) countTogether(ctx context.Context, who requester, block credentials.Block, at time.Time) (bool, error) {
	minute := minuteAt(at)
	_, ok, err := r.counter.Add(ctx, windowcounts.Events{
		PK: who.together + "#" + strconv.FormatInt(minute, 10), N: block.Requests, Limit: block.Limit, PurgeAt: at.Add(time.Hour),
	})
	if err != nil {
		return false, fmt.Errorf("count requests of %s: %w", who.together, err)
	}
	if !ok {
		return false, r.exhaust(ctx, who, minute)
	}
	return true, nil
}

// exhaust makes the credential exceed its limit for the rest of the minute, so that its later requests need not update
// the common count.
func (r *Requests) exhaust(ctx context.Context, who requester, minute int64) error {
	_, err := r.table.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &r.table.counts, Key: countKey(who.Hash), UpdateExpression: aws.String("ADD #now :many"),
		ConditionExpression:       aws.String("attribute_exists(pk)"),
		ExpressionAttributeNames:  map[string]string{"#now": counterName(minute)},
		ExpressionAttributeValues: items.Map{":many": items.Number(who.exhausted)},
	})
	if err != nil && !items.ConditionFailed(err) { // the count has just expired
		return fmt.Errorf("exhaust credential %s: %w", who.ID, err)
	}
	return nil
}

// count is the item of a credential in the table of request counts. The items of wrong secrets have no owner and
// credential.
type count struct {
	PK         string `dynamodbav:"pk"`
	Owner      string `dynamodbav:"owner,omitempty"`
	Credential string `dynamodbav:"credential,omitempty"` // kind and id; see useSK
	LastUsed   int64  `dynamodbav:"lastUsed"`
	PurgeAt    int64  `dynamodbav:"purgeAt"`

	used int // requests in the current minute
}

// count counts a request of a secret. The condition for sessions keeps a late request from reviving one; their item
// exists from their creation.
func (r *Requests) count(ctx context.Context, secret credentials.Secret, at time.Time) (count, error) {
	out, err := r.table.client.UpdateItem(ctx, r.countInput(secret, at))
	if items.ConditionFailed(err) {
		return count{}, credentials.ErrIdle
	}
	if err != nil {
		return count{}, fmt.Errorf("count a request of credential %s: %w", secret.ID(), err)
	}
	counted, err := items.Decode[count](out.Attributes)
	if err != nil {
		return count{}, err
	}
	used, stale, err := counters(out.Attributes, minuteAt(at))
	if err != nil {
		return count{}, fmt.Errorf("count a request of credential %s: %w", secret.ID(), err)
	}
	counted.used = used
	if len(stale) > sweepAbove {
		err = r.sweep(ctx, counted.PK, stale)
	}
	return counted, err
}

func (r *Requests) countInput(secret credentials.Secret, at time.Time) *dynamodb.UpdateItemInput {
	minute := minuteAt(at)
	names := map[string]string{"#now": counterName(minute)}
	removed := make([]string, removedMinutes)
	for i := range removed {
		removed[i] = "#m" + strconv.Itoa(i)
		names[removed[i]] = counterName(minute - 1 - int64(i))
	}
	input := &dynamodb.UpdateItemInput{
		TableName: &r.table.counts, Key: countKey(secret.Hash()), ReturnValues: types.ReturnValueAllNew,
		UpdateExpression: aws.String("ADD #now :one SET lastUsed = :at, purgeAt = if_not_exists(purgeAt, :purge) REMOVE " +
			strings.Join(removed, ", ")),
		ExpressionAttributeNames: names,
		ExpressionAttributeValues: items.Map{
			":one": items.Number(1), ":at": items.Number(items.Millis(lastUse(at))),
			":purge": items.Number(at.Add(unclaimedLife).Unix()),
		},
	}
	if secret.Kind() == credentials.Session {
		input.ConditionExpression = aws.String("lastUsed > :idle")
		input.ExpressionAttributeValues[":idle"] = items.Number(items.Millis(at.Add(-credentials.SessionIdle)))
	}
	return input
}

// counters returns the count of the current minute and the names of all other counters on the item.
func counters(item items.Map, minute int64) (used int, stale []string, err error) {
	for name, value := range item {
		n, isNumber := value.(*types.AttributeValueMemberN)
		if !isNumber || !isCounter(name) {
			continue
		}
		if name != counterName(minute) {
			stale = append(stale, name)
			continue
		}
		if used, err = strconv.Atoi(n.Value); err != nil {
			return 0, nil, fmt.Errorf("counter %s: %w", name, err)
		}
	}
	return used, stale, nil
}

func (r *Requests) sweep(ctx context.Context, pk string, stale []string) error {
	names := make(map[string]string, len(stale))
	removed := make([]string, len(stale))
	for i, name := range stale {
		removed[i] = "#s" + strconv.Itoa(i)
		names[removed[i]] = name
	}
	_, err := r.table.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &r.table.counts, Key: items.Map{"pk": items.Text(pk)},
		ConditionExpression:      aws.String("attribute_exists(pk)"),
		UpdateExpression:         aws.String("REMOVE " + strings.Join(removed, ", ")),
		ExpressionAttributeNames: names,
	})
	if err != nil && !items.ConditionFailed(err) { // it has just expired
		return fmt.Errorf("sweep the counters of a credential: %w", err)
	}
	return nil
}

// countKey returns the key of the count of a secret with this hash. It is another hash, so that the tables have no
// secret's hash in common.
func countKey(hash []byte) items.Map {
	sum := sha256.Sum256(hash)
	return items.Map{"pk": items.Text(base64.RawURLEncoding.EncodeToString(sum[:]))}
}

func minuteAt(at time.Time) int64 { return at.Unix() / 60 }

func counterName(minute int64) string { return "m" + strconv.FormatInt(minute, 10) }

func isCounter(name string) bool {
	if len(name) < 2 || name[0] != 'm' {
		return false
	}
	_, err := strconv.ParseInt(name[1:], 10, 64)
	return err == nil
}

func lastUse(at time.Time) time.Time { return at.Truncate(credentials.LastUseResolution) }
