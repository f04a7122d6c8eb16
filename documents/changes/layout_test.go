package changes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"portside/documents"
	"portside/documents/changes"
	"portside/documents/internal/scale"
)

// layout writes the same sentences in different ways.
type layout struct {
	format     documents.Format
	perBlock   int // sentences
	perPage    int // blocks; 0 for no pages
	hasNumbers bool
	quotes     [2]string
	hyphens    bool // divide long words
}

func (l layout) write(tb testing.TB, sentences []string) *documents.Document {
	tb.Helper()
	into := documents.NewBuilder(l.format, documents.DefaultLimits())
	add := func(text string) {
		if err := into.Add(documents.Block{Kind: documents.Paragraph, Text: text}); err != nil {
			tb.Fatal(err)
		}
	}
	page, blocks := 0, l.perPage
	endPage := func() {
		if page > 0 {
			add(fmt.Sprintf("Lease of Mill House — page %d", page))
		}
	}
	for part := range slices.Chunk(sentences, l.perBlock) {
		if l.perPage > 0 && blocks == l.perPage {
			endPage()
			into.Page()
			add("Confidential")
			page, blocks = page+1, 0
		}
		text := strings.Join(part, " ")
		text = strings.NewReplacer("<", l.quotes[0], ">", l.quotes[1]).Replace(text)
		if l.hyphens {
			text = strings.ReplaceAll(text, "landlord", "land-\nlord")
		}
		if blocks++; l.hasNumbers {
			text = fmt.Sprintf("%d.%d %s", page+1, blocks, text)
		}
		add(text)
	}
	endPage()
	return into.Document()
}

func layouts() *rapid.Generator[layout] {
	return rapid.Custom(func(t *rapid.T) layout {
		return layout{
			format:   rapid.SampledFrom([]documents.Format{documents.PDF, documents.PlainText, documents.DOCX}).Draw(t, "format"),
			perBlock: rapid.IntRange(1, 5).Draw(t, "sentences in a block"),
			perPage:  rapid.SampledFrom([]int{0, 1, 2}).Draw(t, "blocks on a page"),
			quotes:   rapid.SampledFrom([][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}}).Draw(t, "quotes"),
			hyphens:  rapid.Bool().Draw(t, "hyphens"),
		}
	})
}

// contract returns sentences with different words, numbers and dates.
func contract(t *rapid.T) []string {
	actors := []string{"tenant", "landlord", "guarantor", "<agent>", "insurer", "caretaker"}
	verbs := []string{"pays", "repairs", "insures", "inspects", "returns", "keeps", "cleans", "hands over"}
	things := []string{"the roof", "the deposit of %d EUR", "the keys within %d days", "the <garden>",
		"%d rooms", "the heating until 3 May 20%d"}
	var all []string
	for n := range rapid.IntRange(20, 60).Draw(t, "sentences") {
		thing := rapid.SampledFrom(things).Draw(t, "thing")
		if strings.Contains(thing, "%d") {
			thing = fmt.Sprintf(thing, rapid.IntRange(10, 99).Draw(t, "number"))
		}
		all = append(all, fmt.Sprintf("The %s %s %s under article %d.", rapid.SampledFrom(actors).Draw(t, "actor"),
			rapid.SampledFrom(verbs).Draw(t, "verb"), thing, 100+7*n))
	}
	return all
}

// The same sentences do not differ, however they are laid out.
func TestLayoutIsNoChange(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		sentences := contract(t)
		first, second := layouts().Draw(t, "first"), layouts().Draw(t, "second")
		first.hasNumbers = first.perPage == 0 && second.perBlock == 1
		if found := changes.Between(first.write(tb(t), sentences), second.write(tb(t), sentences)); len(found.All) > 0 {
			t.Fatalf("%+v and %+v differ:\n%s", first, second, describe(found))
		}
	})
}

func tb(t *rapid.T) testing.TB { return failing{t: t} }

// failing makes a rapid.T usable for helpers of tests.
type failing struct {
	testing.TB
	t *rapid.T
}

func (failing) Helper() {}

func (f failing) Fatal(args ...any) { f.t.Fatal(args...) }

// A sentence that is edited, added or removed is one change, or two if it is whole paragraphs, in every layout.
func TestEveryEditIsAChange(t *testing.T) {
	edits := map[string]func(string) string{
		"number":   func(s string) string { return strings.Replace(s, "article ", "article 9", 1) },
		"name":     func(s string) string { return strings.Replace(s, "The ", "The neighbor of the ", 1) },
		"negation": func(s string) string { return strings.Replace(s, " under", " not under", 1) },
		"removed":  func(string) string { return "" },
		"added":    func(s string) string { return s + " Nobody smokes in the cellar." },
		"replaced": func(string) string { return "Cats may live in houses owned by others." },
		"order": func(s string) string {
			words := strings.Fields(s)
			words[0], words[1] = words[1], words[0]
			return strings.Join(words, " ")
		},
	}
	for name, edit := range edits {
		t.Run(name, func(t *testing.T) {
			rapid.Check(scale.Checks(t), func(t *rapid.T) {
				sentences := contract(t)
				edited := slices.Clone(sentences)
				at := rapid.IntRange(0, len(sentences)-1).Draw(t, "edited")
				edited[at] = edit(edited[at])
				edited = slices.DeleteFunc(edited, func(s string) bool { return s == "" })
				first, second := layouts().Draw(t, "first"), layouts().Draw(t, "second")
				found := changes.Between(first.write(tb(t), sentences), second.write(tb(t), edited))
				if len(found.All) == 0 || len(found.All) > 2 {
					t.Fatalf("%d changes of %q in %+v and %+v:\n%s", len(found.All), sentences[at], first, second, describe(found))
				}
			})
		})
	}
}

// The columns of a page can be in another order in another format, but not in the same one.
func TestColumnsAreOrderedByTheFormat(t *testing.T) {
	rows := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
	for _, row := range [][]string{{"Anna Berg", "Carl Dahl"}, {"Managing director", "Head of sales"}} {
		if err := rows.Add(documents.Block{Kind: documents.Row, Table: 1, Cells: []documents.Cell{
			{Text: row[0], Column: 0}, {Text: row[1], Column: 1},
		}}); err != nil {
			t.Fatal(err)
		}
	}
	columns := document(t, "Anna Berg\nManaging director\nCarl Dahl\nHead of sales")
	if found := changes.Between(rows.Document(), columns); len(found.All) != 0 {
		t.Errorf("columns differ:\n%s", describe(found))
	}
	other := document(t, "Carl Dahl\nManaging director\nAnna Berg\nHead of sales")
	if found := changes.Between(columns, other); len(found.All) == 0 {
		t.Error("two names that changed places do not differ")
	}
}
