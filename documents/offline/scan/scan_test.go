package scan

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWordsAreFoldedAndKeepTheirPosition(t *testing.T) {
	const text = "Größe: l'Année 2026, n.º 7"
	var folded, quotes []string
	for _, w := range Words(text) {
		folded, quotes = append(folded, w.Text), append(quotes, w.At.In(text))
	}
	if want := []string{"grosse", "l", "annee", "2026", "n", "o", "7"}; !slices.Equal(folded, want) {
		t.Errorf("folded words: %q, want %q", folded, want)
	}
	if want := []string{"Größe", "l", "Année", "2026", "n", "º", "7"}; !slices.Equal(quotes, want) {
		t.Errorf("words of the text: %q, want %q", quotes, want)
	}
}

func TestKeyIgnoresCaseAccentsAndPunctuation(t *testing.T) {
	if a, b := Key("Müller & Söhne, GmbH"), Key("MULLER SOHNE GMBH"); a != b {
		t.Errorf("%q and %q", a, b)
	}
}

func TestWordReaderEndsPartsAtBreaks(t *testing.T) {
	r := WordReader{Text: "one two three, four five"}
	if first := r.Read(2, 10); len(first) != 3 {
		t.Errorf("the first part has %d words, want the 3 before the comma", len(first))
	}
	if rest := r.Read(10, 10); len(rest) != 2 || !rest[0].AfterBreak {
		t.Errorf("the second part is %+v", rest)
	}
}

func TestSplitLongKeepsEveryWord(t *testing.T) {
	text := strings.Repeat("word ", MaxStretch) + strings.Repeat("ż", MaxStretch)
	var words []string
	for _, part := range SplitLong(text, Span{0, len(text)}) {
		if part.Len() > MaxStretch {
			t.Errorf("a part has %d bytes", part.Len())
		}
		if !utf8.ValidString(part.In(text)) {
			t.Errorf("%v cuts a character", part)
		}
		words = append(words, strings.Fields(part.In(text))...)
	}
	if got := strings.Join(words, ""); got != strings.ReplaceAll(text, " ", "") {
		t.Error("the parts do not have all the text")
	}
}

func TestWatchStopsSoonAfterTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := NewWatch(ctx)
	if w.Stopped() || w.Check() != nil {
		t.Fatal("the watch stopped before the context ended")
	}
	cancel()
	const enough = 100
	steps := 0
	for !w.Stopped() && steps < enough {
		steps++
	}
	if steps == enough || !errors.Is(w.Check(), context.Canceled) {
		t.Errorf("after %d steps: %v", steps, w.Check())
	}
	var none *Watch
	if none.Stopped() {
		t.Error("a nil watch stopped")
	}
}
