package changes_test

import (
	"fmt"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/changes"
)

// document returns a document with a paragraph for each line.
func document(tb testing.TB, text string) *documents.Document {
	tb.Helper()
	into := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	for line := range strings.SplitSeq(text, "\n") {
		if err := into.Add(documents.Block{Kind: documents.Paragraph, Text: line}); err != nil {
			tb.Fatal(err)
		}
	}
	return into.Document()
}

// describe returns changes as text, one a line.
func describe(found changes.Changes) string {
	var lines []string
	for _, c := range found.All {
		line := string(c.Kind) + ": " + strings.Trim(c.First.Text+" → "+c.Second.Text, " →")
		for _, w := range c.Words {
			line += fmt.Sprintf(" [%s|%s]", w.First, w.Second)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

const lease = `Lease
1. The rent is 1,450 EUR a month.
2. The tenant pays a deposit of two rents.
3. Pets are not allowed.
4. The contract ends on 31 August 2029.
Signed in Bristol`

func TestBetween(t *testing.T) {
	edit := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(lease) }
	for name, test := range map[string]struct{ second, want string }{
		"equal":  {lease, ""},
		"spaces": {edit("The rent is", "The  rent\tis"), ""},
		"changed words": {
			edit("1,450", "1,500", "two rents", "three rents"),
			"changed: 1. The rent is 1,450 EUR a month. → 1. The rent is 1,500 EUR a month. [1,450|1,500]\n" +
				"changed: 2. The tenant pays a deposit of two rents. → 2. The tenant pays a deposit of three rents. [two|three]",
		},
		"added":   {edit("4. The", "3a. Smoking is not permitted anywhere.\n4. The"), "added: 3a. Smoking is not permitted anywhere."},
		"removed": {edit("3. Pets are not allowed.\n", ""), "removed: 3. Pets are not allowed."},
		"replaced": {
			edit("3. Pets are not allowed.", "The landlord insures the building against fire."),
			"removed: 3. Pets are not allowed.\nadded: The landlord insures the building against fire.",
		},
		"added before a changed one": {
			edit("3. Pets are not allowed.", "Smoking is forbidden here.\n3. Pets are always allowed."),
			"added: Smoking is forbidden here.\nchanged: 3. Pets are not allowed. → 3. Pets are always allowed. [not|always]",
		},
		"moved": {
			edit("3. Pets are not allowed.\n", "", "Signed in Bristol", "Signed in Bristol\n3. Pets are not allowed."),
			"",
		},
		"nothing in common": {"Minutes", "removed: " + strings.ReplaceAll(lease, "\n", "\nremoved: ") + "\nadded: Minutes"},
		"empty":             {"", "removed: " + strings.ReplaceAll(lease, "\n", "\nremoved: ")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := describe(changes.Between(document(t, lease), document(t, test.second))); got != test.want {
				t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
			}
		})
	}
}

// TestParagraphsInAnotherOrder has paragraphs that begin or end with the same words.
func TestParagraphsInAnotherOrder(t *testing.T) {
	all := []string{"The buyer pays 100 EUR.", "The seller delivers on 5 May.", "The buyer insures the goods.", "Pets are allowed here."}
	for _, order := range [][]int{{1, 0, 2, 3}, {0, 2, 1, 3}, {3, 2, 1, 0}, {1, 2, 3, 0}, {3, 0, 1, 2}, {2, 3, 0, 1}} {
		for n := 2; n <= len(all); n++ {
			var second []string
			for _, i := range order {
				if i < n {
					second = append(second, all[i])
				}
			}
			found := changes.Between(document(t, strings.Join(all[:n], "\n\n")), document(t, strings.Join(second, "\n\n")))
			if len(found.All) > 0 {
				t.Errorf("%v: %s", second, describe(found))
			}
		}
	}
}

// TestManyChanges changes every third of many clauses.
func TestManyChanges(t *testing.T) {
	var first, second strings.Builder
	for i := range 3_000 {
		fmt.Fprintf(&first, "Clause %d says that party %d delivers goods of kind %d.\n", i, i, i)
		kind := i
		if i%3 == 0 {
			kind = i + 7_000
		}
		fmt.Fprintf(&second, "Clause %d says that party %d delivers goods of kind %d.\n", i, i, kind)
	}
	found := changes.Between(document(t, first.String()), document(t, second.String()))
	if len(found.All) != changes.MaxChanges || found.Truncated {
		t.Fatalf("%d changes, truncated %t", len(found.All), found.Truncated)
	}
	for _, c := range found.All {
		if c.Kind != changes.Changed || len(c.Words) != 1 {
			t.Fatalf("%+v", c)
		}
	}
}

func TestLimits(t *testing.T) {
	first := document(t, strings.Repeat("nobody ever reads this\n", changes.MaxWords/3))
	second := document(t, strings.Repeat("red\ngreen\n", changes.MaxChanges))
	if found := changes.Between(first, second); !found.Truncated || len(found.All) != changes.MaxChanges {
		t.Errorf("%d changes, truncated %t", len(found.All), found.Truncated)
	}
}

// FuzzBetween checks that a text equals itself, and itself in one paragraph, and that each change says what differs.
func FuzzBetween(f *testing.F) {
	f.Add(lease, strings.ReplaceAll(lease, "rent", "price"))
	f.Add("a\nb\na", "b\na\nb")
	f.Add("One. Two. Two.\n1. a-- -b", "One. Two.\n- 2")
	f.Fuzz(func(t *testing.T, first, second string) {
		a, b := document(t, first), document(t, second)
		if found := changes.Between(a, b); (found.All == nil) != (changes.Between(b, a).All == nil) {
			t.Fatalf("not the same backwards: %+v", found.All)
		} else {
			for _, c := range found.All {
				if (c.Kind == changes.Changed) != (len(c.Words) > 0) {
					t.Fatalf("%+v", c)
				}
			}
		}
		for _, same := range []*documents.Document{a, document(t, strings.ReplaceAll(first, "\n", " "))} {
			if found := changes.Between(a, same); len(found.All) != 0 {
				t.Fatalf("a text differs from itself: %+v", found.All)
			}
		}
	})
}
