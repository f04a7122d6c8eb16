package rank

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// errConflict means that another writer changed a node during a measurement.
var errConflict = errors.New("rank: another writer changed the node meanwhile")

// isConflict reports whether a read or write failed only because another writer acted at the same time.
func isConflict(err error) bool {
	if errors.Is(err, errConflict) {
		return true
	}
	if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return true
	}
	if _, ok := errors.AsType[*types.TransactionConflictException](err); ok {
		return true
	}
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	return ok && slices.ContainsFunc(cancelled.CancellationReasons, func(r types.CancellationReason) bool {
		return aws.ToString(r.Code) == "TransactionConflict"
	})
}

// children are the children of a node with positions from (inclusive) to (exclusive).
type children struct {
	of       node
	from, to int
}

// measure returns the numbers to add to the children's counts to correct them, as cells.
func (r *rebuild) measure(ctx context.Context, c children) (*counts, error) {
	if c.of.level == lowest {
		return r.measureEntries(ctx, c)
	}
	own, want, err := r.readWithChildren(ctx, c)
	if err != nil {
		return nil, err
	}
	return want.minus(own, c), nil
}

// measureEntries measures the children of a lowest node. It returns errConflict if an entry under
// them changed meanwhile.
func (r *rebuild) measureEntries(ctx context.Context, c children) (*counts, error) {
	before, err := r.readNode(ctx, c.of)
	if err != nil {
		return nil, err
	}
	want, err := r.countEntries(ctx, c.of.start(c.from), c.of.start(c.to))
	if err != nil {
		return nil, err
	}
	after, err := r.readNode(ctx, c.of)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(after.versions[c.from:c.to], before.versions[c.from:c.to]) ||
		after.corrections != before.corrections {
		return nil, errConflict
	}
	return want.minus(after, c), nil
}

// minus returns c minus own in these children, together with own's number of
// corrections.
func (c *counts) minus(own *counts, those children) *counts {
	missing := &counts{corrections: own.corrections}
	for child := those.from; child < those.to; child++ {
		for column, count := range own.cells[child] {
			missing.cells[child][column] = c.cells[child][column] - count
		}
	}
	return missing
}

func (r *rebuild) countEntries(ctx context.Context, from, to int64) (*counts, error) {
	found := &counts{}
	for entry, err := range r.source(ctx, from, to) {
		if err != nil {
			return nil, fmt.Errorf("rank: read the entries %d to %d of %s: %w", from, to-1, r.name, err)
		}
		if err := r.check(entry); err != nil {
			return nil, err
		}
		if entry.Number < from || entry.Number >= to {
			return nil, fmt.Errorf("rank: the source yielded entry %[4]d of %[3]s, want %[1]d to %[2]d", from, to-1, r.name,
				entry.Number)
		}
		_, child := ancestor(lowest, entry.Number)
		for _, column := range r.columnsOf(entry) {
			found.cells[child][column]++
		}
	}
	return found, nil
}

// readWithChildren reads a node, and what the nodes below these children say that their counts should be, in one
// consistent view.
func (r *rebuild) readWithChildren(ctx context.Context, c children) (own, want *counts, err error) {
	nodes := []node{c.of}
	for child := c.from; child < c.to; child++ {
		nodes = append(nodes, c.of.child(child).all()...)
	}
	found, err := r.readTogether(ctx, nodes)
	if err != nil {
		return nil, nil, err
	}
	want = &counts{}
	for i := range found[1:] {
		for column := range maxColumns {
			want.cells[c.from+i/siblings][column] += found[1+i].total([]term{{column, 1}})
		}
	}
	return found[0], want, nil
}

// readTogether reads nodes in one consistent view.
func (r *rebuild) readTogether(ctx context.Context, nodes []node) ([]*counts, error) {
	gets := make([]types.TransactGetItem, len(nodes))
	for i, n := range nodes {
		gets[i] = types.TransactGetItem{Get: &types.Get{TableName: &r.table, Key: r.key(n)}}
	}
	out, err := r.client.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: gets})
	if err != nil {
		return nil, fmt.Errorf("rank: read node %d of level %d of %s and the nodes below: %w", nodes[0].index, nodes[0].level,
			r.name, err)
	}
	found := make([]*counts, len(nodes))
	for i, response := range out.Responses {
		if found[i], err = decode(response.Item); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// correct adds the measured difference to the node, unless another rebuild has corrected the node meanwhile.
func (r *rebuild) correct(ctx context.Context, n node, missing *counts) error {
	update := newAddition(missing)
	update.add(correctionsName, 1)
	condition := "attribute_not_exists(#m)"
	if missing.corrections != 0 {
		condition = "#m = :corrections"
		update.values[":corrections"] = numeric(missing.corrections)
	}
	_, err := r.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &r.table, Key: r.key(n),
		UpdateExpression: aws.String(update.expression()), ConditionExpression: &condition,
		ExpressionAttributeNames: update.names, ExpressionAttributeValues: update.values,
	})
	if err != nil {
		return fmt.Errorf("rank: correct node %d of level %d of %s: %w", n.index, n.level, r.name, err)
	}
	return nil
}
