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
	mostWrong    = 3
)

// answer is what was found for a variable of a sample.
type answer struct {
	sample sample
	wanted
	got answers.Value
}

// extraction is what was found in all samples.
type extraction struct {
	files    int
	answers  []answer
	failures table // files without an answer; their values count as abstained
}

// extractAll asks for every variable of every sample. A file that cannot be answered is a result like others, since one
// defect must not hide the other figures.
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

// extract turns a panic into an error: it would end a function, not the measurement.
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
		return found, fmt.Errorf("taken for %s", d.Format)
	}
	variables := make([]answers.Variable, len(s.wanted))
	for i, w := range s.wanted {
		variables[i] = w.variable
	}
	found, err = engine.Extract(ctx, d, answers.ExtractSettings{Variables: variables})
	return found.Checked(d, variables), err
}

// wrong reports whether the value is another than the right one; null is none.
func (a answer) wrong() bool { return a.got.Found() && !a.right(a.got) }

// abstained reports whether there is a right value and none was found.
func (a answer) abstained() bool { return !a.got.Found() && !a.right(a.got) }

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

func tallies(answers []answer, group func(answer) string) map[string]*tally {
	counts := map[string]*tally{}
	for _, a := range answers {
		name := group(a)
		if counts[name] == nil {
			counts[name] = &tally{}
		}
		counts[name].count(a)
	}
	return counts
}

// total is the table that the targets are about.
func (e extraction) total() table {
	var all tally
	for _, a := range e.answers {
		all.count(a)
	}
	n := all.all()
	t := table{{"all values", "count", "share", "target", ""}}
	t.add("correct", strconv.Itoa(all.correct), percent(all.correct, n),
		fmt.Sprintf("≥ %d %%", leastCorrect), verdict(100*all.correct >= leastCorrect*n))
	t.add("of these rightly null", strconv.Itoa(all.nulls), percent(all.nulls, n), "", "")
	t.add("abstained", strconv.Itoa(all.abstained), percent(all.abstained, n), "", "")
	t.add("wrong", strconv.Itoa(all.wrong), percent(all.wrong, n),
		fmt.Sprintf("≤ %d %%", mostWrong), verdict(100*all.wrong <= mostWrong*n))
	failed := len(e.failures) - 1
	t.add("files without an answer", strconv.Itoa(failed), percent(failed, e.files), "≤ 0 %", verdict(failed == 0))
	return t
}

// grouped counts by one side of the answers.
func grouped(what string, answers []answer, group func(answer) string) table {
	counts := tallies(answers, group)
	t := table{{what, "values", "correct", "abstained", "wrong", "correct %", "wrong %"}}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		c := counts[name]
		n := c.all()
		t.add(name, strconv.Itoa(n), strconv.Itoa(c.correct), strconv.Itoa(c.abstained), strconv.Itoa(c.wrong),
			percent(c.correct, n), percent(c.wrong, n))
	}
	return t
}

// wrongOnes lists every wrong value.
func wrongOnes(answers []answer) table {
	t := table{{"file", "variable", "expected", "got"}}
	for _, a := range answers {
		if a.wrong() {
			t.add(a.sample.name(), a.variableName(), orNull(a.value), a.got.Text)
		}
	}
	return t
}

// abstentions lists what was not found.
func abstentions(answers []answer) table {
	t := table{{"file", "variable", "expected"}}
	for _, a := range answers {
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
