package usersdynamo

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/items"
	"portside/shared/rank"
)

// maxDisputes bounds what a rebuild remembers of what it could not decide.
const maxDisputes = 100

// Step is a part of a rebuild.
type Step string

// The steps, in their order. What stands in the way is removed before what is missing is added, and counts come last
// because they are taken from the lists.
const (
	StepStrays   Step = "list items and e-mail markers" // Progress counts the table's items
	StepUsers    Step = "users"                         // Progress counts the table's items
	StepSequence Step = "sequence of numbers"
	StepCounts   Step = "counts" // Progress counts numbers, up to the highest
	StepAdmins   Step = "active admins"
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
	Strays   int  // list items and e-mail markers that no user accounted for
	Users    int  // users whose list items or marker were missing or wrong
	Sequence bool // numbers of existing users would have been given out again
	Counters int  // counter items of the lists
	Admins   bool // the number of active admins
	// Disputes are what cannot be mended from the users alone; at most 100 are listed.
	Disputes []Dispute
}

// Dispute is a user whose place is held by another user, or who cannot be listed at all.
type Dispute struct {
	UserID string
	Reason string
}

// Rebuild makes everything derived agree with the users: e-mail markers, lists, counts, the sequence of numbers and the
// number of active admins. It works beside other writers, holds one page of the table in memory, writes only what is
// wrong, and may be stopped and run again at any point. Every repair is a transaction that holds only while the user it
// was derived from is the same. report, unless nil, is called after every page. Counts are right when Rebuild returns
// nil; while it runs they may lag behind the lists that it mends.
func (s *Store) Rebuild(ctx context.Context, report func(Progress)) (Repairs, error) {
	if report == nil {
		report = func(Progress) {}
	}
	r := &rebuild{Store: s, report: report}
	steps := []struct {
		name Step
		run  func(context.Context) error
	}{
		{StepStrays, r.removeStrays}, {StepUsers, r.mendUsers}, {StepSequence, r.mendSequence},
		{StepCounts, r.mendCounts}, {StepAdmins, r.mendAdmins},
	}
	for _, step := range steps {
		r.progress = Progress{Step: step.name}
		if err := step.run(ctx); err != nil {
			return r.repairs, fmt.Errorf("rebuild %s: %w", step.name, err)
		}
		r.tell(0)
	}
	return r.repairs, nil
}

type rebuild struct {
	*Store
	report   func(Progress)
	progress Progress
	repairs  Repairs
}

func (r *rebuild) tell(more int) {
	r.progress.Done += int64(more)
	r.progress.Repairs = r.repairs
	r.progress.Repairs.Disputes = slices.Clone(r.repairs.Disputes)
	r.report(r.progress)
}

func (r *rebuild) dispute(userID, reason string) {
	if len(r.repairs.Disputes) < maxDisputes {
		r.repairs.Disputes = append(r.repairs.Disputes, Dispute{UserID: userID, Reason: reason})
	}
}

// readBatch is how many users are compared at a time.
const readBatch = 100

// scan visits all items of the table, at most readBatch at a time, strongly consistent. What is added meanwhile may be
// missed: writers add whole users only.
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
		r.tell(len(page.Items))
	}
	return nil
}

// mendSequence keeps the numbers of existing users from being given out again.
func (r *rebuild) mendSequence(ctx context.Context) error {
	out, err := r.client.Query(ctx, &dynamodb.QueryInput{
		TableName: &r.table, ConsistentRead: aws.Bool(true), Limit: aws.Int32(1), ScanIndexForward: aws.Bool(false),
		KeyConditionExpression:    aws.String("pk = :list"),
		ExpressionAttributeValues: items.Map{":list": items.Text("list#" + allUsers)},
	})
	if err != nil {
		return fmt.Errorf("find the last user: %w", err)
	}
	for _, item := range out.Items {
		last, err := items.Decode[listItem](item)
		if err != nil {
			return err
		}
		entry, err := last.entry()
		if err != nil {
			return err
		}
		if r.repairs.Sequence, err = r.ranks.Reserve(ctx, entry.Number, items.Time(last.Created)); err != nil {
			return err
		}
	}
	return nil
}

func (r *rebuild) mendCounts(ctx context.Context) error {
	done, err := r.ranks.Rebuild(ctx, r.entries, func(p rank.Progress) {
		r.progress.Done, r.progress.Of, r.repairs.Counters = p.Numbers, p.Of, p.Wrong
		r.tell(0)
	})
	r.repairs.Counters = done.Wrong
	return err
}

// entries is the rank.Source of the list of all users.
func (s *Store) entries(ctx context.Context, from, to int64) iter.Seq2[rank.Entry, error] {
	return func(yield func(rank.Entry, error) bool) {
		pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
			TableName: &s.table, ConsistentRead: aws.Bool(true),
			KeyConditionExpression:   aws.String("pk = :list AND sk BETWEEN :from AND :to"),
			ProjectionExpression:     aws.String("sk, #role"),
			ExpressionAttributeNames: map[string]string{"#role": "role"},
			ExpressionAttributeValues: items.Map{
				":list": items.Text("list#" + allUsers), ":from": items.Text(numberKey(from)), ":to": items.Text(numberKey(to - 1)),
			},
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(rank.Entry{}, fmt.Errorf("list %s: %w", allUsers, err))
				return
			}
			if !yieldEntries(page.Items, yield) {
				return
			}
		}
	}
}

// yieldEntries returns false when no more is wanted.
func yieldEntries(page []items.Map, yield func(rank.Entry, error) bool) bool {
	for _, item := range page {
		stored, err := items.Decode[listItem](item)
		var entry rank.Entry
		if err == nil {
			entry, err = stored.entry()
		}
		if !yield(entry, err) || err != nil {
			return false
		}
	}
	return true
}

func (i listItem) entry() (rank.Entry, error) {
	n, err := strconv.ParseInt(i.SK, 10, 64)
	if err != nil {
		return rank.Entry{}, fmt.Errorf("usersdynamo: a list item has the key %q: %w", i.SK, err)
	}
	return rank.Entry{Number: n, Label: string(i.Role)}, nil
}
