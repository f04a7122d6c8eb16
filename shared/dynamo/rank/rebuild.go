package rank

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"portside/shared/core/fault"
	"portside/shared/core/retry"
)

// ErrContended means that other writers changed a node during every attempt to measure it.
var ErrContended = fault.New(fault.Unavailable, "The counts could not be rebuilt because they changed too "+
	"often. Run the rebuild again when there are fewer changes.")

// A measurement is repeated at once if other writers interfere, because each conflict means that one of them
// has finished. A write to one of 64 numbers during a measurement is far less likely than to one of 2,048, even
// among the newest 64, because newer ones soon replace them. Hence the few attempts for a whole lowest node
// and the many for anything smaller.
var (
	wholeNode = retry.Policy{Attempts: 3}
	smallPart = retry.Policy{Attempts: 500}
)

// Source yields all entries with from <= number < to in any order, with strongly consistent reads.
// An error ends the sequence.
type Source func(ctx context.Context, from, to int64) iter.Seq2[Entry, error]

// Progress is the progress of a rebuild.
type Progress struct {
	Numbers int64 // checked numbers, with entries or not
	Of      int64 // numbers that were allocated when the rebuild began
	Nodes   int   // checked nodes
	Wrong   int   // corrected nodes
}

// Rebuild makes the counters agree with the entries that source yields, while other writers change
// both. It calls progress, unless that is nil, after each node, and returns the last report.
//
// It is exact because the error of a node, which is its correct count minus its stored count, is
// the same before and after every change: the change adds the same to both. So the error must be
// measured in a consistent view once, and may be added at any later time. Children of an upper node are read
// with the nodes below them in one transaction. A lowest node is read before and after its entries, until
// both reads have the same versions of its children, which every change of an entry increases. The
// number of corrections of a node prevents two rebuilds from making the same correction.
//
// It reads 2,048 numbers at a time and keeps no more in memory. It writes only corrections, and
// can be stopped and run again at any point.
func (t *Tree) Rebuild(ctx context.Context, source Source, progress func(Progress)) (Progress, error) {
	next, err := t.next(ctx)
	if err != nil {
		return Progress{}, err
	}
	r := &rebuild{Tree: t, source: source, report: progress, Progress: Progress{Of: next}}
	err = r.visit(ctx, root)
	return r.Progress, err
}

type rebuild struct {
	*Tree
	Progress
	source Source
	report func(Progress)
}

// visit repairs the nodes below a node, then the node.
func (r *rebuild) visit(ctx context.Context, n node) error {
	if n.level < lowest {
		if err := r.visitChildren(ctx, n); err != nil {
			return err
		}
	} else {
		r.Numbers = max(r.Numbers, min(n.start(branching), r.Of))
	}
	wrong, err := r.repair(ctx, n)
	if err != nil {
		return err
	}
	r.Nodes++
	if wrong {
		r.Wrong++
	}
	if r.report != nil {
		r.report(r.Progress)
	}
	return nil
}

func (r *rebuild) visitChildren(ctx context.Context, n node) error {
	for child := range branching {
		reached, err := r.reached(ctx, n.child(child))
		if err != nil {
			return err
		}
		for _, below := range reached {
			if err := r.visit(ctx, below); err != nil {
				return err
			}
		}
	}
	return nil
}

// reached returns the nodes of a group that the rebuild must check: a number may have been under the node when the
// rebuild began, or the node exists and has no number under it now. Nodes that other writers
// created since are correct; following them would never end.
func (r *rebuild) reached(ctx context.Context, g group) ([]node, error) {
	nodes := g.all()
	begun := slices.IndexFunc(nodes, func(n node) bool { return n.start(0) >= r.Of })
	if begun < 0 {
		return nodes, nil
	}
	found, err := r.readGroup(ctx, g)
	if err != nil {
		return nil, err
	}
	reached := nodes[:begun:begun]
	for i := begun; i < siblings; i++ {
		if !found.nodes[i].exists {
			continue
		}
		next, err := r.next(ctx)
		if err != nil {
			return nil, err
		}
		if nodes[i].start(0) >= next {
			reached = append(reached, nodes[i])
		}
	}
	return reached, nil
}

// repair corrects a node and reports whether it was wrong. It corrects a lowest node at once, or in parts that one
// update can correct, or child by child if other writers write too often to it.
func (r *rebuild) repair(ctx context.Context, n node) (wrong bool, err error) {
	size := r.correctable()
	if n.level < lowest {
		return r.repairInParts(ctx, smallPart, n, min(size, childrenAtOnce))
	}
	wrong, err = r.repairInParts(ctx, wholeNode, n, size)
	if !errors.Is(err, ErrContended) {
		return wrong, err
	}
	again, err := r.repairInParts(ctx, smallPart, n, 1)
	return wrong || again, err
}

// correctable returns how many children of a node one update can correct.
func (r *rebuild) correctable() int {
	return min(branching, maxCells/(len(r.labels)*max(1, len(r.states))))
}

// childrenAtOnce is how many children of an upper node are read with it in one transaction, which has at most 100
// items.
const childrenAtOnce = 16

func (r *rebuild) repairInParts(ctx context.Context, policy retry.Policy, n node, size int) (wrong bool, err error) {
	for from := 0; from < branching; from += size {
		partWrong, err := r.correctUnderContention(ctx, policy, children{n, from, min(branching, from+size)})
		if err != nil {
			return wrong, err
		}
		wrong = wrong || partWrong
	}
	return wrong, nil
}

// correctUnderContention measures and corrects the children, again if other writers interfere. It reports whether
// they were wrong. The error is ErrContended if the policy's attempts are used up.
func (r *rebuild) correctUnderContention(ctx context.Context, policy retry.Policy, c children) (wrong bool, err error) {
	err = policy.Do(ctx, isConflict, func() error {
		wrong, err = r.correctChildren(ctx, c)
		return err
	})
	if isConflict(err) {
		return false, fmt.Errorf("%w (node %d of level %d of %s): %w", ErrContended, c.of.index, c.of.level, r.name, err)
	}
	return wrong, err
}

// correctChildren measures the errors of the children and corrects them once. It reports whether there were any.
func (r *rebuild) correctChildren(ctx context.Context, c children) (wrong bool, err error) {
	found, err := r.measure(ctx, c)
	if err != nil || found.cells == (counts{}).cells {
		return false, err
	}
	return true, r.correct(ctx, c.of, found)
}
