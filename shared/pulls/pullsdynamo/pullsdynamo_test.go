package pullsdynamo_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
)

// midnight is between two months, so that times around it are in different months, days and
// partitions.
var midnight = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

// testTables are the tables of a store, which tests read directly.
type testTables struct {
	client           *dynamodb.Client
	pulls, analytics string
}

func newTables(tb testing.TB) testTables {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	return testTables{client, awstest.Table(tb, client, "PullsTable"), awstest.Table(tb, client, "AnalyticsTable")}
}

// empty deletes all items and returns a store on the same tables.
func (s testTables) empty(t *rapid.T) {
	for _, table := range []string{s.pulls, s.analytics} {
		for _, item := range s.scan(t, table) {
			_, err := s.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
				TableName: &table, Key: map[string]types.AttributeValue{"pk": item["pk"], "sk": item["sk"]},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

type reporter interface {
	Context() context.Context
	Fatal(args ...any)
}

func (s testTables) scan(t reporter, table string) []map[string]types.AttributeValue {
	var all []map[string]types.AttributeValue
	pages := dynamodb.NewScanPaginator(s.client, &dynamodb.ScanInput{TableName: &table, ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Items...)
	}
	return all
}

func text(value types.AttributeValue) string {
	s, _ := value.(*types.AttributeValueMemberS)
	if s == nil {
		return ""
	}
	return s.Value
}

// counts returns all numbers in the analytics table by "pk sk attribute".
func (s testTables) counts(t reporter) map[string]int {
	found := map[string]int{}
	for _, item := range s.scan(t, s.analytics) {
		for name, value := range item {
			if n, ok := value.(*types.AttributeValueMemberN); ok {
				found[text(item["pk"])+" "+text(item["sk"])+" "+name], _ = strconv.Atoi(n.Value)
			}
		}
	}
	return found
}

// expectedCounts returns the counts of the pulls, computed by a full scan.
func expectedCounts(all []pulls.Pull) map[string]int {
	counts, seen := map[string]int{}, map[string]bool{}
	for _, p := range all {
		if seen[p.ID()] {
			continue
		}
		seen[p.ID()] = true
		day := p.At.UTC().Format("2006-01-02")
		if p.Reference == p.Digest {
			continue
		}
		counts["usage "+day+" "+string(p.Kind)+"s"]++
		for _, span := range []string{day, p.At.UTC().Format("2006-01"), p.At.UTC().Format("2006")} {
			counts[fmt.Sprintf("pulls#%s#%s %s pulls", p.Kind, p.Repository, span)]++
			counts[fmt.Sprintf("pulls#person#%s %s pulls", p.OwnerID, span)]++
		}
		counts[fmt.Sprintf("pulls#%s#%s#%s %s pulls", p.Kind, p.Repository, day, p.Reference)]++
	}
	return counts
}

// listed returns the ids of all pulls, newest first, read page by page.
func listed(t reporter, store pulls.Store) []string {
	var ids []string
	s := pulls.Range{From: midnight.AddDate(-1, 0, 0), To: midnight.AddDate(0, 1, 0), Limit: 7}
	for {
		found, more, err := store.Page(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range found {
			ids = append(ids, p.ID())
			s.After = p.Position()
		}
		if !more {
			return ids
		}
	}
}

// drawPulls returns many similar random pulls.
func drawPulls(t *rapid.T) []pulls.Pull {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) pulls.Pull {
		return pulls.Pull{
			At:   midnight.Add(time.Duration(rapid.IntRange(-150_000, 150_000).Draw(t, "ms")) * time.Millisecond),
			Kind: rapid.SampledFrom([]pulls.Kind{pulls.Chart, pulls.Image}).Draw(t, "kind"),

			Repository:   rapid.SampledFrom([]string{"acme/api", "acme/web", "acme"}).Draw(t, "repository"),
			Reference:    fmt.Sprintf("1.%d", rapid.IntRange(0, 40).Draw(t, "reference")),
			Digest:       rapid.SampledFrom([]string{"", "1.7"}).Draw(t, "digest"), // so that some are pulls by digest
			CredentialID: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "credential"), OwnerID: "ada", Address: "203.0.113.9",
		}
	}), 1, 150).Draw(t, "pulls")
}

// TestEveryPullIsCountedOnce lets four workers record the same pulls, shuffled and in batches, while
// transactions conflict and responses are lost.
func TestEveryPullIsCountedOnce(t *testing.T) {
	s := newTables(t)
	rapid.Check(t, func(t *rapid.T) {
		s.empty(t)
		all := drawPulls(t)
		faults := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "faults"), 0))
		client := awstest.Faulty(s.client, func(operation string, _ int) error {
			switch n := faults.IntN(6); {
			case operation == "TransactWriteItems" && n == 0:
				return awstest.TransactionConflict(2)
			case operation == "TransactWriteItems" && n == 1:
				return awstest.Lost(awstest.TransactionConflict(2))
			}
			return nil
		})
		store := pullsdynamo.New(client, s.pulls, s.analytics)
		size := rapid.IntRange(1, 60).Draw(t, "size")
		var work sync.WaitGroup
		for worker := range 4 {
			work.Go(func() { deliver(t, store, all, delivery{seed: uint64(worker), size: size}) })
		}
		work.Wait()
		if got, want := s.counts(t), expectedCounts(all); !maps.Equal(got, want) {
			t.Fatalf("counts %v, want %v", got, want)
		}
		ids := listed(t, store)
		if distinct := slices.Compact(slices.Sorted(slices.Values(ids))); len(distinct) != len(ids) || len(ids) != idsOf(all) {
			t.Fatalf("%d pulls in the list, %d of them different, want %d", len(ids), len(distinct), idsOf(all))
		}
	})
}

type delivery struct {
	seed uint64
	size int // of a batch
}

// deliver records all pulls in batches and in a random order.
func deliver(t *rapid.T, store *pullsdynamo.Store, all []pulls.Pull, d delivery) {
	mine := slices.Clone(all)
	rand.New(rand.NewPCG(d.seed, 0)).Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
	for batch := range slices.Chunk(mine, d.size) {
		if _, err := store.Record(t.Context(), batch); err != nil {
			t.Errorf("Record: %v", err)
		}
	}
}

func idsOf(all []pulls.Pull) int {
	seen := map[string]bool{}
	for _, p := range all {
		seen[p.ID()] = true
	}
	return len(seen)
}
