package lists

import (
	"cmp"
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
	"portside/shared/dynamo/searchindex"
)

// maxDisputes bounds how many unrepairable resources a rebuild reports.
const maxDisputes = 100

// Step is a part of a rebuild.
type Step string

// The steps, in order. Items in the wrong place are removed before missing ones are added. Counts
// come last, because they are computed from the lists.
const (
	StepStrays    Step = "list items and markers" // Progress counts the table's items
	StepResources Step = "resources"              // Progress counts the table's items
	StepSequence  Step = "sequence of numbers"
	StepCounts    Step = "counts" // Progress counts numbers, up to the highest
)

// Progress is the progress of a rebuild.
type Progress struct {
	Step    Step
	Done    int64 // in this step
	Of      int64 // to do in this step; 0 if it is not known
	Repairs Repairs
}

// Repairs counts what a rebuild has repaired.
type Repairs struct {
	Strays    int  // removed derived items that belong to no resource
	Resources int  // resources with missing or wrong derived items
	Sequence  bool // the sequence would have allocated numbers of existing resources again
	Counters  int  // counter items
	// Disputes cannot be resolved from the resources alone. At most 100 are listed.
	Disputes []Dispute
}

// Dispute is a resource whose place belongs to another one, or which cannot be listed at all.
type Dispute struct{ ID, Reason string }

// Resource is a resource as a rebuild sees it.
type Resource struct {
	ID      string
	Version int64       // the attribute "version" of its item
	Derived []items.Map // all derived items that the table must have; empty if the thing cannot be listed
}

// Source describes the items of the resources, from which everything else is derived. They are in
// the same table.
type Source struct {
	// Key returns the key of a resource's item.
	Key func(id string) items.Map
	// Is reports whether the key belongs to the item of a resource.
	Is func(pk, sk string) bool
	// Read reads a resource's item.
	Read func(items.Map) (Resource, error)
	// Owner returns the attribute that names the owner of a derived item, or an empty text if the
	// partition has no derived items.
	Owner func(pk string) string
}

// OwnerOf is the Source.Owner of resources that derive only lists and search terms.
func OwnerOf(pk string) string {
	if IsKey(pk) || searchindex.IsKey(pk) {
		return "id"
	}
	return ""
}

// Rebuild makes everything derived agree with the resources: lists, counts, the sequence of numbers,
// and whatever else the source derives. Other writers may work at the same time. It keeps one page
// of the table in memory, writes only corrections, and can be stopped and run again at any point.
// Every repair is a transaction that fails if its resource has changed. Rebuild calls report, unless
// it is nil, after every page. The counts are correct when Rebuild returns nil; until then they may
// lag behind the repaired lists.
func (l *Lists) Rebuild(ctx context.Context, source Source, report func(Progress)) (Repairs, error) {
	if report == nil {
		report = func(Progress) {}
	}
	r := &rebuild{Lists: l, source: source, report: report}
	steps := []struct {
		name Step
		run  func(context.Context) error
	}{
		{StepStrays, r.removeStrays}, {StepResources, r.repairResources}, {StepSequence, r.repairSequence}, {StepCounts, r.repairCounts},
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

// readBatch is how many resources are compared at a time.
const readBatch = 100

// scan visits all items of the table, at most readBatch at a time, strongly consistent. It may miss
// items that are added meanwhile, which is harmless because writers add complete resources only.
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

// repairSequence prevents the sequence from allocating the numbers of existing resources again.
func (r *rebuild) repairSequence(ctx context.Context) error {
	out, err := r.client.Query(ctx, &dynamodb.QueryInput{
		TableName: &r.table, ConsistentRead: aws.Bool(true), Limit: aws.Int32(1), ScanIndexForward: aws.Bool(false),
		KeyConditionExpression:    aws.String("pk = :list"),
		ExpressionAttributeValues: items.Map{":list": items.Text(r.prefix + all)},
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

// RebuildCounts makes the counts agree with the lists while other writers work, and returns how many counter items were
// wrong. Rebuild does it for the lists of all resources; the lists of each scope need a separate call after it, which
// reads a range of the list for each 2,048 numbers that were allocated.
func (l *Lists) RebuildCounts(ctx context.Context) (wrong int, err error) {
	done, err := l.ranks.Rebuild(ctx, l.entries, func(rank.Progress) {})
	return done.Wrong, err
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
			ProjectionExpression:     aws.String("sk, #label, #state"),
			ExpressionAttributeNames: map[string]string{"#label": l.shape.Label, "#state": cmp.Or(l.shape.State, "id")},
			ExpressionAttributeValues: items.Map{
				":list": items.Text(l.prefix + all), ":from": items.Text(number(from)), ":to": items.Text(number(to - 1)),
			},
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(rank.Entry{}, fmt.Errorf("read the list %s: %w", all, err))
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
	entry := rank.Entry{Number: n, Label: text(item[l.shape.Label])}
	if l.shape.States != nil {
		entry.State = text(item[l.shape.State])
	}
	return entry, nil
}

// text returns the value of a text attribute, or an empty text for a damaged one.
func text(value types.AttributeValue) string {
	if member, isText := value.(*types.AttributeValueMemberS); isText {
		return member.Value
	}
	return ""
}
