package pullsdynamo_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/calendar"
	"portside/shared/dynamo/pullcounts"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
)

// traffic returns pulls of 200 repositories by ten million users, 400 a second. The first of each is pulled or pulls
// most, by Zipf's law.
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

// batches returns pulls as CloudWatch Logs delivers them under load: about 100 of each of the environments that ran at
// the same time.
func batches(all []pulls.Pull) [][]pulls.Pull {
	const size = 100
	streams := max(1, len(all)/size)
	found := make([][]pulls.Pull, streams)
	for i, p := range all {
		found[i%streams] = append(found[i%streams], p)
	}
	return found
}

// TestCost bounds the write units of a pull: the item and its place in two indexes, and a part of a batch. Counting
// costs one unit for each user and artifact of a window that is far from the top of its rankings, however many pulls it
// has.
func TestCost(t *testing.T) {
	s := newTables(t)
	s.fillRankings(t)
	client, meter := awstest.Metered(s.client)
	store := pullsdynamo.New(client, s.pulls, s.analytics)
	all := traffic(400)
	for _, batch := range batches(all) {
		if _, err := store.Record(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	recorded := len(listed(t, s.store(), list{}))
	if perPull := meter.WriteUnits() / float64(recorded); perPull > 3.2 || recorded < 360 {
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
	const perWindow = 70 // the window, the day, the batches, and ten rankings of up to four units
	if units := meter.WriteUnits(); units > float64(len(objects)+perWindow) {
		t.Errorf("a window of %d users and artifacts took %.0f write units", len(objects), units)
	}
}

// fillRankings fills the rankings of the first pulls with places that they cannot reach.
func (s testTables) fillRankings(tb testing.TB) {
	tb.Helper()
	for _, ranking := range []string{pullcounts.Artifact, pullcounts.Person} {
		for _, span := range calendar.SpansOf(calendar.DayOf(midnight)) {
			var top []pullcounts.Place
			for place := range pullcounts.MaxPlaces {
				name := fmt.Sprintf("%s#01939f6e-8a8e-7d5c-a3c1-%x", ranking, sha256.Sum256([]byte{byte(place)}))
				top = append(top, pullcounts.Place{Name: name[:len(ranking)+37], Pulls: 1e6})
			}
			item, err := pullcounts.PackTop(top)
			if err != nil {
				tb.Fatal(err)
			}
			maps.Copy(item, pullcounts.TopKey(ranking, span.Name))
			if _, err := s.client.PutItem(tb.Context(),
				&dynamodb.PutItemInput{TableName: &s.analytics, Item: item}); err != nil {
				tb.Fatal(err)
			}
		}
	}
}

// TestRankingsKeepTheTop records pulls of many more users than a ranking keeps, in several windows and on both sides of
// New Year, and compares the places of all spans, in their order, with those of a scan of all pulls.
func TestRankingsKeepTheTop(t *testing.T) {
	s, dice, days := newTables(t), rand.New(rand.NewPCG(7, 8)), map[string]pullcounts.Days{}
	for range 4 { // windows
		given := traffic(200)
		for i := range given {
			given[i].At = midnight.AddDate(0, 0, 21+dice.IntN(16)).Add(time.Duration(i) * time.Second)
			given[i].OwnerID = fmt.Sprintf("user%03d", min(dice.IntN(200), dice.IntN(200)))
			given[i].CredentialID, given[i].Reference = given[i].OwnerID, fmt.Sprint(dice.Int())
			name := pullcounts.Name(pullcounts.Person, given[i].OwnerID)
			if days[name] == nil {
				days[name] = pullcounts.Days{}
			}
			days[name][calendar.DayOf(given[i].At)]++
		}
		if _, err := s.store().Record(t.Context(), given); err != nil {
			t.Fatal(err)
		}
		if _, err := s.store().CountPending(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	full := 0
	for day := calendar.DayOf(midnight) + 21; day < calendar.DayOf(midnight)+37; day++ {
		for _, span := range calendar.SpansOf(day) {
			got := s.top(t, pullcounts.Person, span.Name)
			if want := expectedTop(days, span); !slices.Equal(got, want) {
				t.Errorf("%s: got %v, want %v", span.Name, got, want)
			}
			if len(got) == pullcounts.MaxPlaces {
				full++
			}
		}
	}
	if len(days) <= pullcounts.MaxPlaces || full == 0 {
		t.Errorf("only %d users, and %d full rankings", len(days), full)
	}
}

// top returns the places of a ranking.
func (s testTables) top(t *testing.T, ranking, span string) []pullcounts.Place {
	t.Helper()
	key := pullcounts.TopKey(ranking, span)
	out, err := s.client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &s.analytics, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	top, err := pullcounts.UnpackTop(out.Item)
	if err != nil {
		t.Fatal(err)
	}
	return top
}

// expectedTop sorts all users by their pulls in a span, and equal ones by their names.
func expectedTop(days map[string]pullcounts.Days, span calendar.Span) []pullcounts.Place {
	var all []pullcounts.Place
	for name, pulls := range days {
		if n := pulls.Sum(span.First, span.Last); n > 0 {
			all = append(all, pullcounts.Place{Name: name, Pulls: n})
		}
	}
	slices.SortFunc(all, func(a, b pullcounts.Place) int {
		return cmp.Or(cmp.Compare(b.Pulls, a.Pulls), cmp.Compare(a.Name, b.Name))
	})
	return all[:min(len(all), pullcounts.MaxPlaces)]
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
