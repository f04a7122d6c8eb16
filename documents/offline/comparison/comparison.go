package comparison

import (
	"math/big"
	"strings"
	"time"

	"portside/documents/answers"
	"portside/documents/differences"
	"portside/documents/offline/questions"
	"portside/documents/offline/scan"
)

// Describe returns one sentence for each variable of the settings, in the given language.
func Describe(a, b answers.Extraction, lang answers.Lang, s answers.CompareSettings) map[string]string {
	w := wording{lang: lang, brief: asksForDifferencesOnly(s.Prompt)}
	words := make(map[string]string, len(s.Variables))
	for _, v := range s.Variables {
		words[v.Name] = w.compare(differences.SideOf(a, v.Name), differences.SideOf(b, v.Name))
	}
	return words
}

// wording writes how two values compare, in one language.
type wording struct {
	lang  answers.Lang
	brief bool // describe equal values as no difference, without the value
}

// compare describes what two documents have for a variable.
func (w wording) compare(a, b differences.Side) string {
	d := differences.Between(a, b)
	switch d.Relation {
	case differences.Neither:
		return w.render(neitherFound)
	case differences.OnlyFirst:
		return w.render(onlyFirst, w.shown(a.Value))
	case differences.OnlySecond:
		return w.render(onlySecond, w.shown(b.Value))
	case differences.InDoubt:
		if a.Value.Found() {
			return w.render(doubtInSecond, w.shown(a.Value))
		}
		return w.render(doubtInFirst, w.shown(b.Value))
	case differences.Equal:
		return w.equal(a.Value)
	}
	return w.different(a, b, d)
}

// different describes two different values, in the way that their type requires.
func (w wording) different(a, b differences.Side, d differences.Difference) string {
	switch {
	case d.Currencies != nil:
		return w.render(differentValues, w.quoted(a.Quote), w.quoted(b.Quote))
	case d.Amount != "":
		return w.numbers(a.Value, b.Value)
	case d.Days != 0:
		return w.dates(a.Value, b.Value)
	case d.IsFormOnly:
		return w.render(sameButForm, w.shown(a.Value), w.shown(b.Value))
	case a.Value.Type == answers.String:
		return w.texts(a.Value.Text, b.Value.Text)
	case a.Value.Type == answers.Boolean:
		return w.render(differentValues, w.shown(a.Value), w.shown(b.Value))
	}
	return w.render(differentValues, w.quoted(a.Value.Text), w.quoted(b.Value.Text))
}

// equal describes two equal values.
func (w wording) equal(a answers.Value) string {
	if w.brief {
		return w.render(noDifference)
	}
	return w.render(sameValue, w.shownIn(said, a))
}

// numbers describes two different numbers.
func (w wording) numbers(a, b answers.Value) string {
	x, okX := new(big.Rat).SetString(a.Text)
	y, okY := new(big.Rat).SetString(b.Text)
	if !okX || !okY {
		return w.render(differentValues, w.quoted(a.Text), w.quoted(b.Text))
	}
	p := higher
	switch {
	case new(big.Rat).Neg(x).Cmp(y) == 0:
		return w.render(otherSign, w.shown(a), w.shown(b))
	case y.Cmp(x) < 0:
		p = lower
	}
	gap := new(big.Rat).Sub(y, x)
	places := max(decimals(a.Text), decimals(b.Text))
	difference := w.number(new(big.Rat).Abs(gap).FloatString(places))
	if share := w.percent(gap, x); share != "" {
		difference += " (" + share + ")"
	}
	return w.render(p, w.shown(a), w.shown(b), difference)
}

func decimals(number string) int {
	_, fraction, _ := strings.Cut(number, ".")
	return len(fraction)
}

