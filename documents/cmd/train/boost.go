package main

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"portside/documents/offline/learned"
)

// The settings of the boosting. The report hardly changes with half or twice these values.
const (
	rounds    = 180  // trees of a kind
	depth     = 4    // inner nodes from the root to a leaf
	shrinkage = 0.15 // of the values of a tree
	ridge     = 3.0  // penalty of the squared values
	minGain   = 0.02 // of a split
)

func byKind(all []*example) map[learned.Kind][]*example {
	groups := map[learned.Kind][]*example{}
	for _, e := range all {
		groups[e.kind] = append(groups[e.kind], e)
	}
	return groups
}

// boost fits trees to examples. Each tree moves the scores toward the right candidates, or down where no candidate is
// right (Chen and Guestrin, XGBoost, 2016, with the softmax over the candidates of an example as the loss).
func boost(examples []*example) learned.Trees {
	limits := limitsOf(examples)
	sets := make([]rowSet, len(examples))
	for i, e := range examples {
		sets[i] = newRowSet(e, limits)
	}
	var trees learned.Trees
	for range rounds {
		var active []*row
		for i := range sets {
			active = append(active, sets[i].derive()...)
		}
		root := grow(active, limits, depth)
		trees = trees.Add(root.encode())
		for i := range sets {
			for j := range sets[i].rows {
				r := &sets[i].rows[j]
				r.score += float64(root.leafOf(r))
			}
		}
	}
	return trees
}

// row is a candidate of an example.
type row struct {
	copies            float64                     // logarithm of the number of candidates that it stands for
	bins              [learned.FeatureCount]uint8 // number of limits below the feature
	isRight           bool
	score             float64
	gradient, hessian float64
}

// rowSet is the candidates of one example.
type rowSet struct {
	*example
	rows []row
}

func newRowSet(e *example, limits featureLimits) rowSet {
	kept, copies := sampled(e)
	s := rowSet{e, make([]row, len(kept))}
	for i, k := range kept {
		s.rows[i].score, s.rows[i].isRight = learned.StartScore, e.isRight[k]
		if !e.isRight[k] && !e.candidates[k].IsLikely {
			s.rows[i].copies = math.Log(copies)
		}
		for j, x := range e.candidates[k].Features {
			n, _ := slices.BinarySearch(limits[j], x)
			s.rows[i].bins[j] = uint8(n)
		}
	}
	return s
}

// sampled returns the indexes of candidates to fit the trees to: all that are right or likely, and some of the others,
// each of which stands for the returned number of copies. A long contract has thousands of candidates.
func sampled(e *example) (kept []int, copies float64) {
	const maxOthers = 60
	var others []int
	for i := range e.candidates {
		if e.isRight[i] || e.candidates[i].IsLikely {
			kept = append(kept, i)
		} else {
			others = append(others, i)
		}
	}
	step := max(1, (len(others)+maxOthers-1)/maxOthers)
	n := 0
	for i := 0; i < len(others); i += step {
		kept = append(kept, others[i])
		n++
	}
	return kept, float64(len(others)) / float64(max(1, n))
}

// derive sets the derivatives of the logarithm of the likelihood, and returns the rows where they matter.
func (s rowSet) derive() []*row {
	scores := make([]float64, len(s.rows))
	for i := range s.rows {
		scores[i] = s.rows[i].score + s.rows[i].copies
	}
	p := learned.Probabilities(scores)
	right := 0.0
	for i := range p {
		if s.rows[i].isRight {
			right += p[i]
		}
	}
	var active []*row
	for i := range p {
		r := &s.rows[i]
		r.gradient, r.hessian = -s.weight*p[i], s.weight*p[i]*(1-p[i])
		if s.rows[i].isRight && right > 0 {
			r.gradient += s.weight * p[i] / right
		}
		const negligible = 1e-5
		if r.hessian > negligible || math.Abs(r.gradient) > negligible {
			active = append(active, r)
		}
	}
	return active
}

// writeTrees fits the trees of each kind to all examples and writes them to a folder.
func writeTrees(dir string, all []*example) error {
	groups := byKind(all)
	for _, kind := range slices.Sorted(maps.Keys(groups)) {
		trees := boost(groups[kind])
		path := filepath.Join(dir, string(kind)+".trees")
		if err := os.WriteFile(path, trees, 0o644); err != nil {
			return err
		}
	}
	return nil
}
