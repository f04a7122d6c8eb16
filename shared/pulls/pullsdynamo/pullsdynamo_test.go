package pullsdynamo_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"portside/shared/dynamo/items"
	"portside/shared/dynamo/pullcounts"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
	"portside/testclient/scale"
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

// store returns a store on the tables.
func (s testTables) store() *pullsdynamo.Store {
	return pullsdynamo.New(s.client, s.pulls, s.analytics)
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

// counts adds the pending pulls to the counts, and returns all numbers in the analytics table by "pk sk attribute",
// without the numbers of windows.
func (s testTables) counts(t reporter) map[string]int {
	if _, err := s.store().CountPending(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, item := range s.scan(t, s.analytics) {
		for name, value := range item {
			if n, ok := value.(*types.AttributeValueMemberN); ok && name != "window" && name != "pullsWindow" {
				found[text(item["pk"])+" "+text(item["sk"])+" "+name], _ = strconv.Atoi(n.Value)
			}
		}
		unpackCounts(t, item, found)
	}
	return found
}

// unpackCounts adds the counts of a year, or the places of a ranking.
func unpackCounts(t reporter, item items.Map, found map[string]int) {
	pk := text(item["pk"])
	if strings.HasPrefix(pk, "pulls#") {
		days, err := pullcounts.UnpackDays(item)
		if err != nil {
			t.Fatal(err)
		}
		for day, n := range days {
			found[pk+" "+day.String()] = int(n)
		}
	}
	if strings.HasPrefix(pk, "top#") {
		top, err := pullcounts.UnpackTop(item)
		if err != nil || !slices.IsSortedFunc(top, pullcounts.Place.Compare) {
			t.Fatal(pk, "has", top, err)
		}
		for _, place := range top {
			found[pk+" "+place.Name] = int(place.Pulls)
		}
	}
}

// idOf identifies a pull, or a second with a check: each counts once.
func idOf(p pulls.Pull) string {
	if p.IsCheck {
		return p.ID() + p.At.UTC().Format(time.TimeOnly)
	}
	return p.ID()
}

// expectedCounts returns the counts of the pulls and checks, computed by a full scan.
func expectedCounts(all []pulls.Pull) map[string]int {
	counts, seen := map[string]int{}, map[string]bool{}
	for _, p := range all {
		if seen[idOf(p)] {
			continue
		}
		seen[idOf(p)] = true
		day := p.At.UTC().Format("2006-01-02")
		if p.IsCheck {
			counts["usage "+day+" checks"]++
			continue
		}
		if p.Reference == p.Digest {
			continue
		}
		counts["usage "+day+" "+string(p.Kind)+"s"]++
		for kind, name := range map[string]string{"artifact": string(p.Kind) + "#" + p.Repository,
			"person": "person#" + p.OwnerID} {
			counts["pulls#"+name+" "+day]++
			year, week := p.At.UTC().ISOWeek()
			quarter := fmt.Sprintf("%s-Q%d", day[:4], (p.At.UTC().Month()+2)/3)
			for _, span := range []string{day, day[:7], day[:4], quarter, fmt.Sprintf("%d-W%02d", year, week)} {
				counts["top#"+kind+"#"+span+" "+name]++
			}
		}
	}
	return counts
}

// checkCounts compares all counts with the pulls.
func checkCounts(t reporter, s testTables, all []pulls.Pull) {
	if got, want := s.counts(t), expectedCounts(all); !maps.Equal(got, want) {
		t.Fatal("the counts are", got, "want", want)
	}
}

// list selects the pulls or the checks with a key.
type list struct {
	by       pulls.Key
	isChecks bool
}

// listed returns the ids of a list, newest first, read page by page.
func listed(t reporter, store pulls.Store, l list) []string {
	var ids []string
	s := pulls.Range{By: l.by, IsChecks: l.isChecks, From: midnight.AddDate(-1, 0, 0), To: midnight.AddDate(0, 1, 0),
		Limit: 7}
	for {
		found, more, err := store.Page(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range found {
			if p.IsCheck != l.isChecks {
				t.Fatal("the list", l, "has", p)
			}
			ids = append(ids, p.ID())
			s.After = p.Position()
		}
		if !more {
			return ids
		}
	}
}

// checkLists compares all lists with the pulls.
func checkLists(t reporter, store pulls.Store, all []pulls.Pull) {
	want := map[list]map[string]bool{{}: {}, {isChecks: true}: {}}
	for _, p := range all {
		keys := []pulls.Key{{}, {Credential: p.CredentialID}, {Owner: p.OwnerID}, {Repository: p.Repository}}
		if p.CustomerID != "" {
			keys = append(keys, pulls.Key{Customer: p.CustomerID})
		}
		for _, key := range keys {
			l := list{key, p.IsCheck}
			if want[l] == nil {
				want[l] = map[string]bool{}
			}
			want[l][p.ID()] = true
		}
	}
	for l, ids := range want {
		found := map[string]bool{}
		for _, id := range listed(t, store, l) {
			if found[id] {
				t.Fatal("the list of", l, "has a pull twice")
			}
			found[id] = true
		}
		if !maps.Equal(found, ids) {
			t.Fatal("the list of", l, "has", len(found), "pulls, want", len(ids))
		}
	}
}

// drawPulls returns many similar random pulls.
func drawPulls(t *rapid.T) []pulls.Pull {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) pulls.Pull {
		credential := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "credential")
		return pulls.Pull{
			At:   midnight.Add(time.Duration(rapid.IntRange(-150_000, 150_000).Draw(t, "ms")) * time.Millisecond),
			Kind: rapid.SampledFrom([]pulls.Kind{pulls.Chart, pulls.Image}).Draw(t, "kind"),

			Repository:   rapid.SampledFrom([]string{"acme/api", "acme/web", "acme"}).Draw(t, "repository"),
			Reference:    fmt.Sprintf("1.%d", rapid.IntRange(0, 40).Draw(t, "reference")),
			Digest:       rapid.SampledFrom([]string{"", "1.7"}).Draw(t, "digest"), // so that some are pulls by digest
			CredentialID: credential, OwnerID: "ada", CustomerID: map[string]string{"b": "acme"}[credential],
			Address: "203.0.113.9",
			IsCheck: rapid.IntRange(0, 3).Draw(t, "check") == 0,
		}
	}), 1, 80).Draw(t, "pulls")
}

