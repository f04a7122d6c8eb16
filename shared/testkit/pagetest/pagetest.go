// Package pagetest checks the cursors of a list: a client that follows them sees each item that stays in the list
// exactly once, even if other items are created or deleted between its pages.
package pagetest

import (
	"slices"

	"pgregory.net/rapid"
)

// List is a list under test. Items have distinct IDs.
type List struct {
	Items  func() []string // the IDs of the items that the list must have now, in its order
	Change func(*rapid.T)  // creates, deletes or changes an item
	Page   func(limit int, cursor string) (ids []string, next string)
}

// maxChangedPages is the number of pages after which the list no longer changes, so that reading it ends.
const maxChangedPages = 12

// Check changes the list at random, first before it reads the list and then between the pages.
func Check(rt *rapid.T, list List) {
	change := func(most int) {
		for range rapid.IntRange(0, most).Draw(rt, "changes") {
			list.Change(rt)
		}
	}
	change(20)
	stayed, seen, cursor := list.Items(), []string{}, ""
	for pages := 0; ; pages++ {
		limit := rapid.IntRange(1, 5).Draw(rt, "limit")
		ids, next := list.Page(limit, cursor)
		if len(ids) > limit {
			rt.Fatalf("the page has %d items, want at most %d", len(ids), limit)
		}
		checkPage(rt, ids, list.Items(), seen)
		if seen = append(seen, ids...); next == "" {
			break
		}
		if next == cursor {
			rt.Fatalf("the page after %q has the same cursor", cursor)
		}
		if cursor = next; pages < maxChangedPages {
			change(5)
		}
		stayed = in(stayed, list.Items())
	}
	if missed := in(stayed, seen); !slices.Equal(missed, stayed) {
		rt.Fatalf("the pages have %q, of those that stayed only %q of %q", seen, missed, stayed)
	}
	if now := list.Items(); !slices.Equal(in(seen, now), in(now, seen)) {
		rt.Fatalf("the pages have %q, which is not the order of %q", seen, now)
	}
}

// checkPage checks that the items of a page are in the list and on no earlier page.
func checkPage(rt *rapid.T, ids, now, seen []string) {
	for i, id := range ids {
		if slices.Contains(seen, id) || slices.Contains(ids[:i], id) {
			rt.Fatalf("%q is in the pages twice: %q and %q", id, seen, ids)
		}
		if !slices.Contains(now, id) {
			rt.Fatalf("the page %q has %q, which is not in the list %q", ids, id, now)
		}
	}
}

// in returns the IDs that are in both lists.
func in(ids, others []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !slices.Contains(others, id) })
}
