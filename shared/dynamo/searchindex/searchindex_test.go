package searchindex_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"pgregory.net/rapid"

	"portside/shared/core/paging"
	"portside/shared/core/search"
	"portside/shared/dynamo/searchindex"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/pagetest"
	"portside/testclient/scale"
)

// fixture is an index in a real engine, and its expected content.
type fixture struct {
	tb      testing.TB
	client  *dynamodb.Client
	table   string
	index   searchindex.Index
	entries map[string][]string
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	table := awstest.Table(tb, client, "UsersTable")
	return &fixture{tb, client, table, searchindex.New(client, table), map[string][]string{}}
}

// set replaces the terms of a resource.
func (f *fixture) set(id string, terms []string) {
	f.tb.Helper()
	writes := f.index.Changes(searchindex.Entry{ID: id, Terms: f.entries[id]}, searchindex.Entry{ID: id, Terms: terms})
	f.entries[id] = terms
	if len(writes) == 0 {
		return
	}
	var plan transactions.Plan
	plan.Add(nil, writes...)
	if err := plan.Write(f.tb.Context(), f.client); err != nil {
		f.tb.Fatal(err)
	}
}

// find returns the results of all pages.
func (f *fixture) find(text string, limit int) []string {
	f.tb.Helper()
	var found []string
	query := search.Query{Text: text, Limit: limit}
	for range 100 {
		page, err := f.index.Find(f.tb.Context(), query)
		if err != nil {
			f.tb.Fatal(err)
		}
		if len(page.IDs) > limit {
			f.tb.Fatalf("%d results, the limit is %d", len(page.IDs), limit)
		}
		found = append(found, page.IDs...)
		if query.After = page.Next; page.Next == "" {
			return found
		}
	}
	f.tb.Fatal("the pages do not end")
	return nil
}

// naive returns the resources that a search must return: each once, in the order of its smallest term that matches.
func (f *fixture) naive(text string) []string {
	var keys []string
	for id, terms := range f.entries {
		isOther := func(term string) bool { return !strings.HasPrefix(term, search.Normal(text)) }
		matching := slices.DeleteFunc(slices.Sorted(slices.Values(terms)), isOther)
		if len(matching) > 0 {
			keys = append(keys, matching[0]+"\t"+id)
		}
	}
	slices.Sort(keys)
	for i, key := range keys {
		_, keys[i], _ = strings.Cut(key, "\t")
	}
	return keys
}

func TestSearchAgreesWithANaiveOne(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	word := rapid.SampledFrom([]string{"a", "ada", "Adam", "ÁD", "b", "é", "ab-ad", "日本", "(x)", "'"})
	rapid.Check(scale.Checks(t), func(rt *rapid.T) {
		id := fmt.Sprint(rapid.IntRange(1, 8).Draw(rt, "id"))
		if rapid.Bool().Draw(rt, "isRemoved") {
			f.set(id, nil)
		} else {
			name := strings.Join(rapid.SliceOfN(word, 0, 5).Draw(rt, "words"), " ")
			f.set(id, search.Terms(rapid.SampledFrom([]string{"", "ada@b.c", "b@ada.c", "ad@x.y"}).Draw(rt, "address"), name))
		}
		text, limit := word.Draw(rt, "text"), rapid.IntRange(1, 5).Draw(rt, "limit")
		if got, want := f.find(text, limit), f.naive(text); !slices.Equal(got, want) {
			rt.Fatalf("%q finds %v, want %v; the terms are %q", text, got, want, f.entries)
		}
	})
}

// TestCursorsSurviveChanges follows the cursors of a search, while resources with one or two terms are added and
// removed.
func TestCursorsSurviveChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(scale.Checks(t), func(rt *rapid.T) {
		f, n := newFixture(t), 0
		pagetest.Check(rt, pagetest.List{
			Items: func() []string { return f.naive("a") },
			Change: func(rt *rapid.T) {
				ids := slices.Sorted(maps.Keys(f.entries))
				if i := rapid.IntRange(-1, len(ids)-1).Draw(rt, "which"); i >= 0 && rapid.Bool().Draw(rt, "remove") {
					f.set(ids[i], nil)
					return
				}
				n++
				words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "ab", "ad", "b"}), 1, 2).Draw(rt, "words")
				f.set(fmt.Sprint(n), search.Terms("", strings.Join(words, " ")))
			},
			Page: func(limit int, cursor string) ([]string, string) {
				page, err := f.index.Find(t.Context(), search.Query{Text: "a", Limit: limit, After: paging.Position(cursor)})
				if err != nil {
					rt.Fatal(err)
				}
				return page.IDs, string(page.Next)
			},
		})
	})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 3 {
		f.set(fmt.Sprint(i), []string{"ada"})
	}
	for _, text := range []string{"", " \t", "\u0301"} {
		if _, err := f.index.Find(t.Context(), search.Query{Text: text, Limit: 1}); !errors.Is(err, search.ErrText) {
			t.Errorf("%q: %v", text, err)
		}
	}
	page, err := f.index.Find(t.Context(), search.Query{Text: "ad", Limit: 1})
	if err != nil || page.Next == "" {
		t.Fatal(page, err)
	}
	for text, position := range map[string]paging.Position{
		"b": page.Next, "ad": "!", "ada": "ada", "adam": page.Next, "a": paging.Position(strings.Repeat("ada\t", 200)), "\xff": "\xff\t1",
	} {
		if _, err := f.index.Find(t.Context(), search.Query{Text: text, After: position, Limit: 1}); !errors.Is(err,
			paging.ErrCursor) {
			t.Errorf("%q with the position %q: %v", text, position, err)
		}
	}
}

// TestCostOfASearch counts calls and read units. All 60 resources match with two terms, which share their beginning:
// the first pages find all of them, and the last ones skip them.
func TestCostOfASearch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 60 {
		f.set(fmt.Sprintf("%03d", i), []string{fmt.Sprintf("ada %03d", i), fmt.Sprintf("ada@%03d.example", i)})
	}
	client, meter := awstest.Metered(f.client)
	f.index = searchindex.New(client, f.table)
	for _, c := range []struct {
		text          string
		results, most int // calls
		units         float64
	}{
		{"ada", 60, 4, 6}, {"ada 01", 10, 1, 1}, {"none", 0, 1, 1},
	} {
		meter.Reset()
		found := f.find(c.text, 20)
		if len(found) != c.results || meter.Calls() > c.most || meter.ReadUnits() > c.units {
			t.Errorf("%q: %d results with %d calls and %v read units, want %d, at most %d and %v",
				c.text, len(found), meter.Calls(), meter.ReadUnits(), c.results, c.most, c.units)
		}
	}
}