// percent returns a difference as a signed percentage of the first value, and an empty string if
// that value is zero or the values have different signs.
func (w wording) percent(gap, of *big.Rat) string {
	if second := new(big.Rat).Add(of, gap); of.Sign() == 0 || of.Sign() == -second.Sign() {
		return ""
	}
	share := new(big.Rat).Quo(gap, new(big.Rat).Abs(of))
	share.Mul(share, big.NewRat(100, 1))
	text := strings.TrimSuffix(share.FloatString(1), ".0")
	sign := "+"
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		sign, text = "−", rest
	}
	return sign + w.number(text) + w.render(percentSign)
}

// dates describes two different dates.
func (w wording) dates(a, b answers.Value) string {
	x, errX := time.Parse(time.DateOnly, a.Text)
	y, errY := time.Parse(time.DateOnly, b.Text)
	if errX != nil || errY != nil {
		return w.render(differentValues, w.quoted(a.Text), w.quoted(b.Text))
	}
	p, from, to := later, x, y
	if y.Before(x) {
		p, from, to = earlier, y, x
	}
	return w.render(p, w.dateIn(instead, x), w.dateIn(alone, y), w.between(from, to))
}

// between returns the number of days between two dates, and the years, months or weeks if they are
// whole.
func (w wording) between(from, to time.Time) string {
	days := differences.Days(from, to)
	text := w.count(days, dayUnit)
	months := (to.Year()-from.Year())*12 + int(to.Month()) - int(from.Month())
	switch {
	case from.Day() == to.Day() && months%12 == 0 && months > 0:
		return text + " (" + w.count(months/12, yearUnit) + ")"
	case from.Day() == to.Day() && months > 0:
		return text + " (" + w.count(months, monthUnit) + ")"
	case days%7 == 0:
		return text + " (" + w.count(days/7, weekUnit) + ")"
	}
	return text
}

// texts describes two texts that differ in more than their form.
func (w wording) texts(a, b string) string {
	keyA, keyB := strings.TrimSpace(scan.Key(a)), strings.TrimSpace(scan.Key(b))
	quotedA, quotedB := w.quoted(a), w.quoted(b)
	switch {
	case keyA == keyB: // they differ in accents
	case containsWords(keyB, keyA):
		return w.render(firstWithin, quotedA, quotedB)
	case containsWords(keyA, keyB):
		return w.render(secondWithin, quotedA, quotedB)
	}
	return w.render(differentValues, quotedA, quotedB)
}

func containsWords(in, words string) bool {
	return words != "" && strings.Contains(" "+in+" ", " "+words+" ")
}

// asksForDifferencesOnly reports whether a prompt asks for "only differences", in any of the
// languages.
func asksForDifferencesOnly(prompt string) bool {
	var only, differ bool
	for _, w := range scan.Words(questions.Shorten(prompt)) {
		only = only || onlyWords()[w.Text]
		for _, stem := range []string{"differ", "diferen", "unterschied", "verschil", "skillnad", "roznic", "abweich",
			"ecart"} {
			differ = differ || strings.HasPrefix(w.Text, stem)
		}
	}
	return only && differ
}

var onlyWords = scan.LazySet(`only just solo solamente unicamente so apenas somente seulement uniquement nur lediglich soltanto
	alleen enkel bara endast tylko wylacznie doar numai`)

// render fills the slots of a phrase.
func (w wording) render(p phrase, values ...string) string {
	slots := make([]string, 0, 2*len(values))
	for i, v := range values {
		slots = append(slots, "{"+string(rune('a'+i))+"}", v)
	}
	return strings.NewReplacer(slots...).Replace(phrases[w.lang][p])
}

// shown writes a value in the customs of the language.
func (w wording) shown(v answers.Value) string { return w.shownIn(alone, v) }

func (w wording) shownIn(g grammar, v answers.Value) string {
	switch v.Type {
	case answers.Number:
		return w.number(v.Text)
	case answers.Date:
		if day, err := time.Parse(time.DateOnly, v.Text); err == nil {
			return w.dateIn(g, day)
		}
	case answers.Boolean:
		if v.Text == "true" {
			return w.render(yes)
		}
		return w.render(no)
	}
	return w.quoted(v.Text)
}
