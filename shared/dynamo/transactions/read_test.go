package transactions_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/fault"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
)

func (s *store) gets(names ...string) []types.TransactGetItem {
	gets := make([]types.TransactGetItem, len(names))
	for i, name := range names {
		gets[i] = types.TransactGetItem{Get: &types.Get{TableName: &s.table, Key: key(name)}}
	}
	return gets
}

func TestReadReturnsItemsInTheOrderOfGets(t *testing.T) {
	s := newStore(t)
	if err := transactions.Write(t.Context(), s.client, s.add("a", "c")); err != nil {
		t.Fatal(err)
	}
	busy := awstest.Faulty(s.client, func(_ string, n int) error {
		if n < 3 {
			return awstest.TransactionConflict(3)
		}
		return nil
	})
	found, err := transactions.Read(t.Context(), busy, s.gets("a", "b", "c"))
	if err != nil || len(found) != 3 || found[0] == nil || found[1] != nil || found[2] == nil {
		t.Errorf("got %v, %v", found, err)
	}
	for _, n := range []int{0, transactions.MaxItems + 1} {
		if _, err := transactions.Read(t.Context(), s.client, s.gets(make([]string, n)...)); err == nil {
			t.Errorf("%d gets: want an error", n)
		}
	}
	broken := awstest.Faulty(s.client, func(string, int) error { return awstest.Cancelled("ValidationError", "None") })
	if _, err := transactions.Read(t.Context(), broken, s.gets("a", "b")); err == nil ||
		fault.KindOf(err) != fault.Internal {
		t.Errorf("got %v", err)
	}
}
