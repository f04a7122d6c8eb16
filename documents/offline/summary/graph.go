package summary

import (
	"cmp"
	"context"
	"math"
	"slices"

	"portside/documents/offline/language"
	"portside/documents/offline/scan"
)

// term is a stem in a sentence with its weight. The weights of a sentence are a vector of length 1.
type term struct {
	id     int32
	weight float32
}

// maxCompared limits the sentences that are compared, and maxTerms the terms of each.
const (
	maxCompared = 1600
	maxTerms    = 60
)

// vectors sets the terms of the sentences, weighted by how rare they are in the document (TF-IDF).
func vectors(w *scan.Watch, sentences []sentence, stems *language.Stemmer) {
	ids, found := map[string]int32{}, []int{}
	for i := range sentences {
		if w.Stopped() {
			return
		}
		sentences[i].terms = termsOf(sentences[i].text, stems, ids)
		for len(found) < len(ids) {
			found = append(found, 0)
		}
		for _, t := range sentences[i].terms {
			found[t.id]++
		}
	}
	for i := range sentences {
		weigh(sentences[i].terms, found, len(sentences))
	}
}

// termsOf counts the stems of a text, sorted by id.
func termsOf(text string, stems *language.Stemmer, ids map[string]int32) []term {
	var terms []term
	for _, stem := range stems.Stems(text) {
		id, known := ids[stem]
		if !known {
			id = int32(len(ids))
			ids[stem] = id
		}
		terms = append(terms, term{id, 1})
	}
	slices.SortFunc(terms, func(a, b term) int { return cmp.Compare(a.id, b.id) })
	merged := terms[:0]
	for _, t := range terms {
		if last := len(merged) - 1; last >= 0 && merged[last].id == t.id {
			merged[last].weight++
			continue
		}
		merged = append(merged, t)
	}
	return merged[:min(len(merged), maxTerms)]
}

// weigh multiplies the counts by the inverse document frequency and normalizes the vector.
func weigh(terms []term, found []int, sentences int) {
	var square float64
	for i, t := range terms {
		idf := math.Log(1 + float64(sentences)/float64(found[t.id]))
		terms[i].weight = t.weight * float32(idf)
		square += float64(terms[i].weight) * float64(terms[i].weight)
	}
	for i := range terms {
		terms[i].weight /= float32(math.Sqrt(square))
	}
}

// similarity returns the cosine of two sentences.
func similarity(a, b []term) float64 {
	var sum float32
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].id < b[0].id:
			a = a[1:]
		case a[0].id > b[0].id:
			b = b[1:]
		default:
			sum += a[0].weight * b[0].weight
			a, b = a[1:], b[1:]
		}
	}
	return float64(sum)
}

// edge connects a sentence with a similar one.
type edge struct {
	to     int32
	weight float32
}

// graph has the edges of each sentence. Their weights add up to 1.
type graph [][]edge

// connect compares the sentences by the terms that they share, so that pairs without a common term
// cost nothing.
func connect(ctx context.Context, sentences []sentence) (graph, error) {
	const minSimilarity = 0.06
	holders := holdersOf(sentences)
	g := make(graph, len(sentences))
	sums := make([]float32, len(sentences))
	for i := range sentences {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, t := range sentences[i].terms {
			for _, h := range holders[t.id] {
				sums[h.to] += t.weight * h.weight
			}
		}
		sums[i] = 0
		g[i] = strongest(sums, minSimilarity)
		clear(sums)
	}
	return g, nil
}

// holdersOf returns the sentences of each term. It leaves out terms that are so frequent that they
// do not distinguish sentences.
func holdersOf(sentences []sentence) [][]edge {
	const minSentences, maxShare = 40, 0.3
	var holders [][]edge
	for i := range sentences {
		for _, t := range sentences[i].terms {
			for int(t.id) >= len(holders) {
				holders = append(holders, nil)
			}
			holders[t.id] = append(holders[t.id], edge{int32(i), t.weight})
		}
	}
	for id, list := range holders {
		if len(sentences) > minSentences && float64(len(list)) > maxShare*float64(len(sentences)) {
			holders[id] = nil
		}
	}
	return holders
}

// strongest returns edges to the sentences whose similarity is at least minimum, with weights that
// add up to 1.
func strongest(sums []float32, minimum float32) []edge {
	var total float32
	count := 0
	for _, sum := range sums {
		if sum >= minimum {
			total += sum
			count++
		}
	}
	edges := make([]edge, 0, count)
	for to, sum := range sums {
		if sum >= minimum {
			edges = append(edges, edge{int32(to), sum / total})
		}
	}
	return edges
}

// walk returns how often a random walk visits each sentence, scaled so that the highest value is 1.
// The walk follows the edges and sometimes restarts at a sentence that the bias prefers
// (personalized PageRank).
func (g graph) walk(bias []float64) []float64 {
	const follow, rounds = 0.7, 25
	start := normalized(bias, sum(bias))
	rank := slices.Clone(start)
	for range rounds {
		next, lost := make([]float64, len(g)), 0.0
		for i, edges := range g {
			if len(edges) == 0 {
				lost += rank[i]
			}
			for _, e := range edges {
				next[e.to] += follow * rank[i] * float64(e.weight)
			}
		}
		for i := range next {
			next[i] += (1 - follow + follow*lost) * start[i]
		}
		rank = next
	}
	return normalized(rank, slices.Max(append(rank, 0)))
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

func normalized(values []float64, by float64) []float64 {
	out := slices.Clone(values)
	for i := range out {
		out[i] /= max(by, math.SmallestNonzeroFloat64)
	}
	return out
}
