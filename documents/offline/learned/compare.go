package learned

import (
	"math"
	"strconv"

	"portside/documents/answers"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
)

// compare sets the features that depend on the other candidates of a question.
func compare(q *questions.Question, all []candidate) {
	times := map[string]int{}
	best := float32(0)
	for i := range all {
		times[all[i].answer.Key]++
		best = max(best, all[i].features[bestLabel])
	}
	const few, often = 3, 4
	for i := range all {
		f, n := &all[i].features, times[all[i].answer.Key]
		f[standsTwice], f[standsFourTimes] = truth(n >= 2), truth(n >= often)
		f[onlyValue], f[fewValues] = truth(len(times) == 1), truth(len(times) <= few)
		f[behindBest] = best - f[bestLabel]
	}
	switch q.Variable.Type {
	case answers.Number:
		compareAmounts(q, all)
	case answers.Date:
		compareDates(q, all)
	}
}

// compareAmounts compares numbers that look like amounts of money.
func compareAmounts(q *questions.Question, all []candidate) {
	amounts, largest := make([]float64, len(all)), 0.0
	for i := range all {
		n := all[i].number
		if n == nil || len(n.Fraction) != 2 && n.Currency == "" {
			continue
		}
		amounts[i], _ = strconv.ParseFloat(n.Value, 64) // a value that is too large counts as infinite
		largest = max(largest, amounts[i])
	}
	const decades = 4 // after which an amount is negligible
	for i, amount := range amounts {
		if largest <= 0 || amount <= 0 || math.IsInf(largest, 0) {
			continue
		}
		f := &all[i].features
		f[isLargest] = truth(amount == largest)
		f[magnitude] = float32(math.Max(0, 1+math.Log10(amount/largest)/decades))
		f[largestForTotal] = asksFor(q, "TOTAL", "GRAND") * f[isLargest]
		f[largestForPart] = asksFor(q, "NET", "TAX") * f[isLargest]
	}
}

// compareDates compares dates, which are in the order of the text.
func compareDates(q *questions.Question, all []candidate) {
	if len(all) == 0 {
		return
	}
	earliest, latest := all[0].answer.Key, all[0].answer.Key
	for i := range all {
		earliest, latest = min(earliest, all[i].answer.Key), max(latest, all[i].answer.Key)
	}
	start, end := asksFor(q, "START", "FIRST"), asksFor(q, "END", "LAST")
	for i := range all {
		f := &all[i].features
		f[isEarliest], f[isLatest] = truth(all[i].answer.Key == earliest), truth(all[i].answer.Key == latest)
		f[firstForIssue] = asksFor(q, "ISSUE", "DOCUMENT", "INVOICE") * truth(i == 0)
		f[earliestForStart], f[latestForEnd] = start*f[isEarliest], end*f[isLatest]
		if i+1 < len(all) && isRange(&all[i], &all[i+1]) {
			f[inRange], f[rangeStart] = 1, start
		}
		if i > 0 && isRange(&all[i-1], &all[i]) {
			f[inRange], f[rangeEnd] = 1, end
		}
	}
}

// isRange reports whether two dates stand so close together that they may be a period.
func isRange(a, b *candidate) bool {
	const maxGap = 8 // bytes
	return a.piece == b.piece && b.answer.At.Start-a.answer.At.End < maxGap
}

// compareWithRules sets the features of what the rules say.
func compareWithRules(all []candidate, rules Rules) {
	isConflict := !rules.Found && len(rules.Ranked) > 0 && rules.Ranked[0].Score >= ranking.MinScore
	scores := map[string]float64{}
	for _, a := range rules.Ranked {
		scores[a.Key] = a.Score
	}
	for i := range all {
		f, a := &all[i].features, &all[i].answer
		f[ruleScore] = float32(scores[a.Key])
		f[ruleHigh] = truth(scores[a.Key] >= ranking.MinScore)
		f[rulesConflict] = truth(isConflict)
		f[rulesHaveNoValue] = truth(isConflict && rules.Ranked[0].NoValue)
		f[rulesFindNothing] = truth(!isConflict && !rules.Found)
		if !rules.Found {
			continue
		}
		best := &rules.Ranked[0]
		overlaps := best.At.Start < a.At.End && a.At.Start < best.At.End
		f[isRulesAnswer] = truth(a.Key == best.Key)
		f[rulesAnswerOther] = truth(a.Key != best.Key && !overlaps)
		f[overlapsRulesAnswer] = truth(a.Key != best.Key && overlaps)
		f[rulesAnswerLabel] = f[isRulesAnswer] * f[bestLabel]
	}
}
