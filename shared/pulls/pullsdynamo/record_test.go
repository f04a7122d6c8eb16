package pullsdynamo_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
)

// many returns n different pulls of one artifact, a second apart, with the given number of credentials and
// versions.
func many(n, credentials, versions int) []pulls.Pull {
	all := make([]pulls.Pull, n)
	for i := range all {
		all[i] = pulls.Pull{
			At: midnight.Add(time.Duration(i) * time.Second), Kind: pulls.Image, Repository: "acme/api",
			Reference: fmt.Sprintf("1.%d", i%versions), Digest: fmt.Sprintf("sha256:%064x", i),
			CredentialID: fmt.Sprintf("credential%02d", i%credentials), OwnerID: "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11",
			Address: "203.0.113.9", Client: "containerd/2.1.0",
		}
	}
	return all
}

func TestRecordCompletesAfterFailure(t *testing.T) {
	s, all := newTables(t), many(90, 3, 90)
	client := awstest.Faulty(s.client, func(_ string, n int) error {
		if n == 2 {
			return &types.ResourceNotFoundException{}
		}
		return nil
	})
	store := pullsdynamo.New(client, s.pulls, s.analytics)
	first, err := store.Record(t.Context(), all)
	if err == nil || first == 0 || first >= len(all) {
		t.Fatalf("recorded %d of %d, %v; want a part and an error", first, len(all), err)
	}
	second, err := store.Record(t.Context(), all)
	if err != nil || first+second != len(all) {
		t.Errorf("recorded %d and then %d, %v; want a total of %d", first, second, err, len(all))
	}
	if got, want := s.counts(t), expectedCounts(all); !maps.Equal(got, want) {
		t.Errorf("counts %v, want %v", got, want)
	}
}

// TestLaterLineOfSamePull records a HEAD before the GET of the same minute arrives.
func TestLaterLineOfSamePull(t *testing.T) {
	s := newTables(t)
	store := pullsdynamo.New(s.client, s.pulls, s.analytics)
	head := many(1, 1, 1)[0]
	get := head
	get.At = head.At.Add(59 * time.Second)
	for i, given := range [][]pulls.Pull{{get, head, get}, {get}, {head, get}, {}} {
		if n, err := store.Record(t.Context(), given); err != nil || (n == 1) != (i == 0) {
			t.Errorf("delivery %d: recorded %d, %v", i, n, err)
		}
	}
	found, more, err := store.Page(t.Context(), pulls.Range{From: midnight, To: midnight.AddDate(0, 0, 1), Limit: 5})
	if err != nil || more || len(found) != 1 || found[0] != head {
		t.Errorf("the log has %+v, %v, %v; want only the earlier pull", found, more, err)
	}
}

// TestPurgeTimes checks that markers are kept as long as pulls, so that lines that are delivered again count
// nothing that is still listed.
func TestPurgeTimes(t *testing.T) {
	s, given := newTables(t), many(1, 1, 1)
	if _, err := pullsdynamo.New(s.client, s.pulls, s.analytics).Record(t.Context(), given); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprint(midnight.Add(400 * 24 * time.Hour).Unix())
	for _, item := range s.scan(t, s.pulls) {
		if n, ok := item["purgeAt"].(*types.AttributeValueMemberN); !ok || n.Value != want {
			t.Errorf("purgeAt of %s is %v, want %s", text(item["pk"]), item["purgeAt"], want)
		}
		if marker := strings.HasPrefix(text(item["pk"]), "pull#"); marker && (item["owner"] != nil || len(item) != 3) {
			t.Errorf("the marker %v has unneeded attributes", item)
		}
	}
}

// TestCost bounds the cost of a pull: a transaction charges each item twice, and each index once
// more.
func TestCost(t *testing.T) {
	s := newTables(t)
	client, meter := awstest.Metered(s.client)
	const n = 100
	if _, err := pullsdynamo.New(client, s.pulls, s.analytics).Record(t.Context(), many(n, 10, 5)); err != nil {
		t.Fatal(err)
	}
	if calls, units := meter.Calls(), meter.WriteUnits(); calls > 3 || units > 8*n {
		t.Errorf("%d pulls took %d transactions and %.0f write units", n, calls, units)
	}
}

// BenchmarkRecord records 10,000 pulls in batches of 100.
func BenchmarkRecord(b *testing.B) {
	const total, batch = 10_000, 100
	for b.Loop() {
		b.StopTimer()
		s, all := newTables(b), many(total, 50, 20)
		client, meter := awstest.Metered(s.client)
		store := pullsdynamo.New(client, s.pulls, s.analytics)
		b.StartTimer()
		for i := 0; i < total; i += batch {
			if _, err := store.Record(b.Context(), all[i:i+batch]); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(meter.WriteUnits()/total, "units/pull")
		b.ReportMetric(float64(meter.Calls())/total*batch, "transactions/batch")
	}
	b.ReportMetric(total*float64(b.N)/b.Elapsed().Seconds(), "pulls/s")
}
