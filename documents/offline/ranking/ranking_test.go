package ranking

import (
	"testing"

	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/questions"
)

func answer(value string, score float64) Answer {
	return Answer{Value: answers.Value{Type: answers.Number, Text: value}, Score: score, Key: value}
}

func TestBest(t *testing.T) {
	noValue := Answer{Score: 0.9, Key: NoValueKey, NoValue: true}
	for name, c := range map[string]struct {
		all  []Answer
		want string // empty: no answer
	}{
		"one good answer":          {[]Answer{answer("1", 0.9)}, "1"},
		"a weak answer":            {[]Answer{answer("1", 0.5)}, ""},
		"two equal values":         {[]Answer{answer("1", 0.8), answer("1", 0.9)}, "1"},
		"two values, one leads":    {[]Answer{answer("1", 0.7), answer("2", 0.9)}, "2"},
		"two values, none leads":   {[]Answer{answer("1", 0.88), answer("2", 0.9)}, ""},
		"repetition gives a lead":  {[]Answer{answer("1", 0.86), answer("2", 0.9), answer("2", 0.8)}, "2"},
		"an answer without value":  {[]Answer{answer("1", 0.7), noValue}, ""},
		"no answers":               {nil, ""},
		"better than an anchor":    {[]Answer{answer("1", 0.99), noValue}, "1"},
		"exactly the lead, failed": {[]Answer{answer("1", 0.85), answer("2", 0.9)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := Best(Ranked(nil, c.all)); c.want != "" && got.Value.Text != c.want {
				t.Errorf("best is %+v, want %s", got, c.want)
			}
			if got, ok := Best(Ranked(nil, c.all)); ok != (c.want != "") {
				t.Errorf("ok is %v, best is %+v", ok, got)
			}
		})
	}
}

func TestMatchLabelPrefersExactLabels(t *testing.T) {
	q := questions.New(answers.Variable{Name: "due_date", Type: answers.Date})
	score := func(terms ...string) float64 { return MatchLabel(q, &candidates.Pair{Label: terms, Weight: 1}, nil) }
	exact, bare, other := score("DUE", "DATE"), score("DATE"), score("DELIVERY", "DATE")
	if exact < MinScore || exact <= bare || other >= MinScore {
		t.Errorf("due date %v, date %v, delivery date %v", exact, bare, other)
	}
}
