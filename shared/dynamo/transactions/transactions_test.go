package transactions_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/fault"
	"portside/shared/core/retry"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
)

// store is a table that stores one number per name.
type store struct {
	client *dynamodb.Client
	table  string
}

func newStore(t *testing.T) *store {
	t.Helper()
	client := awstest.DynamoDB(t)
	return &store{client: client, table: awstest.Table(t, client, "UsersTable")}
}

func key(pk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: pk},
		"sk": &types.AttributeValueMemberS{Value: "number"},
	}
}

// add returns writes that add one to the number of each name.
func (s *store) add(names ...string) []types.TransactWriteItem {
	var items []types.TransactWriteItem
	for _, name := range names {
		items = append(items, types.TransactWriteItem{Update: &types.Update{
			TableName: &s.table, Key: key(name), UpdateExpression: aws.String("ADD n :one"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}},
		}})
	}
	return items
}

// create returns a put that fails if the name exists, and then returns the stored item.
func (s *store) create(name string) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &s.table, Item: key(name), ConditionExpression: aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}
}

func (s *store) number(t *testing.T, name string) int {
	t.Helper()
	out, err := s.client.GetItem(t.Context(),
		&dynamodb.GetItemInput{TableName: &s.table, Key: key(name), ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	value, ok := out.Item["n"].(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(value.Value)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// waits records the waits of a policy without jitter.
type waits struct{ slept []time.Duration }

func (w *waits) policy(attempts int) retry.Policy {
	policy := retry.Default
	policy.Attempts = attempts
	policy.Jitter = func(bound time.Duration) time.Duration { return bound }
	policy.Sleep = func(ctx context.Context, d time.Duration) error {
		w.slept = append(w.slept, d)
		return ctx.Err()
	}
	return policy
}

func TestWriteRetriesTransientErrors(t *testing.T) {
	busy := &types.ProvisionedThroughputExceededException{}
	cases := []struct {
		name    string
		fault   error
		retried bool
	}{
		{"conflict", awstest.TransactionConflict(2), true},
		{"only reasons None", awstest.Cancelled("None", "None"), true},
		{"throttled items", awstest.Cancelled("ThrottlingError", "ProvisionedThroughputExceeded"), true},
		{"in progress", &types.TransactionInProgressException{}, true},
		{"throttled", busy, true},
		{"throttled by the account", &types.RequestLimitExceeded{}, true},
		{"lost conflict", awstest.Lost(awstest.TransactionConflict(2)), true},
		{"lost in progress", awstest.Lost(&types.TransactionInProgressException{}), true},
		{"conflict and condition", awstest.Cancelled("TransactionConflict", "ConditionalCheckFailed"), false},
		{"validation", awstest.Cancelled("None", "ValidationError"), false},
		{"collection too large", awstest.Cancelled("ItemCollectionSizeLimitExceeded", "TransactionConflict"), false},
		{"token of another transaction", &types.IdempotentParameterMismatchException{}, false},
		{"no table", &types.ResourceNotFoundException{}, false},
		{"cancelled by the caller", context.Canceled, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, w := newStore(t), &waits{}
			client := awstest.Faulty(s.client, func(_ string, n int) error {
				if n <= 2 {
					return c.fault
				}
				return nil
			})
			err := transactions.WriteWith(t.Context(), w.policy(retry.Default.Attempts), client, s.add("a", "b"))
			if want := map[bool]int{true: 1}[c.retried]; s.number(t, "a") != want || s.number(t, "b") != want {
				t.Errorf("numbers are %d and %d, want %d in both", s.number(t, "a"), s.number(t, "b"), want)
			}
			if (err == nil) != c.retried || (len(w.slept) == 2) != c.retried {
				t.Errorf("error = %v after %d waits, want retried = %v", err, len(w.slept), c.retried)
			}
			if !c.retried && errors.Is(err, transactions.ErrBusy) {
				t.Errorf("error = %v, must not be ErrBusy", err)
			}
		})
	}
}

func TestWriteGivesUpWithErrBusy(t *testing.T) {
	s, w := newStore(t), &waits{}
	client := awstest.Faulty(s.client, func(string, int) error { return awstest.TransactionConflict(1) })
	err := transactions.WriteWith(t.Context(), w.policy(retry.Default.Attempts), client, s.add("a"))
	if !errors.Is(err, transactions.ErrBusy) || fault.KindOf(err) != fault.Unavailable {
		t.Errorf("error = %v, want ErrBusy of kind Unavailable", err)
	}
	if _, ok := errors.AsType[*types.TransactionCanceledException](err); !ok {
		t.Errorf("error = %v, want its cause in the chain", err)
	}
	want := []int64{10, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000, 1000}
	if !slices.EqualFunc(w.slept, want, func(d time.Duration, ms int64) bool { return d.Milliseconds() == ms }) {
		t.Errorf("waits = %v, want milliseconds of %v", w.slept, want)
	}
}

func TestWriteStopsWhenTheContextEnds(t *testing.T) {
	s := newStore(t)
	gone := errors.New("the caller has disconnected")
	ctx, cancel := context.WithCancelCause(t.Context())
	calls := 0
	client := awstest.Faulty(s.client, func(string, int) error {
		calls++
		cancel(gone)
		return awstest.TransactionConflict(1)
	})
	forever := retry.Default
	forever.Jitter = func(time.Duration) time.Duration { return time.Hour }
	err := transactions.WriteWith(ctx, forever, client, s.add("a"))
	if !errors.Is(err, gone) || !errors.Is(err, transactions.ErrBusy) || calls != 1 {
		t.Errorf("error = %v after %d calls, want ErrBusy and the context's cause after one call", err, calls)
	}
}

func TestWriteReportsFailedConditions(t *testing.T) {
	s := newStore(t)
	if err := transactions.Write(t.Context(), s.client,
		[]types.TransactWriteItem{s.create("b"), s.create("d")}); err != nil {
		t.Fatal(err)
	}
	items := append(s.add("a"), s.create("b"), s.create("c"), s.create("d"))
	err := transactions.Write(t.Context(), s.client, items)
	failed, ok := errors.AsType[*transactions.ConditionFailed](err)
	if !ok {
		t.Fatalf("error = %v, want *ConditionFailed", err)
	}
	if index, ok := transactions.FailedAt(err); !ok || index != 1 || failed.Index != 1 {
		t.Errorf("failed at %d and %d, want 1", index, failed.Index)
	}
	if pk, _ := failed.Item["pk"].(*types.AttributeValueMemberS); pk == nil || pk.Value != "b" {
		t.Errorf("old item = %v, want that of b", failed.Item)
	}
	if len(failed.Failures) != 2 || failed.Failures[1].Index != 3 || failed.Failures[1].Item == nil {
		t.Errorf("failures = %+v, want items 1 and 3", failed.Failures)
	}
	if s.number(t, "a") != 0 {
		t.Error("an item of a failed transaction was written")
	}
	if _, ok := transactions.FailedAt(errors.New("other")); ok {
		t.Error("FailedAt found a condition in another error")
	}
}

func TestWriteRejectsTooFewOrTooManyItems(t *testing.T) {
	s := newStore(t)
	client, meter := awstest.Metered(s.client)
	for _, n := range []int{0, transactions.MaxItems + 1} {
		names := make([]string, n)
		for i := range names {
			names[i] = strconv.Itoa(i)
		}
		if err := transactions.Write(t.Context(), client, s.add(names...)); err == nil ||
			fault.KindOf(err) != fault.Internal {
			t.Errorf("%d items: error = %v, want an internal one", n, err)
		}
	}
	if meter.Calls() != 0 {
		t.Errorf("%d calls, want none", meter.Calls())
	}
}

// TestWriteAppliesOnceOverABrokenConnection drops the connection twice after the engine has applied
// the transaction.
func TestWriteAppliesOnceOverABrokenConnection(t *testing.T) {
	s, w := newStore(t), &waits{}
	engine, err := url.Parse(*s.client.Options().BaseEndpoint)
	if err != nil {
		t.Fatal(err)
	}
	var answers atomic.Int32
	proxy := httputil.NewSingleHostReverseProxy(engine)
	proxy.ModifyResponse = func(*http.Response) error {
		if answers.Add(1) <= 2 {
			panic(http.ErrAbortHandler)
		}
		return nil
	}
	server := httptest.NewServer(proxy)
	defer server.Close()
	options := s.client.Options()
	options.BaseEndpoint = &server.URL
	if err := transactions.WriteWith(t.Context(), w.policy(retry.Default.Attempts), dynamodb.New(options),
		s.add("a")); err != nil {
		t.Fatal(err)
	}
	if s.number(t, "a") != 1 || answers.Load() != 3 || len(w.slept) != 2 {
		t.Errorf("the number is %d after %d responses and %d waits, want 1 after 3 and 2",
			s.number(t, "a"), answers.Load(), len(w.slept))
	}
}

func TestConcurrentWritesAreAllApplied(t *testing.T) {
	s := newStore(t)
	client := awstest.Faulty(s.client, func(_ string, n int) error {
		if n%3 == 0 {
			return awstest.TransactionConflict(2)
		}
		return nil
	})
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 20 {
				w := &waits{}
				if err := transactions.WriteWith(t.Context(), w.policy(1000), client, s.add("a", "b")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	if s.number(t, "a") != 160 || s.number(t, "b") != 160 {
		t.Errorf("numbers are %d and %d, want 160", s.number(t, "a"), s.number(t, "b"))
	}
}
