package faultproxy_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/local/faultproxy"
)

// faulty returns a client of an engine, and the fault of its requests.
func faulty(t *testing.T) (*dynamodb.Client, *faultproxy.Proxy, *atomic.Int64) {
	t.Helper()
	fault := &atomic.Int64{}
	proxy := faultproxy.New(startEngine(t), func(*http.Request) faultproxy.Fault { return faultproxy.Fault(fault.Load()) })
	return client(t, proxy, 1), proxy, fault
}

func ids(items []map[string]types.AttributeValue) []string {
	all := make([]string, 0, len(items))
	for _, item := range items {
		all = append(all, item["id"].(*types.AttributeValueMemberS).Value)
	}
	slices.Sort(all)
	return all
}

func putAll(t *testing.T, c *dynamodb.Client, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := put(t.Context(), c, name); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEmptyPages reads a table to its end. The first page is short, some are empty, and together they are complete.
func TestEmptyPages(t *testing.T) {
	c, proxy, fault := faulty(t)
	putAll(t, c, "a", "b", "c", "d")
	fault.Store(int64(faultproxy.EmptyPage))
	var sizes []int
	var found []map[string]types.AttributeValue
	pages := dynamodb.NewScanPaginator(c, &dynamodb.ScanInput{TableName: aws.String("notes")})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(page.Items))
		found = append(found, page.Items...)
	}
	if !slices.Equal(sizes, []int{1, 0, 3}) || !slices.Equal(ids(found), []string{"a", "b", "c", "d"}) ||
		proxy.Applied() != 2 {
		t.Errorf("pages of %v have %v, %d faults", sizes, ids(found), proxy.Applied())
	}
}

func TestPartialReads(t *testing.T) {
	c, proxy, fault := faulty(t)
	putAll(t, c, "a", "b", "c")
	fault.Store(int64(faultproxy.Partial))
	asked := map[string]types.KeysAndAttributes{
		"notes": {Keys: []map[string]types.AttributeValue{note("a"), note("b"), note("c")}, ConsistentRead: aws.Bool(true)},
	}
	var sizes []int
	for len(asked) > 0 {
		out, err := c.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: asked})
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(out.Responses["notes"]))
		if rest, isLeft := out.UnprocessedKeys["notes"]; isLeft && !aws.ToBool(rest.ConsistentRead) {
			t.Error("the rest lost its settings")
		}
		asked = out.UnprocessedKeys
	}
	if !slices.Equal(sizes, []int{2, 1}) || proxy.Applied() != 1 {
		t.Errorf("batches of %v, %d faults", sizes, proxy.Applied())
	}
}

func TestPartialWrites(t *testing.T) {
	c, _, fault := faulty(t)
	fault.Store(int64(faultproxy.Partial))
	var writes []types.WriteRequest
	for n := range 5 {
		writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: note(fmt.Sprint(n))}})
	}
	asked := map[string][]types.WriteRequest{"notes": writes}
	var left []int
	for len(asked) > 0 {
		out, err := c.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: asked})
		if err != nil {
			t.Fatal(err)
		}
		asked = out.UnprocessedItems
		left = append(left, len(asked["notes"]))
		if n := len(left); n == 1 && (!stored(t, c, "2") || stored(t, c, "3")) {
			t.Error("the first half is not what is stored")
		}
	}
	if !slices.Equal(left, []int{2, 1, 0}) || !stored(t, c, "4") {
		t.Errorf("left %v", left)
	}
}

// TestStaleReads repeats reads after a write. Only reads that may be stale are, and only once the fault is there.
func TestStaleReads(t *testing.T) {
	c, proxy, fault := faulty(t)
	countItems := func(consistent bool) int {
		out, err := c.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("notes"), ConsistentRead: &consistent})
		if err != nil {
			t.Fatal(err)
		}
		return len(out.Items)
	}
	if countItems(false) != 0 || countItems(true) != 0 {
		t.Fatal("the table is not empty")
	}
	putAll(t, c, "a")
	fault.Store(int64(faultproxy.Stale))
	if countItems(true) != 1 || proxy.Applied() != 0 {
		t.Error("a consistent read is stale")
	}
	if got := [...]int{countItems(false), countItems(false)}; got != [...]int{0, 0} || proxy.Applied() != 2 {
		t.Errorf("found %v after %d faults, want stale results", got, proxy.Applied())
	}
	fault.Store(int64(faultproxy.None))
	if got := countItems(false); got != 1 {
		t.Errorf("found %d items after the fault", got)
	}
}
