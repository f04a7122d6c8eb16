package pullsdynamo_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/dynamo/items"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
)

// traffic returns pulls of 200 repositories by ten million users, 400 a second. The first of each is pulled or pulls most, by
// Zipf's law.
func traffic(n int) []pulls.Pull {
	dice := rand.New(rand.NewPCG(1, 2))
	zipf := func(size float64) int { return int(math.Exp(dice.Float64() * math.Log(size))) }
	all := make([]pulls.Pull, n)
	for i := range all {
		user, repository, version := zipf(1e7), zipf(200), zipf(20)
		all[i] = pulls.Pull{
			At: midnight.Add(time.Duration(i) * 2500 * time.Microsecond), Kind: pulls.Image,
			Repository: fmt.Sprint("acme/service-", repository), Reference: fmt.Sprintf("2.%d.1", version),
			Digest:       fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(fmt.Sprint(repository, version)))),
			CredentialID: fmt.Sprintf("%012x", user*7919), OwnerID: fmt.Sprintf("01939f6e-8a8e-7d5c-a3c1-%012x", user),
			Address: fmt.Sprintf("203.0.%d.%d", user%200, user%251), Client: "containerd/2.1.0",
		}
	}
	return all
}

// batches returns pulls as CloudWatch Logs delivers them under load: about 100 of each of the environments that ran at the
// same time.
func batches(all []pulls.Pull) [][]pulls.Pull {
	const size = 100
	streams := max(1, len(all)/size)
	found := make([][]pulls.Pull, streams)
	for i, p := range all {
		found[i%streams] = append(found[i%streams], p)
	}
	return found
}

// TestCost bounds the write units of a pull: the item and its place in two indexes, and a part of a batch. Counting costs one
// unit for each user and artifact of a window that is far from the top of its rankings, however many pulls it has.
func TestCost(t *testing.T) {
	s := newTables(t)
	s.fillRankings(t)
	client, meter := awstest.Metered(s.client)
	store := pullsdynamo.New(client, s.pulls, s.analytics)
	all := traffic(1000)
	for _, batch := range batches(all) {
		if _, err := store.Record(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	recorded := len(listed(t, s.store(), pulls.Key{}))
	if perPull := meter.WriteUnits() / float64(recorded); perPull > 3.2 || recorded < 900 {
		t.Errorf("a pull took %.2f write units, %d pulls", perPull, recorded)
	}
	meter.Reset()
	if _, err := store.CountPending(t.Context()); err != nil {
		t.Fatal(err)
	}
	objects := map[string]bool{}
	for _, p := range all {
		objects[p.Repository], objects[p.OwnerID] = true, true
	}
	const perWindow = 50 // the window, the day, and the batches
	if units := meter.WriteUnits(); units > float64(len(objects)+perWindow) {
		t.Errorf("a window of %d users and artifacts took %.0f write units", len(objects), units)
	}
}

// fillRankings fills the rankings of the first pulls with places that they cannot reach.
func (s testTables) fillRankings(tb testing.TB) {
	tb.Helper()
	for _, kind := range []string{"artifact", "person"} {
		for _, span := range []string{midnight.Format("2006-01"), midnight.Format(time.DateOnly)} {
			for place := range pullsdynamo.MaxRanked {
				item := items.Key("top#"+kind+"#"+span, fmt.Sprint(kind, "#", place))
				item["ranking"], item["pulls"] = items.Text(kind+"#"+span), items.Number(1e6)
				if _, err := s.client.PutItem(tb.Context(), &dynamodb.PutItemInput{TableName: &s.analytics, Item: item}); err != nil {
					tb.Fatal(err)
				}
			}
		}
	}
}

// TestRankingsKeepTheTop records pulls of many more users than a ranking keeps, in several windows, and compares the first
// places with the pulls.
func TestRankingsKeepTheTop(t *testing.T) {
	s, want := newTables(t), map[string]int{}
	for window, given := range slices.Collect(slices.Chunk(traffic(900), 300)) {
		for i := range given { // shuffle the users of each window, so that the top changes
			given[i].OwnerID = fmt.Sprintf("user%03d", (i*i+window*31)%(pullsdynamo.MaxRanked+150))
			given[i].CredentialID, given[i].Reference = given[i].OwnerID, fmt.Sprint(i)
			want["person#"+given[i].OwnerID]++
		}
		if _, err := s.store().Record(t.Context(), given); err != nil {
			t.Fatal(err)
		}
		s.counts(t)
	}
	found := map[string]int{}
	for key, n := range s.counts(t) {
		if name, ok := strings.CutPrefix(key, "top#person#2026-12 "); ok {
			found[strings.TrimSuffix(name, " pulls")] = n
		}
	}
	places := slices.Sorted(maps.Values(want))
	slices.Reverse(places)
	threshold := places[min(len(places), pullsdynamo.MaxRanked)-1]
	for name, n := range want {
		if n >= threshold && found[name] != n {
			t.Errorf("%s has %d in the ranking, want %d", name, found[name], n)
		}
	}
	if len(want) <= pullsdynamo.MaxRanked {
		t.Errorf("only %d users", len(want))
	}
}

// BenchmarkRecord records 10,000 pulls and counts them in one window, when the rankings are full.
func BenchmarkRecord(b *testing.B) {
	const total = 10_000
	for b.Loop() {
		b.StopTimer()
		s := newTables(b)
		s.fillRankings(b)
		client, meter := awstest.Metered(s.client)
		store := pullsdynamo.New(client, s.pulls, s.analytics)
		given := batches(traffic(total))
		b.StartTimer()
		for _, batch := range given {
			if _, err := store.Record(b.Context(), batch); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(meter.WriteUnits()/total, "units/pull")
		if _, err := store.CountPending(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(meter.WriteUnits()/total, "units/counted-pull")
	}
	b.ReportMetric(total*float64(b.N)/b.Elapsed().Seconds(), "pulls/s")
}
