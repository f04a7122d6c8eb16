package learned

import (
	"math"
	"slices"
	"testing"
)

func TestTreesAddUp(t *testing.T) {
	inner := Split(3, 0.5, Leaf(1), Split(7, 0.5, Leaf(2), Leaf(4)))
	trees := Trees(nil).Add(inner).Add(Leaf(0.25))
	for name, c := range map[string]struct {
		features map[int]float32
		want     float64
	}{
		"left":            {nil, 1},
		"equal is left":   {map[int]float32{3: 0.5}, 1},
		"right":           {map[int]float32{3: 0.6}, 2},
		"right and right": {map[int]float32{3: 0.6, 7: 1}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			var f Features
			for i, x := range c.features {
				f[i] = x
			}
			if got, want := trees.Score(&f), StartScore+c.want+0.25; got != want {
				t.Errorf("score %v, want %v", got, want)
			}
		})
	}
	if err := trees.check(); err != nil {
		t.Error(err)
	}
}

func TestDamagedTreesAreNotUsed(t *testing.T) {
	whole := Trees(nil).Add(Split(3, 0.5, Leaf(1), Leaf(2)))
	unknown := slices.Clone(whole)
	unknown[countSize] = leafMark - 1
	far := slices.Clone(whole)
	far[countSize+2] = 9
	for name, trees := range map[string]Trees{
		"one byte": whole[:1], "a part": whole[:len(whole)-1], "no nodes": {0, 0}, "an unknown feature": unknown,
		"a child out of range": far,
	} {
		t.Run(name, func(t *testing.T) {
			if trees.check() == nil {
				t.Errorf("%s: no error", name)
			}
		})
	}
}

func TestEveryKindHasTrees(t *testing.T) {
	for _, kind := range Kinds {
		if len(modelOf(kind).trees) == 0 {
			t.Errorf("no trees of %s; run make train", kind)
		}
	}
	if entries, err := files.ReadDir("trees"); err != nil || len(entries) != len(Kinds) {
		t.Errorf("%d files of trees for %d kinds: %v", len(entries), len(Kinds), err)
	}
	if FeatureCount >= leafMark {
		t.Errorf("%d features", FeatureCount)
	}
}

func TestProbabilitiesAddUpWithNoAnswer(t *testing.T) {
	p := Probabilities([]float64{0, math.Log(2), -800})
	if math.Abs(p[0]-0.25) > 1e-9 || math.Abs(p[1]-0.5) > 1e-9 || p[2] > 1e-9 {
		t.Errorf("probabilities %v, want 0.25, 0.5 and 0", p)
	}
	if p := Probabilities([]float64{1e4}); p[0] != 1 {
		t.Errorf("probabilities %v, want 1", p)
	}
	if p := Probabilities(nil); len(p) != 0 {
		t.Error(p)
	}
}

func TestOnlyFormulasOfTheTreesAreUsed(t *testing.T) {
	var trees Trees
	trees = trees.Add(Split(uint8(afterLaws), 0, Leaf(1), Split(uint8(beforeLaw), 0, Leaf(2), Leaf(3))))
	trees = trees.Add(Split(uint8(early), 0.5, Leaf(1), Leaf(2)))
	used := formulasOf(trees)
	for i, f := range slices.Concat(before, following) {
		if isUsed, want := used&(1<<i) != 0, f.feature == afterLaws || f.feature == beforeLaw; isUsed != want {
			t.Errorf("feature %d: used %v, want %v", f.feature, isUsed, want)
		}
	}
	if formulasOf(nil) != 0 {
		t.Error("formulas of no trees")
	}
}
