package rank

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"portside/shared/core/fault"
	"portside/shared/core/retry"
)

// ErrContended means that other writers changed a node during every attempt to measure it.
var ErrContended = fault.New(fault.Unavailable, "Too many changes while counts were rebuilt. Run the rebuild again when there are fewer.")

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
	Numbers int64 // looked at, with entries or not
	Of      int64 // that were allocated when the rebuild began
	Nodes   int   // looked at
	Wrong   int   // wrong nodes, now corrected
}

// Rebuild makes the counters agree with the entries that source yields, while other writers change
// both. It calls progress, unless that is nil, after each node, and returns the last report.
//
// It is exact because no change affects the error of a node, which is the correct count minus the
// stored count: a change adds the same to both counts. So Rebuild measures the error once in a
// consistent view, and may add it to the stored count at any later time. An upper node is read
// with its children in one transaction. A lowest node is read before and after its entries, until
// both reads have the same versions of its children, which every change of an entry increases. The
// number of corrections of a node prevents two rebuilds from making the same correction.
//
// It reads 2,048 numbers at a time and keeps no more in memory. It writes only corrections, and may
// be stopped and run again at any point.
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
		if !reached {
			continue
		}
		if err := r.visit(ctx, n.child(child)); err != nil {
			return err
		}
	}
	return nil
}

// reached reports whether the rebuild must look at a node: a number may have been under it when the
// rebuild began, or it exists although no number is under it even now. Nodes that other writers
// created since are correct; following them would never end.
func (r *rebuild) reached(ctx context.Context, n node) (bool, error) {
	if n.start(0) < r.Of {
		return true, nil
	}
	found, err := r.read(ctx, n)
	if err != nil || !found.exists {
		return false, err
	}
	next, err := r.next(ctx)
	return n.start(0) >= next, err
}

// repair corrects a node and reports whether it was wrong. It corrects the whole node at once, or
// child by child if other writers write too often to a lowest node.
func (r *rebuild) repair(ctx context.Context, n node) (wrong bool, err error) {
	all := children{n, 0, branching}
	if n.level < lowest {
		return r.correctUnderContention(ctx, smallPart, all)
	}
	wrong, err = r.correctUnderContention(ctx, wholeNode, all)
	if !errors.Is(err, ErrContended) {
		return wrong, err
	}
	wrong = false
	for child := range branching {
		childWrong, err := r.correctUnderContention(ctx, smallPart, children{n, child, child + 1})
		if err != nil {
			return wrong, err
		}
		wrong = wrong || childWrong
	}
	return wrong, nil
}

// correctUnderContention measures and corrects the children, again if other writers interfere. It reports whether
// they were wrong. The error is ErrContended if the policy's attempts are used up.
func (r *rebuild) correctUnderContention(ctx context.Context, policy retry.Policy, c children) (wrong bool, err error) {
	err = policy.Do(ctx, isOvertaken, func() error {
		wrong, err = r.correctChildren(ctx, c)
		return err
	})
	if isOvertaken(err) {
		return false, fmt.Errorf("%w (%s): %w", ErrContended, r.partition(c.of), err)
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
