package lexicon

import (
	"encoding/binary"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"portside/documents/offline/scan"
)

var update = flag.Bool("update", false, "write the index")

// TestIndexIsThatOfTheText builds the index from lexicon.txt.
func TestIndexIsThatOfTheText(t *testing.T) {
	b := buildFrom(t, "lexicon.txt")
	numbers, terms := b.termLists()
	forms, stems := map[string]int{}, map[string]int{}
	for text, f := range b.forms {
		forms[text] = 2 * numbers[strings.Join(f.terms, " ")]
		if f.isPrefix {
			forms[text]++
		}
	}
	for text, terms := range b.stems {
		stems[text] = numbers[strings.Join(terms, " ")]
	}
	for file, want := range map[string]string{"forms.index": encode(t, forms), "stems.index": encode(t, stems),
		"terms.index": terms} {
		t.Run(file, func(t *testing.T) {
			if *update {
				if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := os.ReadFile(file); err != nil || string(got) != want {
				t.Errorf("%s is out of date, %v; run go test ./offline/lexicon -update", file, err)
			}
		})
	}
}

func TestIndexFindsItsWordsAlone(t *testing.T) {
	values := map[string]int{}
	for i, word := range strings.Fields("a an and andes äpple zzz") {
		values[word] = 1000*i + 1
	}
	x := index(encode(t, values))
	for word, want := range values {
		if got := x.find(word); got != want {
			t.Errorf("%s: %d, want %d", word, got, want)
		}
		for _, other := range []string{"", word + "x", word[1:] + "\x00"} {
			if got := x.find(other); got != values[other] {
				t.Errorf("%q: %d, want %d", other, got, values[other])
			}
		}
	}
}

// builder reads the text of a lexicon.
type builder struct {
	forms map[string]form
	stems map[string][]string // terms of forms whose last word may have any ending
}

func buildFrom(t *testing.T, file string) builder {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b := builder{map[string]form{}, map[string][]string{}}
	for line := range strings.Lines(string(text)) {
		if meaning, forms, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && !strings.HasPrefix(line, "#") {
			for form := range strings.SplitSeq(forms, ",") {
				for _, f := range Alternatives(form) {
					b.addForm(slices.Clip(strings.Fields(meaning)), scan.Words(f), strings.HasSuffix(strings.TrimSpace(f), "*"))
				}
			}
		}
	}
	return b
}

// addForm adds one form, and marks its beginnings as prefixes.
func (b builder) addForm(terms []string, words []scan.Word, isStem bool) {
	text := words[0].Text
	for _, w := range words[1:] {
		b.forms[text] = form{b.forms[text].terms, true}
		text += " " + w.Text
	}
	if isStem {
		b.stems[text] = union(b.stems[text], terms)
		return
	}
	b.forms[text] = form{union(b.forms[text].terms, terms), b.forms[text].isPrefix}
}

// union returns the terms of both lists. It may return one of the lists, but changes neither.
func union(known, more []string) []string {
	for _, t := range more {
		if !slices.Contains(known, t) {
			known = append(slices.Clip(known), t)
		}
	}
	return known
}

// termLists returns the lists of terms, one on each line, and the number of each, from 1.
func (b builder) termLists() (numbers map[string]int, lines string) {
	lists := map[string]bool{}
	for _, f := range b.forms {
		lists[strings.Join(f.terms, " ")] = true
	}
	for _, terms := range b.stems {
		lists[strings.Join(terms, " ")] = true
	}
	delete(lists, "")
	numbers = map[string]int{}
	for _, list := range slices.Sorted(maps.Keys(lists)) {
		numbers[list] = len(numbers) + 1
		lines += list + "\n"
	}
	return numbers, lines
}

// encode returns an index with two slots or more for each word.
func encode(t *testing.T, values map[string]int) string {
	t.Helper()
	slots := 1
	for slots < 2*len(values) {
		slots *= 2
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(slots))
	out = append(out, make([]byte, 4*slots)...)
	for _, word := range slices.Sorted(maps.Keys(values)) {
		if len(word) > 255 || values[word] > 65535 {
			t.Fatalf("%q: %d does not fit into an entry", word, values[word])
		}
		slot := hash(word) & (slots - 1)
		for index(out).number(4+4*slot, 4) != 0 {
			slot = (slot + 1) & (slots - 1)
		}
		binary.LittleEndian.PutUint32(out[4+4*slot:], uint32(len(out)))
		out = append(append(out, byte(len(word))), word...)
		out = binary.LittleEndian.AppendUint16(out, uint16(values[word]))
	}
	return string(out)
}