// TestEveryPullIsCountedOnce lets four workers record the same pulls, shuffled and in batches, while calls fail or lose
// their responses, and two more count. Failed deliveries are repeated, as Lambda does. Half of the workers take over
// the pulls of others at once.
func TestEveryPullIsCountedOnce(t *testing.T) {
	rapid.Check(scale.ChecksOf(t, 30), func(r *rapid.T) {
		s, all := newTables(t), drawPulls(r)
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "faults"), 0))
		rate := rapid.IntRange(20, 200).Draw(r, "calls for each fault")
		client := awstest.Faulty(s.client, func(string, int) error {
			switch dice.IntN(rate) {
			case 0:
				return errFault
			case 1:
				return awstest.Lost(errFault)
			}
			return nil
		})
		store := pullsdynamo.New(client, s.pulls, s.analytics)
		size := rapid.IntRange(1, min(60, rate)).Draw(r, "size") // of a larger batch, hardly any delivery would see no fault
		var work sync.WaitGroup
		for worker := range 4 {
			recorder := store
			if worker%2 == 0 {
				recorder = store.Impatient()
			}
			work.Go(func() { deliver(r, recorder, all, delivery{seed: uint64(worker), size: size}) })
		}
		for range 2 {
			work.Go(func() {
				for range 5 {
					_, _ = store.CountPending(r.Context()) // fails like everything else; the last call completes it
				}
			})
		}
		work.Wait()
		checkCounts(r, s, all)
		checkLists(r, s.store(), all)
	})
}

var errFault = errors.New("injected")

type delivery struct {
	seed uint64
	size int // of a batch
}

// deliver records all pulls in batches and in a random order, each until it succeeds.
func deliver(t *rapid.T, store *pullsdynamo.Store, all []pulls.Pull, d delivery) {
	const maxDeliveries = 200
	mine := slices.Clone(all)
	rand.New(rand.NewPCG(d.seed, 0)).Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
	for batch := range slices.Chunk(mine, d.size) {
		err := errFault
		for n := 0; err != nil && n < maxDeliveries; n++ {
			_, err = store.Record(t.Context(), batch)
		}
		if err != nil {
			t.Errorf("Record: %v", err)
		}
	}
}
