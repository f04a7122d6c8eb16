package awstest_test

import (
	"crypto/rand"
	"errors"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/testkit/awstest"
)

func key(pk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: pk},
		"sk": &types.AttributeValueMemberS{Value: "s"},
	}
}

func put(t *testing.T, client *dynamodb.Client, table, pk string) error {
	t.Helper()
	_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: key(pk)})
	return err
}

func exists(t *testing.T, client *dynamodb.Client, table, pk string) bool {
	t.Helper()
	out, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: &table, Key: key(pk), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item != nil
}

func TestTablesAreSeparate(t *testing.T) {
	client := awstest.DynamoDB(t)
	one := awstest.Table(t, client, "UsersTable")
	two := awstest.Table(t, client, "UsersTable")
	if err := put(t, client, one, "a"); err != nil {
		t.Fatal(err)
	}
	if !exists(t, client, one, "a") || exists(t, client, two, "a") {
		t.Error("an item must be in its table only")
	}
}

func TestTableIsDeletedWithItsTest(t *testing.T) {
	client := awstest.DynamoDB(t)
	var name string
	t.Run("uses a table", func(t *testing.T) { name = awstest.Table(t, client, "UsersTable") })
	err := put(t, client, name, "a")
	if _, ok := errors.AsType[*types.ResourceNotFoundException](err); !ok {
		t.Errorf("put after the test = %v, want ResourceNotFoundException", err)
	}
}

func TestMeterCountsEachKindOfCall(t *testing.T) {
	plain := awstest.DynamoDB(t)
	table := awstest.Table(t, plain, "UsersTable")
	client, meter := awstest.Metered(plain)
	steps := []struct {
		name          string
		call          func() error
		reads, writes float64
	}{
		{"put", func() error { return put(t, client, table, "a") }, 0, 1},
		{"consistent get", func() error { exists(t, client, table, "a"); return nil }, 1, 0},
		{"transaction of two", func() error { return transact(t, client, table, "a", "b") }, 0, 4},
		{"batch of two", func() error { return batch(t, client, table, "a", "b") }, 0, 2},
		{"eventual query", func() error { return query(t, client, table, "a") }, 0.5, 0},
		{"failed call", func() error { _ = put(t, client, "nowhere", "a"); return nil }, 0, 0},
	}
	for _, step := range steps {
		meter.Reset()
		if err := step.call(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if meter.Calls() != 1 || meter.ReadUnits() != step.reads || meter.WriteUnits() != step.writes {
			t.Errorf("%s: %d calls, %v reads, %v writes; want 1, %v, %v",
				step.name, meter.Calls(), meter.ReadUnits(), meter.WriteUnits(), step.reads, step.writes)
		}
	}
}

func transact(t *testing.T, client *dynamodb.Client, table string, pks ...string) error {
	t.Helper()
	var items []types.TransactWriteItem
	for _, pk := range pks {
		items = append(items, types.TransactWriteItem{Put: &types.Put{TableName: &table, Item: key(pk)}})
	}
	_, err := client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: items})
	return err
}

func batch(t *testing.T, client *dynamodb.Client, table string, pks ...string) error {
	t.Helper()
	var writes []types.WriteRequest
	for _, pk := range pks {
		writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: key(pk)}})
	}
	_, err := client.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{table: writes},
	})
	return err
}

func query(t *testing.T, client *dynamodb.Client, table, pk string) error {
	t.Helper()
	_, err := client.Query(t.Context(), &dynamodb.QueryInput{
		TableName: &table, KeyConditionExpression: aws.String("pk = :pk"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":pk": &types.AttributeValueMemberS{Value: pk}},
	})
	return err
}

func TestMeterDoesNotChangeTheInput(t *testing.T) {
	plain := awstest.DynamoDB(t)
	table := awstest.Table(t, plain, "UsersTable")
	client, _ := awstest.Metered(plain)
	input := &dynamodb.PutItemInput{TableName: &table, Item: key("a")}
	if _, err := client.PutItem(t.Context(), input); err != nil {
		t.Fatal(err)
	}
	if input.ReturnConsumedCapacity != "" {
		t.Errorf("ReturnConsumedCapacity = %q, want it unchanged", input.ReturnConsumedCapacity)
	}
}

func TestMeterAndFaultsUnderConcurrentUse(t *testing.T) {
	plain := awstest.DynamoDB(t)
	table := awstest.Table(t, plain, "UsersTable")
	client, meter := awstest.Metered(plain)
	client = awstest.Faulty(client, func(string, int) error { return nil })
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for range 10 {
				if err := put(t, client, table, "a"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
	if meter.Calls() != 80 || meter.WriteUnits() != 80 {
		t.Errorf("%d calls, %v units; want 80, 80", meter.Calls(), meter.WriteUnits())
	}
}

func TestFaultyFailsCalls(t *testing.T) {
	plain := awstest.DynamoDB(t)
	table := awstest.Table(t, plain, "UsersTable")
	injected := errors.New("injected")
	client := awstest.Faulty(plain, func(operation string, n int) error {
		switch {
		case operation == "TransactWriteItems":
			return awstest.TransactionConflict(2)
		case operation == "PutItem" && n == 1:
			return injected
		case operation == "PutItem" && n == 2:
			return awstest.Lost(injected)
		}
		return nil
	})
	steps := []struct {
		pk     string
		failed bool
		exists bool
	}{{"refused", true, false}, {"lost", true, true}, {"unaffected", false, true}}
	for _, step := range steps {
		t.Run(step.pk, func(t *testing.T) {
			err := put(t, client, table, step.pk)
			if errors.Is(err, injected) != step.failed {
				t.Errorf("put = %v", err)
			}
			if got := exists(t, client, table, step.pk); got != step.exists {
				t.Errorf("exists = %v, want %v", got, step.exists)
			}
		})
	}
	err := transact(t, client, table, "x", "y")
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok || len(cancelled.CancellationReasons) != 2 || exists(t, client, table, "x") {
		t.Errorf("transaction = %v, want a cancellation with two reasons and nothing written", err)
	}
}

// TestConflictsOfATransactionEnd repeats each transaction until it does not conflict.
func TestConflictsOfATransactionEnd(t *testing.T) {
	plain := awstest.DynamoDB(t)
	table, client, all := awstest.Table(t, plain, "UsersTable"), awstest.WithConflicts(plain), map[int]int{}
	for range 300 {
		input := &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String(rand.Text()),
			TransactItems: []types.TransactWriteItem{
				{Put: &types.Put{TableName: &table, Item: key("a")}}, {Put: &types.Put{TableName: &table, Item: key("b")}},
			}}
		met := 0
		for {
			_, err := client.TransactWriteItems(t.Context(), input)
			if err == nil {
				break
			}
			cancelled, isConflict := errors.AsType[*types.TransactionCanceledException](err)
			if met++; !isConflict || len(cancelled.CancellationReasons) != 2 || met > 3 {
				t.Fatalf("after %d conflicts: %v", met, err)
			}
		}
		all[met]++
	}
	if all[0] < 100 || all[1] == 0 || all[2] == 0 || all[3] == 0 {
		t.Errorf("transactions by their conflicts: %v", all)
	}
}
