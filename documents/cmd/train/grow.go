package main

import (
	"slices"

	"portside/documents/offline/learned"
)

// maxLimits is the number of values at which a feature can be split.
const maxLimits = 24

// featureLimits are the values at which each feature can be split, in ascending order.
type featureLimits [learned.FeatureCount][]float32

// limitsOf returns the values of each feature, or quantiles of them.
func limitsOf(examples []*example) featureLimits {
	var limits featureLimits
	for j := range limits {
		var all []float32
		for _, e := range examples {
			for i := range e.candidates {
				all = append(all, e.candidates[i].Features[j])
			}
		}
		slices.Sort(all)
		unique := slices.Compact(all)
		if n := len(unique); n > maxLimits {
			for k := range maxLimits {
				limits[j] = append(limits[j], unique[(k+1)*n/(maxLimits+1)])
			}
		} else if n > 0 {
			limits[j] = unique[:n-1]
		}
	}
	return limits
}

// branch is a node of a tree. A leaf has no children.
type branch struct {
	feature     int
	bin         uint8 // rows with more go to the right
	limit       float32
	left, right *branch
	value       float32
}

func (b *branch) leafOf(r *row) float32 {
	for b.left != nil {
		if r.bins[b.feature] > b.bin {
			b = b.right
		} else {
			b = b.left
		}
	}
	return b.value
}

func (b *branch) encode() []byte {
	if b.left == nil {
		return learned.Leaf(b.value)
	}
	return learned.Split(uint8(b.feature), b.limit, b.left.encode(), b.right.encode())
}

// sums are the sums of the derivatives of rows.
type sums struct{ gradient, hessian float64 }

func (s *sums) add(r *row) {
	s.gradient += r.gradient
	s.hessian += r.hessian
}

func (s sums) minus(other sums) sums {
	return sums{s.gradient - other.gradient, s.hessian - other.hessian}
}

// gain is how much the best value improves the likelihood.
func (s sums) gain() float64 { return s.gradient * s.gradient / (s.hessian + ridge) }

// grow returns the tree that improves the likelihood most.
func grow(rows []*row, limits featureLimits, depth int) *branch {
	var total sums
	for _, r := range rows {
		total.add(r)
	}
	b := &branch{value: float32(shrinkage * total.gradient / (total.hessian + ridge))}
	if depth == 0 {
		return b
	}
	feature, bin, found := bestSplit(rows, limits, total)
	if !found {
		return b
	}
	b.feature, b.bin, b.limit = feature, bin, limits[feature][bin]
	var left, right []*row
	for _, r := range rows {
		if r.bins[feature] > bin {
			right = append(right, r)
		} else {
			left = append(left, r)
		}
	}
	b.left, b.right = grow(left, limits, depth-1), grow(right, limits, depth-1)
	return b
}

// bestSplit returns the split of rows with the highest gain.
func bestSplit(rows []*row, limits featureLimits, total sums) (feature int, bin uint8, found bool) {
	var histogram [learned.FeatureCount][maxLimits + 1]sums
	for _, r := range rows {
		for j, b := range r.bins {
			histogram[j][b].add(r)
		}
	}
	best := total.gain() + minGain
	for j := range limits {
		var left sums
		for b := range limits[j] {
			left.gradient += histogram[j][b].gradient
			left.hessian += histogram[j][b].hessian
			if gain := left.gain() + total.minus(left).gain(); gain > best {
				best, feature, bin, found = gain, j, uint8(b), true
			}
		}
	}
	return feature, bin, found
}
