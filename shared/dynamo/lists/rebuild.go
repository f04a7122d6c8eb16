package lists

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
	"portside/shared/dynamo/rank"
)

// maxDisputes bounds what a rebuild remembers of what it could not decide.
const maxDisputes = 100

// Step is a part of a rebuild.
type Step string

// The steps, in their order. What stands in the way is removed before what is missing is added, and counts come last
// because they are taken from the lists.
const (
	StepStrays   Step = "list items and markers" // Progress counts the table's items
	StepThings   Step = "things themselves"      // Progress counts the table's items
	StepSequence Step = "sequence of numbers"
	StepCounts   Step = "counts" // Progress counts numbers, up to the highest
)

// Progress is how far a rebuild is.
type Progress struct {
	Step    Step
	Done    int64 // looked at in this step
	Of      int64 // to be looked at in this step; 0: not known
	Repairs Repairs
}

// Repairs is what a rebuild has found wrong and mended.
type Repairs struct {
	Strays   int  // derived items that nothing accounted for
	Things   int  // things whose derived items were missing or wrong
	Sequence bool // numbers of existing things would have been given out again
	Counters int  // counter items
	// Disputes are what cannot be mended from the things alone; at most 100 are listed.
	Disputes []Dispute
}

// Dispute is a thing whose place is held by another one, or which cannot be listed at all.
type Dispute struct{ ID, Reason string }

// Thing is what a rebuild knows of a thing.
type Thing struct {
	ID      string
	Version int64       // the attribute "version" of its item
	Derived []items.Map // what must stand in the table because of it; none: it cannot be listed
}

// Source is where the truth is: the items of the things themselves, in the same table.
type Source struct {
	// Key returns the key of a thing's item.
	Key func(id string) items.Map
	// Is reports whether the item with the key is a thing's.
	Is func(pk, sk string) bool
	// Read reads a thing's item.
	Read func(items.Map) (Thing, error)
	// Owner returns the attribute that names the owner of a derived item; empty: the partition holds none.
	Owner func(pk string) string
}

// OwnerOf is the Source.Owner of things from which nothing but lists is derived.
func OwnerOf(pk string) string {
	if IsKey(pk) {
		return "id"
	}
	return ""
}

// Rebuild makes everything derived agree with the things: lists, counts, the sequence of numbers, and what else the source has.
// It works beside other writers, holds one page of the table in memory, writes only what is wrong, and may be stopped and run
// again at any point. Every repair is a transaction that holds only while the thing it was derived from is the same. report,
// unless nil, is called after every page. Counts are right when Rebuild returns nil; while it runs they may lag behind the
// lists that it mends.
func (l *Lists) Rebuild(ctx context.Context, source Source, report func(Progress)) (Repairs, error) {
	if report == nil {
		report = func(Progress) {}
	}
	r := &rebuild{Lists: l, source: source, report: report}
	steps := []struct {
		name Step
		run  func(context.Context) error
	}{
		{StepStrays, r.removeStrays}, {StepThings, r.repairThings}, {StepSequence, r.repairSequence}, {StepCounts, r.repairCounts},
	}
	for _, step := range steps {
		r.progress = Progress{Step: step.name}
		if err := step.run(ctx); err != nil {
			return r.repairs, fmt.Errorf("rebuild %s: %w", step.name, err)
		}
		r.advance(0)
	}
	return r.repairs, nil
}

type rebuild struct {
	*Lists
	source   Source
	report   func(Progress)
	progress Progress
	repairs  Repairs
}

func (r *rebuild) advance(more int) {
	r.progress.Done += int64(more)
	r.progress.Repairs = r.repairs
	r.progress.Repairs.Disputes = slices.Clone(r.repairs.Disputes)
	r.report(r.progress)
}

func (r *rebuild) dispute(id, reason string) {
	if len(r.repairs.Disputes) < maxDisputes {
		r.repairs.Disputes = append(r.repairs.Disputes, Dispute{ID: id, Reason: reason})
	}
}

// readBatch is how many things are compared at a time.
const readBatch = 100

// scan visits all items of the table, at most readBatch at a time, strongly consistent. What is added meanwhile may be
// missed: writers add whole things only.
func (r *rebuild) scan(ctx context.Context, visit func(context.Context, []items.Map) error) error {
	pages := dynamodb.NewScanPaginator(r.client, &dynamodb.ScanInput{TableName: &r.table, ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("scan: %w", err)
		}
		for some := range slices.Chunk(page.Items, readBatch) {
			if err := visit(ctx, some); err != nil {
				return err
			}
		}
		r.advance(len(page.Items))
	}
	return nil
}

// mendSequence keeps the numbers of existing things from being given out again.
func (r *rebuild) repairSequence(ctx context.Context) error {
	out, err := r.client.Query(ctx, &dynamodb.QueryInput{
		TableName: &r.table, ConsistentRead: aws.Bool(true), Limit: aws.Int32(1), ScanIndexForward: aws.Bool(false),
		KeyConditionExpression:    aws.String("pk = :list"),
		ExpressionAttributeValues: items.Map{":list": items.Text(prefix + all)},
	})
	if err != nil {
		return fmt.Errorf("find the last entry: %w", err)
	}
	for _, item := range out.Items {
		last, err := r.entry(item)
		if err != nil {
			return err
		}
		created, err := items.Decode[struct {
			At int64 `dynamodbav:"created"`
		}](item)
		if err != nil {
			return err
		}
		if r.repairs.Sequence, err = r.ranks.Reserve(ctx, last.Number, items.Time(created.At)); err != nil {
			return err
		}
	}
	return nil
}

func (r *rebuild) repairCounts(ctx context.Context) error {
	done, err := r.ranks.Rebuild(ctx, r.entries, func(p rank.Progress) {
		r.progress.Done, r.progress.Of, r.repairs.Counters = p.Numbers, p.Of, p.Wrong
		r.advance(0)
	})
	r.repairs.Counters = done.Wrong
	return err
}

// entries is the rank.Source of the list of all.
func (l *Lists) entries(ctx context.Context, from, to int64) iter.Seq2[rank.Entry, error] {
	return func(yield func(rank.Entry, error) bool) {
		pages := dynamodb.NewQueryPaginator(l.client, &dynamodb.QueryInput{
			TableName: &l.table, ConsistentRead: aws.Bool(true),
			KeyConditionExpression:   aws.String("pk = :list AND sk BETWEEN :from AND :to"),
			ProjectionExpression:     aws.String("sk, #label"),
			ExpressionAttributeNames: map[string]string{"#label": l.shape.Label},
			ExpressionAttributeValues: items.Map{
				":list": items.Text(prefix + all), ":from": items.Text(number(from)), ":to": items.Text(number(to - 1)),
			},
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(rank.Entry{}, fmt.Errorf("list %s: %w", all, err))
				return
			}
			for _, item := range page.Items {
				entry, err := l.entry(item)
				if !yield(entry, err) || err != nil {
					return
				}
			}
		}
	}
}

func (l *Lists) entry(item items.Map) (rank.Entry, error) {
	sk := text(item["sk"])
	n, err := strconv.ParseInt(sk, 10, 64)
	if err != nil {
		return rank.Entry{}, fmt.Errorf("lists: an entry of %s has the key %q: %w", l.shape.Name, sk, err)
	}
	return rank.Entry{Number: n, Label: text(item[l.shape.Label])}, nil
}

// text is empty for what is damaged.
func text(value types.AttributeValue) string {
	if member, isText := value.(*types.AttributeValueMemberS); isText {
		return member.Value
	}
	return ""
}
