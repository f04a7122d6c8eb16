package charts_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/shared/charts"
	"portside/shared/core/entitlement"
	"portside/testclient/scale"
)

var anyTime = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func encoded(tb rapid.TB, x *charts.Index) string {
	text, err := x.Encode(anyTime)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// drawVersion draws from few names and versions, some of whose archives have the same name.
func drawVersion(t *rapid.T) charts.Version {
	v := charts.Version{
		Name: rapid.SampledFrom([]string{"a", "a-1", "a-1-2", "b", "ü\"\\"}).Draw(t, "name"),
		Version: rapid.SampledFrom([]string{"1", "2", "1-2", "2-1", "1.0.0", "1.0.0+x", "10.0.0", "2.0.0-rc.1", "v2"}).
			Draw(t, "version"),
		Digest:  rapid.SampledFrom([]string{"d1", "d2"}).Draw(t, "digest"),
		Created: anyTime.Add(time.Duration(rapid.IntRange(0, 1).Draw(t, "created")) * time.Second),
		Metadata: json.RawMessage(fmt.Sprintf(`{"description":%q,"name":"ignored"}`,
			rapid.SampledFrom([]string{"x", "<&>"}).Draw(t, "text"))),
	}
	v.URLs = []string{v.File()}
	return v
}

// TestIndexMatchesMapByFileName compares an index with a map by file name. Both get the same changes,
// also after the index was encoded and decoded, and must agree on whether a change had an effect.
func TestIndexMatchesMapByFileName(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		index, model := charts.NewIndex(), map[string]charts.Version{}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			v, before := drawVersion(t), encoded(t, index)
			var changed bool
			var err error
			if rapid.Bool().Draw(t, "set") {
				changed, err = index.Set(v)
				model[v.File()] = v
			} else {
				changed, err = index.Remove(v.File())
				delete(model, v.File())
			}
			if err != nil || changed != (encoded(t, index) != before) {
				t.Fatalf("changed = %v, %v; from %s to %s", changed, err, before, encoded(t, index))
			}
			compare(t, index, model)
			if index, err = charts.DecodeIndex([]byte(encoded(t, index))); err != nil {
				t.Fatal(err)
			}
			compare(t, index, model)
		}
	})
}

func compare(t *rapid.T, index *charts.Index, model map[string]charts.Version) {
	all, err := index.Files()
	if err != nil || !slices.Equal(all, slices.Sorted(maps.Keys(model))) {
		t.Fatalf("files %q, %v; want %v", all, err, model)
	}
	for file, want := range model {
		got, found := index.Find(file)
		if !found || got.Name != want.Name || got.Version != want.Version || got.Digest != want.Digest ||
			!got.Created.Equal(want.Created) {
			t.Fatalf("%s is %+v, %v; want %+v", file, got, found, want)
		}
		if changed, err := index.Set(got); changed || err != nil {
			t.Fatalf("Set with the found version: changed = %v, %v", changed, err)
		}
	}
}

func TestIndexDoesNotDependOnTheOrderOfChanges(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		byFile := map[string]charts.Version{}
		for range rapid.IntRange(0, 12).Draw(t, "versions") {
			v := drawVersion(t)
			byFile[v.File()] = v
		}
		all := slices.Collect(maps.Values(byFile))
		slices.SortFunc(all, func(a, b charts.Version) int { return strings.Compare(a.File(), b.File()) })
		first, second := charts.NewIndex(), charts.NewIndex()
		for i, v := range rapid.Permutation(all).Draw(t, "order") {
			_, err1 := first.Set(all[i])
			_, err2 := second.Set(v)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
		}
		if encoded(t, first) != encoded(t, second) || !first.Equal(second) {
			t.Fatalf("%s\n%s", encoded(t, first), encoded(t, second))
		}
	})
}

func TestOnlyDoesNotChangeTheIndex(t *testing.T) {
	index := charts.NewIndex()
	for _, name := range []string{"a", "a-1", "b"} {
		if _, err := index.Set(charts.Version{Name: name, Version: "1.0.0"}); err != nil {
			t.Fatal(err)
		}
	}
	before := encoded(t, index)
	part, err := index.Only(func(name string) entitlement.Set {
		if strings.HasPrefix(name, "a") {
			return entitlement.Everything()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := part.Files(); err != nil || strings.Join(all, " ") != "a-1-1.0.0.tgz a-1.0.0.tgz" {
		t.Errorf("files %q, %v", all, err)
	}
	if _, found := part.Find("b-1.0.0.tgz"); found {
		t.Error("found a chart that is not permitted")
	}
	if _, err := part.Remove("a-1.0.0.tgz"); err != nil || encoded(t, index) != before {
		t.Errorf("%v; a change of the limited index changed the original", err)
	}
}

func TestDamagedIndexIsErrCorrupt(t *testing.T) {
	deep := `{"apiVersion":"v1","entries":{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}`
	for _, text := range []string{
		"", "null", "{}", "apiVersion: v1\nentries: {}\n", `{"apiVersion":"v2","entries":{}}`, `{"apiVersion":"v1"}`, deep,
		`{"apiVersion":"v1","entries":{"a":7}}`, `{"apiVersion":"v1","entries":{"a":{"x":1}}}`, `{"apiVersion":"v1","entries":{"a":[7]}}`,
		`{"apiVersion":"v1","entries":{"a":null}}`,
	} {
		if _, err := charts.DecodeIndex([]byte(text)); !errors.Is(err, charts.ErrCorrupt) {
			t.Errorf("%.40s: %v", text, err)
		}
	}
	for _, entries := range []string{`[{},7]`, `[{"created":"yesterday"}]`} {
		index, err := charts.DecodeIndex([]byte(`{"apiVersion":"v1","entries":{"a":` + entries + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		_, setErr := index.Set(charts.Version{Name: "a", Version: "1"})
		_, removeErr := index.Remove("a-1.tgz")
		_, filesErr := index.Files()
		for _, err := range []error{setErr, removeErr, filesErr} {
			if !errors.Is(err, charts.ErrCorrupt) {
				t.Errorf("%s: %v", entries, err)
			}
		}
		if _, found := index.Find("a-1.tgz"); found {
			t.Errorf("%s: found", entries)
		}
	}
}

func FuzzDecodeIndex(f *testing.F) {
	index := charts.NewIndex()
	v := charts.Version{Name: "a", Version: "1.0.0", URLs: []string{"a-1.0.0.tgz"}, Metadata: json.RawMessage(`{"x":[1]}`)}
	if _, err := index.Set(v); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(encoded(f, index)), "a-1.0.0.tgz")
	f.Add([]byte(`{"apiVersion":"v1","entries":{"a":[{"version":"1-2"}],"a-1":[ ]}}`), "a-1-2.tgz")
	f.Fuzz(func(t *testing.T, data []byte, file string) {
		index, err := charts.DecodeIndex(data)
		if err != nil {
			return
		}
		index.Find(file)
		if _, err := index.Files(); err != nil {
			return
		}
		if _, err := index.Remove(file); err != nil {
			t.Fatal(err)
		}
		if _, found := index.Find(file); found {
			t.Errorf("%q is found after it was removed", file)
		}
		if _, err := charts.DecodeIndex([]byte(encoded(t, index))); err != nil {
			t.Errorf("cannot decode the encoded index: %v", err)
		}
	})
}
