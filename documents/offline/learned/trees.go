package learned

import (
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
)

// Trees is a sum of decision trees, the way it is stored. Each tree begins with its number of nodes, as two bytes. A
// node has eight bytes: the index of a feature, or leafMark; an unused byte; the distance to the right child in nodes,
// as two bytes; and a float32. The left child is the next node. At an inner node, the float32 is the largest value of
// the feature that goes to the left. At a leaf, it is the value. All numbers are little-endian.
type Trees []byte

const (
	leafMark  = math.MaxUint8
	countSize = 2
	nodeSize  = 8
)

// StartScore is the score of a candidate before the first tree. "No answer" has the score 0.
const StartScore = -4

// Leaf returns a leaf.
func Leaf(value float32) []byte { return node(leafMark, 0, value) }

// Split returns an inner node with its children. Values of the feature above the limit go to the right.
func Split(feature uint8, limit float32, left, right []byte) []byte {
	distance := 1 + len(left)/nodeSize
	return append(append(node(feature, uint16(distance), limit), left...), right...)
}

func node(feature uint8, distance uint16, value float32) []byte {
	encoded := []byte{feature, 0}
	encoded = binary.LittleEndian.AppendUint16(encoded, distance)
	return binary.LittleEndian.AppendUint32(encoded, math.Float32bits(value))
}

// Add returns the trees and one more.
func (t Trees) Add(tree []byte) Trees {
	count := uint16(len(tree) / nodeSize)
	return append(binary.LittleEndian.AppendUint16(t, count), tree...)
}

// Score returns the score of a candidate with the features.
func (t Trees) Score(features *Features) float64 {
	score := float64(StartScore)
	for at := 0; at < len(t); {
		size := nodeSize * int(binary.LittleEndian.Uint16(t[at:]))
		at += countSize
		score += leafOf(t[at:at+size], features)
		at += size
	}
	return score
}

// leafOf returns the value of the leaf that the features lead to.
func leafOf(tree []byte, features *Features) float64 {
	for {
		value := math.Float32frombits(binary.LittleEndian.Uint32(tree[4:]))
		switch feature := tree[0]; {
		case feature == leafMark:
			return float64(value)
		case features[feature] > value:
			tree = tree[nodeSize*int(binary.LittleEndian.Uint16(tree[2:])):]
		default:
			tree = tree[nodeSize:]
		}
	}
}

// check reports whether all indexes of trees are in range. The files are part of the program, but an outdated one must
// not answer.
func (t Trees) check() error {
	for at := 0; at < len(t); {
		if len(t)-at < countSize {
			return errors.New("the trees end early")
		}
		nodes := int(binary.LittleEndian.Uint16(t[at:]))
		at += countSize
		if nodes == 0 || len(t)-at < nodes*nodeSize {
			return errors.New("a tree ends early")
		}
		for i := range nodes {
			encoded := t[at+i*nodeSize:]
			right := int(binary.LittleEndian.Uint16(encoded[2:]))
			if isLeaf := encoded[0] == leafMark; !isLeaf && (int(encoded[0]) >= FeatureCount || right < 2 || i+right >= nodes) {
				return fmt.Errorf("node %d of a tree is invalid", i)
			}
		}
		at += nodes * nodeSize
	}
	return nil
}

//go:embed trees/*.trees
var files embed.FS

// model has the trees of a kind of values, and the formulas that they use.
type model struct {
	trees    Trees
	formulas formulaSet
}

// models has the models of the kinds that were asked for. To read those of all kinds would take longer than a question.
var models sync.Map

// modelOf returns the model of a kind of values. A kind that training did not see has no trees.
func modelOf(kind Kind) *model {
	if known, isKnown := models.Load(kind); isKnown {
		return known.(*model)
	}
	m := &model{}
	if encoded, err := files.ReadFile("trees/" + string(kind) + ".trees"); err == nil && Trees(encoded).check() == nil {
		m.trees, m.formulas = encoded, formulasOf(encoded)
	}
	models.Store(kind, m)
	return m
}

// features reports which features the trees use.
func (t Trees) features() (used [FeatureCount]bool) {
	for at := 0; at < len(t); {
		nodes := int(binary.LittleEndian.Uint16(t[at:]))
		for at += countSize; nodes > 0; nodes-- {
			if t[at] != leafMark {
				used[t[at]] = true
			}
			at += nodeSize
		}
	}
	return used
}

// Probabilities returns the probability of each candidate by a conditional logit model: a softmax over the scores, with
// 0 as the score of "no answer".
func Probabilities(scores []float64) []float64 {
	top := 0.0
	for _, s := range scores {
		top = max(top, s)
	}
	sum := math.Exp(-top)
	p := make([]float64, len(scores))
	for i, s := range scores {
		p[i] = math.Exp(s - top)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}
