package pdf_test

import (
	"fmt"
	"strings"
	"testing"
)

// thousandths are the widths of the letters of Helvetica that repeatedTexts has.
var thousandths = map[rune]float64{
	'T': 611, 'o': 556, 't': 278, 'a': 556, 'l': 222, ' ': 278, 'd': 556, 'i': 222, 'u': 556, 'e': 556, '1': 556, '0': 556,
	'.': 278, 'B': 667, 'n': 556, 'W': 944,
}

var repeatedTexts = []string{"Total due 110.00", "Bill ill till all", "0.10", "Wattle . 111 l i"}

// pieces splits a text in the ways in which programs print it.
func pieces(text string) map[string][]string {
	return map[string][]string{"letters": strings.Split(text, ""), "words": strings.SplitAfter(text, " "), "line": {text}}
}

// drawn returns the content that shows the parts of a text several times, each time with the shift.
func drawn(parts []string, times int, shift [2]float64) string {
	var page strings.Builder
	x := 50.0
	for _, part := range parts {
		for i := range times {
			page.WriteString(at(x+shift[0]*float64(i), 700+shift[1]*float64(i), part))
		}
		for _, letter := range part {
			x += thousandths[letter] / 100
		}
	}
	return page.String()
}

// TestTextDrawnSeveralTimesIsReadOnce draws texts several times with a shift, as programs do that have no bold font.
func TestTextDrawnSeveralTimesIsReadOnce(t *testing.T) {
	shifts := map[int][][2]float64{
		2: {{0, 0}, {0.3, 0}, {0.6, 0}, {0.9, 0.5}, {0, 0.8}, {-0.4, -0.4}, {1.1, -1.1}},
		3: {{0, 0}, {0.3, 0}, {0.5, 0.5}, {0, 0.8}, {-0.4, -0.4}},
	}
	check := func(times int, shift [2]float64) {
		for _, text := range repeatedTexts {
			for unit, parts := range pieces(text) {
				d, err := read(t, onePage(drawn(parts, times, shift)))
				if err != nil || d.Text() != text {
					t.Errorf("%d times by %s, shifted by %v: got %q, %v; want %q", times, unit, shift, d.Text(), err, text)
				}
			}
		}
	}
	for times, all := range shifts {
		for _, shift := range all {
			check(times, shift)
		}
	}
}

// TestPageDrawnTwiceIsReadOnce has more equal words than a page usually has.
func TestPageDrawnTwiceIsReadOnce(t *testing.T) {
	var layer strings.Builder
	var want []string
	for i := range 40 {
		layer.WriteString(at(50, 800-15*float64(i), fmt.Sprintf("Line %d of the same page", i)))
		want = append(want, fmt.Sprintf("Line %d of the same page", i))
	}
	d, err := read(t, onePage(layer.String()+"q 1 0 0 1 0.7 0 cm "+layer.String()+"Q"))
	if err != nil || strings.ReplaceAll(d.Text(), "\n", " ") != strings.Join(want, " ") {
		t.Errorf("got %q, %v", d.Text(), err)
	}
}

func TestEqualLettersSideBySideAreKept(t *testing.T) {
	for _, text := range []string{"llll iiii ....", "1111", "l l l", "tattoo"} {
		d, err := read(t, onePage(at(50, 700, "Word "+text)))
		if err != nil || d.Text() != "Word "+text {
			t.Errorf("got %q, %v; want %q", d.Text(), err, "Word "+text)
		}
	}
}

// TestSpacesMappedToSeveralCharacters checks that a font's own space separates words, whatever text it stands for.
func TestSpacesMappedToSeveralCharacters(t *testing.T) {
	for _, space := range []string{"0020", "00200020", "002000A0", "00200000", "0020200B", "00A0", "2003200B"} {
		t.Run(space, func(t *testing.T) {
			toUnicode := stream("", "1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <20> <"+space+"> endbfchar")
			fonts := "/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 5 0 R>>>>"
			d, err := read(t, pageWith(at(50, 700, "Harbour plan            now")+at(50, 680, "Town of Sea           late"), fonts, "", toUnicode))
			want := "Harbour plan\tnow\nTown of Sea\tlate"
			if err != nil || d.Text() != want {
				t.Errorf("got %q, %v; want %q", d.Text(), err, want)
			}
		})
	}
}
