package main

import (
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"

	"portside/documents/offline/learned"
	"portside/documents/offline/ranking"
)

// folds is the number of parts of the cross-validation. All documents of a family are in the same part.
const folds = 5

func foldOf(family string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(family)) // a hash takes all
	return int(h.Sum32()>>8) % folds
}

// tally counts answers to questions.
type tally struct{ asked, reachable, correct, wrong, rulesCorrect, rulesWrong int }

// bin counts answers with similar probabilities. Answers to questions whose right values were removed count by their
// weight.
type bin struct{ answers, right float64 }

// results are the results of a cross-validation.
type results struct {
	sets        map[string]*tally
	reliability [10]bin
}

// report writes how well trees do on parts of the examples that they were not fitted to.
func report(to io.Writer, all []*example, debug string) {
	r := results{sets: map[string]*tally{}}
	groups := byKind(all)
	fitted := fitParts(groups)
	for _, kind := range slices.Sorted(maps.Keys(groups)) {
		for part := range folds {
			trees := fitted[kind][part]
			for _, e := range groups[kind] {
				if foldOf(e.family) != part {
					continue
				}
				found, isRight := e.answer(trees)
				r.count(e, found, isRight)
				if e.set == debug {
					_, _ = fmt.Fprintf(to, "%-30.30q %-16s right=%-5v p=%.2f %q, want %q of %d\n", e.document, e.variable.Name,
						isRight, found.Score,
						found.Value.Text, e.right, len(e.candidates))
				}
			}
		}
	}
	r.print(to)
}

// fitParts returns trees of each kind for each part, which are fitted to the other parts.
func fitParts(groups map[learned.Kind][]*example) map[learned.Kind]*[folds]learned.Trees {
	kinds := slices.Sorted(maps.Keys(groups))
	fitted := map[learned.Kind]*[folds]learned.Trees{}
	for _, kind := range kinds {
		fitted[kind] = &[folds]learned.Trees{}
	}
	inParallel(len(kinds)*folds, func(i int) {
		kind, part := kinds[i/folds], i%folds
		isHeld := func(e *example) bool { return foldOf(e.family) == part }
		fitted[kind][part] = boost(slices.DeleteFunc(slices.Clone(groups[kind]), isHeld))
	})
	return fitted
}

// answer returns the value with the highest probability, and whether it is right.
func (e *example) answer(trees learned.Trees) (best ranking.Answer, isRight bool) {
	scores, list := make([]float64, len(e.candidates)), make([]ranking.Answer, len(e.candidates))
	for i := range e.candidates {
		scores[i], list[i] = trees.Score(&e.candidates[i].Features), e.candidates[i].Answer
	}
	ranked := learned.Ranked(list, learned.Probabilities(scores))
	ranked = learned.Calibrate(e.question, ranked)
	if len(ranked) == 0 {
		return ranking.Answer{}, false
	}
	isBest := func(a ranking.Answer) bool { return a.Key == ranked[0].Key && a.At == ranked[0].At }
	return ranked[0], e.isRight[slices.IndexFunc(list, isBest)]
}

func (r *results) count(e *example, found ranking.Answer, isRight bool) {
	t := r.sets[e.set]
	if t == nil {
		t = &tally{}
		r.sets[e.set] = t
	}
	isFound := found.Score >= learned.Likely
	t.asked++
	t.reachable += toInt(slices.Contains(e.isRight, true))
	t.correct += toInt(!isFound && !e.hasAnswer || isFound && isRight)
	t.wrong += toInt(isFound && !isRight)
	t.rulesCorrect += toInt(e.rulesRight || !e.rulesWrong && !e.hasAnswer)
	t.rulesWrong += toInt(e.rulesWrong)
	if found.Score > 0 {
		b := &r.reliability[min(int(found.Score*float64(len(r.reliability))), len(r.reliability)-1)]
		weight := 1.0
		if e.isTwin {
			weight = twinWeight
		}
		b.answers += weight
		b.right += weight * float64(toInt(isRight))
	}
}

func (r *results) print(to io.Writer) {
	for _, set := range slices.Sorted(maps.Keys(r.sets)) {
		t := r.sets[set]
		const line = "%-24s %4d values: %5.1f %% correct, %4.1f %% wrong, %5.1f %% among the candidates; by rules %5.1f %% correct, " +
			"%4.1f %% wrong\n"
		_, _ = fmt.Fprintf(to, line, set, t.asked, percent(t.correct, t.asked), percent(t.wrong, t.asked),
			percent(t.reachable, t.asked),
			percent(t.rulesCorrect, t.asked), percent(t.rulesWrong, t.asked))
	}
	for i, b := range r.reliability {
		_, _ = fmt.Fprintf(to, "probability from 0.%d: %6.1f values, %5.1f %% right\n", i, b.answers,
			percent(b.right, b.answers))
	}
}

func percent[N int | float64](n, of N) float64 {
	const all = 100
	return all * float64(n) / max(float64(of), 1)
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
