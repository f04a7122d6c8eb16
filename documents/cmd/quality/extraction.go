package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"portside/documents/answers"
)

// The targets of extraction, in percent of all values.
const (
	leastCorrect = 85
	maxWrong     = 3
)

// answer is the value that the engine found for a variable of a sample.
type answer struct {
	sample sample
	wanted
	got answers.Value
}

// extraction holds the answers for all samples.
type extraction struct {
	files    int
	answers  []answer
	failures table // files without an answer; their values count as abstained
}

// extractAll extracts every variable of every sample. It records files that fail and continues, so that one defect does
// not hide the other figures.
func extractAll(ctx context.Context, engine answers.Engine, samples []sample) (extraction, error) {
	all := extraction{files: len(samples), failures: table{{"file", "error"}}}
	for _, s := range samples {
		found, err := extract(ctx, engine, s)
		if ctx.Err() != nil {
			return all, context.Cause(ctx)
		}
		if err != nil {
			all.failures.add(s.name(), err.Error())
		}
		for _, w := range s.wanted {
			got := found.Values[w.variable.Name]
			all.answers = append(all.answers, answer{s, w, got})
		}
	}
	return all, nil
}

// extract extracts the values of a sample. It returns a panic as an error, so that the measurement continues.
func extract(ctx context.Context, engine answers.Engine, s sample) (found answers.Extraction, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	d, err := readFile(ctx, s.path)
	if err != nil {
		return found, err
	}
	if string(d.Format) != s.format {
		return found, fmt.Errorf("detected as %s", d.Format)
	}
	variables := make([]answers.Variable, len(s.wanted))
	for i, w := range s.wanted {
		variables[i] = w.variable
	}
	settings := answers.ExtractSettings{Variables: variables}
	found, err = engine.Extract(ctx, d, settings)
	return found.Checked(d, settings), err
}

// wrong reports whether the engine found a value other than the expected one.
func (a answer) wrong() bool { return a.got.Found() && !a.matches(a.got) }

// abstained reports whether the engine found no value although one is expected.
func (a answer) abstained() bool { return !a.got.Found() && !a.matches(a.got) }

func (s sample) name() string { return s.format + "/" + filepath.Base(s.path) }

func (a answer) variableName() string { return a.variable.Name + " (" + string(a.variable.Type) + ")" }

// tally counts answers.
type tally struct{ correct, nulls, abstained, wrong int }

func (t *tally) count(a answer) {
	switch {
	case a.wrong():
		t.wrong++
	case a.abstained():
		t.abstained++
	default:
		t.correct++
		if !a.got.Found() {
			t.nulls++
		}
	}
}

func (t tally) all() int { return t.correct + t.abstained + t.wrong }

func byFormat(a answer) string { return a.sample.format }
func byLang(a answer) string   { return a.sample.lang }
func byType(a answer) string   { return string(a.variable.Type) }

func tallies(all []answer, group func(answer) string) map[string]*tally {
	counts := map[string]*tally{}
	for _, a := range all {
		name := group(a)
		if counts[name] == nil {
			counts[name] = &tally{}
		}
		counts[name].count(a)
	}
	return counts
}

// total is the table of all answers, with the targets.
func (e extraction) total() table {
	var all tally
	for _, a := range e.answers {
		all.count(a)
	}
	n := all.all()
	t := table{{"all values", "count", "share", "target", ""}}
	t.add("correct", strconv.Itoa(all.correct), percent(all.correct, n),
		fmt.Sprintf("≥ %d %%", leastCorrect), verdict(100*all.correct >= leastCorrect*n))
	t.add("of these null", strconv.Itoa(all.nulls), percent(all.nulls, n), "", "")
	t.add("abstained", strconv.Itoa(all.abstained), percent(all.abstained, n), "", "")
	t.add("wrong", strconv.Itoa(all.wrong), percent(all.wrong, n),
		fmt.Sprintf("≤ %d %%", maxWrong), verdict(100*all.wrong <= maxWrong*n))
	failed := len(e.failures) - 1
	t.add("files without an answer", strconv.Itoa(failed), percent(failed, e.files), "≤ 0 %", verdict(failed == 0))
	return t
}

// grouped returns a table of answers by group.
func grouped(what string, all []answer, group func(answer) string) table {
	counts := tallies(all, group)
	t := table{{what, "values", "correct", "abstained", "wrong", "correct %", "wrong %"}}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		c := counts[name]
		n := c.all()
		t.add(name, strconv.Itoa(n), strconv.Itoa(c.correct), strconv.Itoa(c.abstained), strconv.Itoa(c.wrong),
			percent(c.correct, n), percent(c.wrong, n))
	}
	return t
}

// wrongOnes returns the table of wrong values.
func wrongOnes(all []answer) table {
	t := table{{"file", "variable", "expected", "got"}}
	for _, a := range all {
		if a.wrong() {
			t.add(a.sample.name(), a.variableName(), orNull(a.value), a.got.Text)
		}
	}
	return t
}

// abstentions returns the table of values that were not found.
func abstentions(all []answer) table {
	t := table{{"file", "variable", "expected"}}
	for _, a := range all {
		if a.abstained() {
			t.add(a.sample.name(), a.variableName(), a.value)
		}
	}
	return t
}

func orNull(value string) string {
	if value == "" {
		return "null"
	}
	return value
}
