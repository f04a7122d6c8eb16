package pullcounts_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/pullcounts"
	"portside/testclient/scale"
)

func TestDaysAreReadAsWritten(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		days := pullcounts.Days(rapid.MapOf(
			rapid.Map(rapid.IntRange(0, 40_000), func(n int) calendar.Day { return calendar.Day(n) }), rapid.Int64Range(1, 1<<40),
		).Draw(t, "days"))
		if got, err := pullcounts.UnpackDays(days.Pack()); err != nil || !maps.Equal(got, days) {
			t.Errorf("got %v, %v, want %v", got, err, days)
		}
	})
}

// attribute returns the bytes of the only attribute.
func attribute(t *testing.T, item items.Map) []byte {
	t.Helper()
	for _, value := range item {
		if b, ok := value.(*types.AttributeValueMemberB); ok {
			return b.Value
		}
	}
	t.Fatal("no bytes")
	return nil
}

// TestSizes bounds the items: a count costs one write unit, a ranking at most four.
func TestSizes(t *testing.T) {
	days := pullcounts.Days{}
	for day := range calendar.Day(366) {
		days[20_000+day] = 127
	}
	if n := len(attribute(t, days.Pack())); n > 800 {
		t.Errorf("a year takes %d bytes", n)
	}
	dice, top := rand.New(rand.NewPCG(1, 2)), []pullcounts.Place(nil)
	for i := range pullcounts.MaxPlaces {
		time, random := dice.Int64N(1<<36), dice.Uint64()
		id := fmt.Sprintf("019%05x-%04x-7%03x-9%03x-%012x", time>>16, time&0xffff, random>>52, random>>40&0xfff,
			dice.Int64N(1<<48))
		top = append(top, pullcounts.Place{Name: pullcounts.Name(pullcounts.Person, id),
			Pulls: 1e7 - int64(i*dice.IntN(1000))})
	}
	item, err := pullcounts.PackTop(top)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(attribute(t, item)); n > 3900 || n < 2000 {
		t.Errorf("a ranking takes %d bytes", n)
	}
}

// TestMergeKeepsTheFirstPlaces merges changes of growing counts and compares the result with all counts.
func TestMergeKeepsTheFirstPlaces(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		all, top := map[string]int64{}, []pullcounts.Place(nil)
		for range rapid.IntRange(1, 20).Draw(t, "windows") {
			changed := map[string]int64{}
			for name, n := range rapid.MapOfN(rapid.IntRange(0, 250), rapid.Int64Range(1, 3), 1, 60).Draw(t, "pulls") {
				all[fmt.Sprint(name)] += n
				changed[fmt.Sprint(name)] = all[fmt.Sprint(name)]
			}
			top = pullcounts.Merge(top, placesOf(changed))
		}
		want := placesOf(all)
		if want = want[:min(len(want), pullcounts.MaxPlaces)]; !slices.Equal(top, want) {
			t.Errorf("got %v, want %v", top, want)
		}
		item, err := pullcounts.PackTop(top)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := pullcounts.UnpackTop(item); err != nil || !slices.Equal(got, want) {
			t.Errorf("read %v, %v, want %v", got, err, want)
		}
	})
}

func placesOf(counts map[string]int64) []pullcounts.Place {
	var all []pullcounts.Place
	for name, n := range counts {
		all = append(all, pullcounts.Place{Name: name, Pulls: n})
	}
	slices.SortFunc(all, func(a, b pullcounts.Place) int {
		return cmp.Or(cmp.Compare(b.Pulls, a.Pulls), cmp.Compare(a.Name, b.Name))
	})
	return all
}

func TestDamagedItemsAreRefused(t *testing.T) {
	for _, damaged := range []items.Map{{"days": items.Text("x")}, {"days": items.Bytes([]byte{1})},
		{"days": items.Bytes([]byte{0xff})}} {
		if days, err := pullcounts.UnpackDays(damaged); err == nil {
			t.Errorf("read %v from %v", days, damaged)
		}
	}
	for _, damaged := range []items.Map{{"places": items.Text("x")}, {"places": items.Bytes([]byte("x"))}} {
		if top, err := pullcounts.UnpackTop(damaged); err == nil {
			t.Errorf("read %v from %v", top, damaged)
		}
	}
}
