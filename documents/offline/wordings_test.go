package offline

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portside/documents/answers"
	"portside/documents/sample"
)

// families are the languages of testdata/wordings by family.
var families = [][]string{{"de", "en", "nl", "sv"}, {"es", "fr", "it", "pt", "ro"}, {"pl"}}

const (
	minWordings = 40  // of a concept in the languages of a family
	maxWordings = 80  // of a concept in one language
	minRight    = 0.5 // share of right answers in a language, about a document in that language
)

// conceptWith returns the name of the concept of a document that has the value, or "" if none has.
func conceptWith(w sample.Worded, v answers.Value) string {
	for _, c := range w.Concepts {
		if strings.HasPrefix(c.Printed, v.Text) || c.Type == v.Type && isRight(c, v) {
			return c.Name
		}
	}
	return ""
}

// isRight reports whether a value is that of a concept.
func isRight(c sample.Concept, v answers.Value) bool {
	return wanted{answers.Variable{Name: c.Name, Type: c.Type}, c.Value}.right(v)
}

// TestWordingsOfOneMeaningHaveOneAnswer asks for every value of a document in every wording of its concept. The
// documents also have the values with which a reader could confuse it, so a wording of the opposite fails as well.
func TestWordingsOfOneMeaningHaveOneAnswer(t *testing.T) {
	var pairs [][2]string
	for _, lang := range slices.Concat(families...) {
		pairs = append(pairs, [2]string{lang, lang})
	}
	for i, counts := range askPairs(t, pairs) {
		all := sum(counts)
		if share := float64(all.correct) / float64(all.total()); share < minRight {
			t.Errorf("%s: %.3f of the answers are right, want at least %v", pairs[i][0], share, minRight)
		}
	}
}

func TestWordingsInAnotherLanguageHaveNoWrongAnswer(t *testing.T) {
	askPairs(t, [][2]string{{"en", "de"}, {"en", "fr"}, {"en", "pl"}, {"de", "en"}, {"fr", "en"}, {"pl", "en"}})
}

// askPairs asks the questions in the first language of each pair about the documents in the second one. It returns the
// counts by pair and concept, and logs them.
func askPairs(t *testing.T, pairs [][2]string) [][]tally {
	t.Helper()
	all := make([][]tally, len(pairs))
	t.Run("ask", func(t *testing.T) {
		for i, pair := range pairs {
			t.Run(pair[0]+" about "+pair[1], func(t *testing.T) {
				t.Parallel()
				about := readWordings(t, pair[1])
				for j, w := range readWordings(t, pair[0]) {
					all[i] = append(all[i], askWordings(t, w, about[j])...)
				}
			})
		}
	})
	logCounts(t, pairs, all)
	return all
}

// logCounts logs a table of the right, missing and wrong answers by concept and pair of languages.
func logCounts(t *testing.T, pairs [][2]string, all [][]tally) {
	t.Helper()
	var table strings.Builder
	row := func(name string, cell func(i int) string) {
		fmt.Fprintf(&table, "\n%-18s", name)
		for i := range pairs {
			fmt.Fprintf(&table, "%13s", cell(i))
		}
	}
	count := func(c ...tally) string {
		all := sum(c)
		return fmt.Sprintf("%d/%d/%d", all.correct, all.abstained, all.wrong)
	}
	row("right/null/wrong", func(i int) string { return pairs[i][0] + " on " + pairs[i][1] })
	n := 0
	for _, w := range readWordings(t, pairs[0][0]) {
		for _, c := range w.Concepts {
			row(c.Name, func(i int) string { return count(all[i][min(n, len(all[i])):min(n+1, len(all[i]))]...) })
			n++
		}
	}
	row("all", func(i int) string { return count(all[i]...) })
	t.Log(table.String())
}

func sum(counts []tally) (all tally) {
	for _, c := range counts {
		all.correct += c.correct
		all.abstained += c.abstained
		all.wrong += c.wrong
	}
	return all
}

// TestWordingsAreManyAndDistinct checks the files: a set that is too small, or a document in which two concepts have
// one value, would prove nothing.
func TestWordingsAreManyAndDistinct(t *testing.T) {
	first := readWordings(t, families[0][0])
	for _, family := range families {
		counts := map[string]int{}
		for _, lang := range family {
			for i, w := range readWordings(t, lang) {
				checkDistinct(t, lang, w)
				countWordings(t, w, first[i], counts)
			}
		}
		for name, count := range counts {
			if count < minWordings {
				t.Errorf("%v: %d wordings of %s, want %d", family, count, name, minWordings)
			}
		}
	}
}

// countWordings adds the wordings of a document to the counts by concept, and checks that it has the concepts of the
// first language in their order.
func countWordings(t *testing.T, w, first sample.Worded, counts map[string]int) {
	t.Helper()
	if len(w.Concepts) != len(first.Concepts) {
		t.Fatalf("%s has %d concepts, want %d", w.Title, len(w.Concepts), len(first.Concepts))
	}
	for i, c := range w.Concepts {
		counts[c.Name] += len(c.Wordings)
		if c.Name != first.Concepts[i].Name || len(c.Wordings) > maxWordings {
			t.Errorf("%s: %d wordings of %s, which is concept %d", w.Title, len(c.Wordings), c.Name, i)
		}
	}
}

func checkDistinct(t *testing.T, lang string, w sample.Worded) {
	t.Helper()
	values, wordings := map[string]string{}, map[string]string{}
	for _, c := range w.Concepts {
		if other := values[c.Value]; other != "" {
			t.Errorf("%s: %s and %s have the value %q", lang, other, c.Name, c.Value)
		}
		values[c.Value] = c.Name
		for _, v := range c.Wordings {
			wording := v.Description
			if wording == "" {
				wording = v.Name + " as a name"
			}
			if other := wordings[wording]; other != "" {
				t.Errorf("%s: %q asks for %s and for %s", lang, wording, other, c.Name)
			}
			wordings[wording] = c.Name
		}
	}
}

// askWordings asks the questions of one document about another one with the same concepts, all at once, because the
// engine then reads the document once. No answer depends on the other questions. It returns the counts by concept.
func askWordings(t *testing.T, questions, about sample.Worded) (counts []tally) {
	t.Helper()
	var settings answers.ExtractSettings
	for _, c := range questions.Concepts {
		settings.Variables = append(settings.Variables, c.Wordings...)
	}
	found, err := New().Extract(t.Context(), readDocument(t, about.Text()), settings)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range questions.Concepts {
		one := tally{}
		for _, v := range c.Wordings {
			value := found.Values[v.Name]
			switch want := about.Concepts[i]; {
			case !value.Found():
				one.abstained++
			case isRight(want, value):
				one.correct++
			default:
				one.wrong++
				t.Errorf("%s: %q has the answer %q (%s), want %q", c.Name, cmp.Or(v.Description, v.Name), value.Text,
					conceptWith(about, value), want.Value)
			}
		}
		counts = append(counts, one)
	}
	return counts
}

// readWordings reads the file of wordings of a language.
func readWordings(t *testing.T, lang string) []sample.Worded {
	t.Helper()
	all, err := sample.ReadWordings(filepath.Join("testdata", "wordings", lang+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}
