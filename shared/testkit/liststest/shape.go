package liststest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"portside/shared/core/search"
)

// Shape describes how a table stores resources of one kind, and the items that it derives from them.
type Shape struct {
	Kind           string   // "user" for items with the key user#<id>
	Lists          string   // the name of the counters of its lists, such as "users"
	Form           []string // the attributes of an entry of a list; all are also attributes of the resource's item
	Owner          string   // the attribute of a marker that names the resource
	Markers        []Marker
	IsUnnamed      bool     // the resources have no name, and no search finds them
	Label, State   string   // the attributes by which lists are filtered; no State if the resources have none
	Labels, States []string // in the order of the counters
}

// Marker is the kind of the items that mark the values of an attribute as taken.
type Marker struct{ Kind, Attribute string }

// Compare compares the items of a table with its resources. want and got may already have entries of other items, which
// it also compares. It returns a line for each difference.
func (s Shape) Compare(items []Item, want, got map[string]string) (problems []string) {
	counted, counts := Counts{}, Counts{}
	last, next := int64(-1), int64(0)
	for _, item := range items {
		pk, sk := Text(item, "pk"), Text(item, "sk")
		switch kind := KindOf(item); {
		case kind == s.Kind:
			last = max(last, Number(item, "number"))
			s.expect(want, counted, item)
		case kind == "gone" && len(item) != 3:
			problems = append(problems, fmt.Sprintf("%s has more than a key and a history: %v", pk, item))
		case kind == "list":
			got[pk+" "+sk] = shown(item, slices.Sorted(maps.Keys(item)))
		case kind == "search":
			AddTerm(got, item)
		case kind == "rank" && sk == "sequence":
			next = Number(item, "next")
		case kind == "rank":
			counts.Read(item)
		case slices.ContainsFunc(s.Markers, func(m Marker) bool { return m.Kind == kind }):
			got[pk+" "+sk] = Text(item, s.Owner)
		}
	}
	if next <= last {
		problems = append(problems, fmt.Sprintf("the next number is %d, but a resource has number %d", next, last))
	}
	counted.AddTo(want)
	counts.AddTo(got)
	return append(problems, differences(want, got)...)
}

// KindOf returns the part of the partition key that says what the item is.
func KindOf(item Item) string {
	kind, _, _ := strings.Cut(Text(item, "pk"), "#")
	return kind
}

// expect adds the items and counts that the tables must have for a resource.
func (s Shape) expect(want map[string]string, counted Counts, item Item) {
	id, number := Text(item, "id"), Number(item, "number")
	label, state := Text(item, s.Label), Text(item, s.State)
	var unique []string
	for _, m := range s.Markers {
		value := Text(item, m.Attribute)
		if unique = append(unique, value); value != "" {
			want[m.Kind+"#"+value+" "+m.Kind] = id
		}
	}
	var terms []string
	if !s.IsUnnamed {
		terms = search.TermsOf(Text(item, "name"), unique...)
	}
	for _, customer := range slices.Compact([]string{"", Text(item, "customer")}) { // the lists of all, and those of a customer
		prefix, tree := "list#", s.Lists
		if customer != "" {
			prefix, tree = prefix+customer+"#", tree+"#"+customer
		}
		for _, list := range []string{"all", label} {
			key := fmt.Sprintf(" %010d", number)
			want[prefix+list+key] = shown(item, s.Form)
			if state != "" {
				want[prefix+list+"#"+state+key] = shown(item, s.Form)
			}
		}
		AddTermsIn(customer, want, id, terms)
		counted.CountState(tree, number, slices.Index(s.Labels, label), max(0, slices.Index(s.States, state)))
	}
}

// shown returns some attributes of an item as text. It leaves out the key, and attributes that the item lacks.
func shown(item Item, attributes []string) string {
	var all []string
	for _, name := range slices.Sorted(slices.Values(attributes)) {
		if value := item[name]; value != nil && name != "pk" && name != "sk" {
			all = append(all, fmt.Sprintf("%s %v", name, value))
		}
	}
	return strings.Join(all, ", ")
}

// differences returns a line for each entry that differs.
func differences(want, got map[string]string) (lines []string) {
	all := maps.Clone(want)
	maps.Copy(all, got)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if want[name] != got[name] {
			lines = append(lines, fmt.Sprintf("%s is %q, want %q", name, got[name], want[name]))
		}
	}
	return lines
}
