package resourcetest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
	"portside/testclient/scale"
)

func (f *fixture) drop(key items.Map) {
	f.t.Helper()
	if _, err := f.Client.DeleteItem(f.t.Context(), &dynamodb.DeleteItemInput{TableName: &f.Table, Key: key}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) put(item items.Map) {
	f.t.Helper()
	if _, err := f.Client.PutItem(f.t.Context(), &dynamodb.PutItemInput{TableName: &f.Table, Item: item}); err != nil {
		f.t.Fatal(err)
	}
}

// with returns a copy of an item with another attribute.
func with(item items.Map, attribute string, value types.AttributeValue) items.Map {
	item = maps.Clone(item)
	item[attribute] = value
	return item
}

// keyOf returns the key of an item.
func keyOf(item items.Map) items.Map { return items.Map{"pk": item["pk"], "sk": item["sk"]} }

// ownerOf returns the attribute of a derived item that names its resource, or an empty text for other items.
func (f *fixture) ownerOf(item items.Map) string {
	switch kind, _, _ := strings.Cut(liststest.Text(item, "pk"), "#"); {
	case kind == "list" || kind == "search":
		return "id"
	case slices.ContainsFunc(f.Uniques, func(u Unique) bool { return u.Marker == kind }):
		return f.Owner
	}
	return ""
}

// derived returns, by the ID of the resource, the items that the table has because of it: markers, entries of lists,
// terms.
func (f *fixture) derived() map[string][]items.Map {
	f.t.Helper()
	derived := map[string][]items.Map{}
	for _, item := range liststest.Scan(f.t, f.Client, f.Table) {
		if owner := f.ownerOf(item); owner != "" {
			id := liststest.Text(item, owner)
			derived[id] = append(derived[id], item)
		}
	}
	place := func(item items.Map) string { return liststest.Text(item, "pk") + "\t" + liststest.Text(item, "sk") }
	for _, all := range derived {
		slices.SortFunc(all, func(a, b items.Map) int { return cmp.Compare(place(a), place(b)) })
	}
	return derived
}

// moved returns a copy of a derived item with a key that no derived item has.
func moved(item items.Map, n int) items.Map {
	pk, sk := liststest.Text(item, "pk"), liststest.Text(item, "sk")
	switch kind, _, _ := strings.Cut(pk, "#"); kind {
	case "list":
		sk = fmt.Sprintf("%010d", 7_000_000+n)
	case "search":
		sk = fmt.Sprintf("%d%s", n, sk)
	default:
		pk = fmt.Sprintf("%s%d", pk, n)
	}
	return with(with(item, "pk", items.Text(pk)), "sk", items.Text(sk))
}

// damage is a change of the table, with what a rebuild must repair. Counters below 0 stand for any number above 0.
type damage struct {
	name string
	do   func(*fixture, []Resource)
	want lists.Repairs
}

// damages returns each kind of damage to six resources.
func (s *Subject) damages(derived int) []damage {
	return []damage{
		{"items gone", (*fixture).loseItems, lists.Repairs{Resources: 6}},
		{"items outdated", (*fixture).ageItems, lists.Repairs{Resources: 6}},
		{"items of another resource", (*fixture).misattribute, lists.Repairs{Strays: derived, Resources: 1}},
		{"items of no resource", (*fixture).addStrays, lists.Repairs{Strays: 3 * derived}},
		{"in the list of another label", (*fixture).mislabel, lists.Repairs{Strays: 1}},
		{"counters gone", func(f *fixture, _ []Resource) {
			f.drop(items.Key("rank#"+f.Lists+"#1#0", "root"))
			f.drop(items.Key("rank#"+f.Lists+"#2#0", "0"))
		}, lists.Repairs{Counters: 2}},
		{"sequence behind", func(f *fixture, _ []Resource) {
			f.put(with(items.Key("rank#"+f.Lists, "sequence"), "next", items.Number(2)))
		}, lists.Repairs{Sequence: true}},
		{"all but the resources gone", func(f *fixture, _ []Resource) {
			for _, item := range liststest.Scan(f.t, f.Client, f.Table) {
				if !strings.HasPrefix(liststest.Text(item, "pk"), f.Kind+"#") {
					f.drop(keyOf(item))
				}
			}
		}, lists.Repairs{Resources: 6, Sequence: true, Counters: -1}},
	}
}

// loseItems drops one or more derived items of each resource, and in total each kind of them.
func (f *fixture) loseItems(all []Resource) {
	derived := f.derived()
	for i, r := range all {
		for n, item := range derived[r.ID] {
			if n%len(all) == i%len(derived[r.ID]) { // modulo, because a resource without a name has few items
				f.drop(keyOf(item))
			}
		}
	}
}

// ageItems changes each attribute of the entries of lists, and what terms share with other terms.
func (f *fixture) ageItems(all []Resource) {
	form := slices.DeleteFunc(slices.Clone(f.Form), func(name string) bool { return name == "id" })
	derived := f.derived()
	for i, r := range all {
		for n, item := range derived[r.ID] {
			switch kind, _, _ := strings.Cut(liststest.Text(item, "pk"), "#"); kind {
			case "list":
				f.put(with(item, form[(i+n)%len(form)], items.Text("old")))
			case "search":
				f.put(with(item, "shared", items.Number(99)))
			}
		}
	}
}

// misattribute gives the derived items of a resource to another one.
func (f *fixture) misattribute(all []Resource) {
	for _, item := range f.derived()[all[0].ID] {
		f.put(with(item, f.ownerOf(item), items.Text(all[1].ID)))
	}
}

// addStrays adds copies of derived items under other keys: for an existing resource, for an unknown one, and without
// attributes.
func (f *fixture) addStrays(all []Resource) {
	for _, item := range f.derived()[all[0].ID] {
		f.put(moved(item, 1))
		f.put(with(moved(item, 2), f.ownerOf(item), items.Text("ghost")))
		f.put(keyOf(moved(item, 3)))
	}
}

// mislabel adds the first resource to the list of another label.
func (f *fixture) mislabel(all []Resource) {
	for _, item := range f.derived()[all[0].ID] {
		if liststest.Text(item, "pk") == "list#"+all[0].Label {
			f.put(with(item, "pk", items.Text("list#"+f.label(1))))
		}
	}
}

// testRebuild damages a table and rebuilds it, again and again.
func (f *fixture) testRebuild() {
	all := f.populated(6)
	for _, c := range f.damages(len(f.derived()[all[0].ID])) {
		c.do(f, all)
		f.repair(c)
		f.wantCount(len(all))
	}
}

// repair rebuilds a damaged table, and checks what the rebuild reports.
func (f *fixture) repair(c damage) {
	f.t.Helper()
	var last lists.Progress
	repairs, err := f.Rebuild(f.t.Context(), func(p lists.Progress) { last = p })
	if err != nil {
		f.t.Fatalf("%s: %v", c.name, err)
	}
	for i := 1; i < len(f.Customers); i++ {
		for _, isWrong := range []bool{c.want.Counters < 0, false} {
			if got, err := f.RebuildCustomer(f.t.Context(), f.Customers[i]); err != nil || got != isWrong {
				f.t.Errorf("%s: counts of a customer were wrong: %v, %v, want %v", c.name, got, err, isWrong)
			}
		}
	}
	if last.Repairs.Strays != repairs.Strays || last.Repairs.Resources != repairs.Resources {
		f.t.Errorf("%s: the last progress is %+v, the repairs %+v", c.name, last.Repairs, repairs)
	}
	if c.want.Counters < 0 && repairs.Counters > 0 {
		c.want.Counters = repairs.Counters
	}
	if fmt.Sprint(repairs) != fmt.Sprint(c.want) {
		f.t.Errorf("%s: repairs are %+v, want %+v", c.name, repairs, c.want)
	}
	if again, err := f.Rebuild(f.t.Context(), nil); err != nil || fmt.Sprint(again) != fmt.Sprint(lists.Repairs{}) {
		f.t.Errorf("%s: the second rebuild repairs %+v, %v", c.name, again, err)
	}
}

// testDisputes has resources that cannot be listed: one with the number of another, one with a unique value of another,
// and one with an unknown label.
func (f *fixture) testDisputes() {
	all := f.populated(6)
	set := func(i int, attribute string, value types.AttributeValue) string {
		for _, item := range liststest.Scan(f.t, f.Client, f.Table) {
			if liststest.Text(item, "pk") == f.Kind+"#"+all[i].ID {
				f.put(with(item, attribute, value))
			}
		}
		return all[i].ID
	}
	want := []string{set(3, "number", items.Number(all[2].Number)), set(4, f.Label, items.Text("nonsense"))}
	if len(f.Uniques) > 0 {
		want = append(want, set(5, f.Uniques[0].Attribute, items.Text(all[0].Unique[0])))
	}
	repairs, err := f.Rebuild(f.t.Context(), nil)
	if err != nil {
		f.t.Fatal(err)
	}
	var got []string
	for _, d := range repairs.Disputes {
		got = append(got, d.ID)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		f.t.Errorf("disputes are %v, want %v", got, want)
	}
}

// damageSome damages items that other writes do not need: a term and an entry of a resource, an entry of no resource,
// and counters.
func (f *fixture) damageSome(all []Resource) {
	f.t.Helper()
	derived := f.derived()[all[3].ID]
	of := func(kind string) items.Map {
		return derived[slices.IndexFunc(derived, func(item items.Map) bool { return strings.HasPrefix(liststest.Text(item, "pk"), kind) })]
	}
	if !f.IsUnnamed {
		f.drop(keyOf(of("search#")))
	}
	f.put(with(of("list#"), "name", items.Text("old")))
	f.put(with(moved(of("list#"), 1), "id", items.Text("ghost")))
	f.drop(items.Key("rank#"+f.Lists+"#1#0", "root"))
	f.mislabel(all)
	if f.Damage != nil {
		f.Damage(f.t, f.Tables)
	}
}

// testRebuildResumes interrupts a rebuild at its nth write, for every n, loses the response, and rebuilds again.
func (f *fixture) testRebuildResumes() {
	interrupted := errors.New("interrupted")
	for stop, finished := 1, false; !finished; stop++ {
		f := f.open(f.t)
		all := f.populated(4)
		f.damageSome(all)
		for _, item := range f.derived()[all[1].ID] {
			f.drop(keyOf(item))
		}
		writes := 0
		faulty := awstest.Faulty(f.Client, func(operation string, _ int) error {
			if operation != "UpdateItem" && operation != "TransactWriteItems" {
				return nil
			}
			if writes++; writes == stop {
				return awstest.Lost(interrupted)
			}
			return nil
		})
		_, err := f.Over(faulty).Rebuild(f.t.Context(), nil)
		if finished = err == nil; !finished && !errors.Is(err, interrupted) {
			f.t.Fatal(err)
		}
		if _, err := f.Rebuild(f.t.Context(), nil); err != nil {
			f.t.Fatal(err)
		}
		f.wantCount(4)
	}
}

// testRebuildDuringChanges changes resources just before the nth call of a rebuild, for each n of scale.Every.
func (f *fixture) testRebuildDuringChanges() {
	first, step := scale.Every(7)
	for at, finished := first, false; !finished; at += step {
		f := f.open(f.t)
		all := f.populated(4)
		f.damageSome(all)
		calls := 0
		racing := awstest.Faulty(f.Client, func(string, int) error {
			if calls++; calls == at {
				f.interfere(all)
			}
			return nil
		})
		if _, err := f.Over(racing).Rebuild(f.t.Context(), nil); err != nil {
			f.t.Fatal(err)
		}
		f.wantCount(4)
		finished = calls < at
	}
}

// interfere changes, deletes and creates resources.
func (f *fixture) interfere(all []Resource) {
	f.t.Helper()
	ctx := f.t.Context()
	changed, err := f.Update(ctx, all[3], f.changed(all[3], 13))
	f.wantError("change", err, nil)
	_, err = f.Update(ctx, changed, f.changed(changed, 14))
	f.wantError("second change", err, nil)
	f.wantError("deletion", f.Delete(ctx, all[2], noon()), nil)
	f.create(10)
}
