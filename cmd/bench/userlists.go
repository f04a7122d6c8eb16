package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"portside/cmd/bench/figures"
	"portside/shared/core/principal"
	"portside/shared/core/search"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// Targets of lists.
const (
	medianUnits  = 6
	mostUnits    = 8
	mostCalls    = 3
	searchCalls  = 2 // and one for the authentication
	pastEndUnits = 1
	importRatio  = 3 // time for each user, times a bare GetItem
	importRounds = 100
	importRows   = 140 // 20 transactions
	samples      = 200 // offsets of each list
	chunk        = 1_800
	pageSize     = 20
)

// userTable is the stack's users with a meter.
type userTable struct {
	client *dynamodb.Client
	meter  *meter
	table  string
	keys   *credentialsdynamo.Table
	store  *usersdynamo.Store
}

func newUserTable(s *stack) userTable {
	client, m := s.meteredClient()
	auditLog := auditlog.New(s.Tables["AuditTable"], time.Now)
	keys := credentialsdynamo.New(client, s.Tables["CredentialsTable"], s.Tables["RequestCountsTable"]).Audited(auditLog)
	table := s.Tables["UsersTable"]
	store := usersdynamo.New(client, table, keys, daycounts.In(s.Tables["AnalyticsTable"]))
	return userTable{client: client, meter: m, table: table, keys: keys, store: store}
}

// fill imports the users of the lists.
func (b *bench) fill(ctx context.Context, s *stack) error {
	began := time.Now()
	if err := b.importUsers(ctx, s, b.users); err != nil {
		return err
	}
	b.table.AddFigure("bulk import of "+figures.Number(float64(b.users))+" users", "%s users/s",
		figures.Number(float64(b.users)/time.Since(began).Seconds()))
	return nil
}

// bulkImport compares imports with reads, on a stack whose data is in memory, because the reads do not write to a disk.
func (b *bench) bulkImport(ctx context.Context, _ *stack) error {
	return b.inMemory(ctx, func(s *stack) error {
		bare, err := s.getItem(ctx)
		if err != nil {
			return err
		}
		d, random := newUserTable(s), rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same users in every run
		b.logProgress("importing %d users", importRounds*importRows)
		each := func(round int) (float64, error) {
			took, err := timed(func(int) error { return d.importRows(ctx, people(random, round*importRows, importRows)) })(round)
			return took / importRows, err
		}
		times, err := figures.Alternate(importRounds, each, bare)
		if err != nil {
			return err
		}
		b.table.AddComparison(figures.Comparison{
			What: "bulk import of " + figures.Number(importRows) + " users, for each", With: bareGetItem, Times: times[0], Baseline: times[1],
		}, importRatio)
		return nil
	})
}

func (d userTable) importRows(ctx context.Context, rows []users.NewUser) error {
	importer := users.NewImporter(d.store.Bulk, func() string { return uuid.Must(uuid.NewV7()).String() }, time.Now)
	outcomes, err := importer.Import(ctx, users.ImportOptions{Caller: principal.Operator()}, rows)
	for _, failed := range outcomes {
		err = cmp.Or(err, failed.Err)
	}
	if err != nil {
		return fmt.Errorf("import users: %w", err)
	}
	return nil
}

// importUsers imports users in random order: 70 % users, 20 % viewers, 9 % managers, 1 % admins.
func (b *bench) importUsers(ctx context.Context, s *stack, count int) error {
	d := newUserTable(s)
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same users in every run
	began := time.Now()
	for done := 0; done < count; done += chunk {
		rows := people(random, done, min(chunk, count-done))
		if err := d.importRows(ctx, rows); err != nil {
			return err
		}
		if done%(50*chunk) == 0 {
			b.logProgress("%s of %s users imported after %.0f s",
				figures.Number(float64(done+len(rows))), figures.Number(float64(count)), time.Since(began).Seconds())
		}
	}
	return nil
}

func people(random *rand.Rand, first, n int) []users.NewUser {
	rows := make([]users.NewUser, n)
	for i := range rows {
		rows[i] = users.NewUser{
			Name:  fmt.Sprintf("Alexandra Example %07d", first+i),
			Email: fmt.Sprintf("alexandra.example.%07d@customer.example.com", first+i),
			Role:  roleOf(random.IntN(100)),
		}
	}
	return rows
}

func roleOf(percentile int) principal.Role {
	switch {
	case percentile < 1:
		return principal.Admin
	case percentile < 10:
		return principal.Manager
	case percentile < 30:
		return principal.Viewer
	}
	return principal.User
}

// lists fills the lists and measures pages of each of them.
func (b *bench) lists(ctx context.Context, s *stack) error {
	if err := b.fill(ctx, s); err != nil {
		return err
	}
	d := newUserTable(s)
	b.logProgress("listing users")
	var pages, ends []meter
	for _, role := range append([]principal.Role{""}, principal.Roles()...) {
		inside, past, err := d.sample(ctx, role)
		if err != nil {
			return err
		}
		pages, ends = append(pages, inside...), append(ends, past...)
	}
	b.addCosts(pages, ends)
	if err := b.addSearches(ctx, d); err != nil {
		return err
	}
	if err := b.addAuthentication(ctx, s, d); err != nil {
		return err
	}
	if err := b.addComparison(ctx, d); err != nil {
		return err
	}
	return b.addListTimes(ctx, s)
}

// sample reads pages of a role at random offsets and at the ends of the list, and pages past the
// end.
func (d userTable) sample(ctx context.Context, role principal.Role) (inside, past []meter, err error) {
	total, _, err := d.page(ctx, role, 0)
	if err != nil {
		return nil, nil, err
	}
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same pages in every run
	offsets := []int64{0, 1, total / 2, max(0, total-pageSize), total - 1, total, total + 1, 1 << 40}
	for range samples {
		offsets = append(offsets, random.Int64N(total))
	}
	for _, offset := range offsets {
		_, cost, err := d.page(ctx, role, offset)
		if err != nil {
			return nil, nil, err
		}
		if offset >= total {
			past = append(past, cost)
			continue
		}
		inside = append(inside, cost)
	}
	return inside, past, nil
}

// page reads one page, checks its length, and returns the total of the list and the cost of the
// page.
func (d userTable) page(ctx context.Context, role principal.Role, offset int64) (int64, meter, error) {
	d.meter.reset()
	page, err := d.store.List(ctx, users.Query{Role: role, Limit: pageSize, Offset: offset})
	if err != nil {
		return 0, meter{}, err
	}
	if want := min(pageSize, max(0, page.Total-offset)); int64(len(page.Users)) != want {
		return 0, meter{}, fmt.Errorf("%d users of role %q at offset %d of %d, want %d", len(page.Users), role, offset, page.Total, want)
	}
	return page.Total, d.meter.reset(), nil
}

func (b *bench) addCosts(pages, ends []meter) {
	reads, calls := costs(pages)
	what := fmt.Sprintf("list %s users, any offset and role: ", figures.Number(float64(b.users)))
	b.table.AddAtMost(what+fmt.Sprintf("median of %s pages", figures.Number(float64(len(pages)))),
		figures.Quantile(reads, 0.5), medianUnits, "read units")
	b.table.AddAtMost(what+"at most", figures.Quantile(reads, 1), mostUnits, "read units")
	b.table.AddFigure(what+"median", "%s calls", figures.Number(figures.Quantile(calls, 0.5)))
	b.table.AddAtMost(what+"at most", figures.Quantile(calls, 1), mostCalls, "calls")
	reads, _ = costs(ends)
	b.table.AddAtMost("past the end: at most", figures.Quantile(reads, 1), pastEndUnits, "read units")
}

// addSearches measures first and later pages of searches that match all users, ten users and one user. All users have
// the same names, and so the longest possible partition.
func (b *bench) addSearches(ctx context.Context, d userTable) error {
	var pages []meter
	for _, text := range []string{"alexandra", "example", "example 00000", "alexandra.example.0000017@", "0000017"} {
		query := search.Query{Text: text, Limit: pageSize}
		for range 5 {
			d.meter.reset()
			found, err := d.store.Search(ctx, "", query)
			if err != nil {
				return err
			}
			if len(found.Users) == 0 && found.Next == "" {
				return fmt.Errorf("the search for %q finds nobody", text)
			}
			pages = append(pages, d.meter.reset())
			if query.After = found.Next; found.Next == "" {
				break
			}
		}
	}
	reads, calls := costs(pages)
	what := fmt.Sprintf("search %s users: ", figures.Number(float64(b.users)))
	b.table.AddAtMost(what+"at most", figures.Quantile(calls, 1), searchCalls, "calls")
	b.table.AddFigure(what+"median and most", "%s and %s read units",
		figures.Number(figures.Quantile(reads, 0.5)), figures.Number(figures.Quantile(reads, 1)))
	return nil
}

func costs(of []meter) (reads, calls []float64) {
	for _, m := range of {
		reads, calls = append(reads, m.reads), append(calls, float64(m.calls))
	}
	return reads, calls
}

// addAuthentication measures the cost of authentication for each request.
func (b *bench) addAuthentication(ctx context.Context, s *stack, d userTable) error {
	auth := credentials.NewAuthenticator(d.keys.Requests, 1<<30, time.Now)
	for range 2 { // the first use of a key costs more
		d.meter.reset()
		if _, _, err := auth.Authenticate(ctx, s.adminKey, credentials.APIKey); err != nil {
			return fmt.Errorf("authenticate: %w", err)
		}
	}
	cost := d.meter.reset()
	b.table.AddFigure("authentication, on top of each request", "calls %d, read units %s, write units %s",
		cost.calls, figures.Number(cost.reads), figures.Number(cost.writes))
	return nil
}

// addComparison compares with the usual way: a Query from the start of the list.
func (b *bench) addComparison(ctx context.Context, d userTable) error {
	for _, role := range []principal.Role{"", principal.User} {
		total, _, err := d.page(ctx, role, 0)
		if err != nil {
			return err
		}
		list := cmp.Or(string(role), "all")
		for _, offset := range []int64{0, min(10_000, total/10), total - total%10 - 10} {
			_, ours, err := d.page(ctx, role, offset)
			if err != nil {
				return err
			}
			naive, err := d.queryTo(ctx, list, int(offset)+pageSize)
			if err != nil {
				return err
			}
			b.table.AddFigure(fmt.Sprintf("list %s at offset %s (by Query from the start)", list, figures.Number(float64(offset))),
				"%s units, %d calls (%s, %d)", figures.Number(ours.reads), ours.calls, figures.Number(naive.reads), naive.calls)
		}
	}
	return nil
}

// queryTo reads a list from its start until it has n items or the list ends.
func (d userTable) queryTo(ctx context.Context, list string, n int) (meter, error) {
	d.meter.reset()
	pages := dynamodb.NewQueryPaginator(d.client, &dynamodb.QueryInput{
		TableName: &d.table, ConsistentRead: aws.Bool(true), Limit: aws.Int32(int32(n)), //nolint:gosec // at most the users of this run
		KeyConditionExpression:    aws.String("pk = :list"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":list": &types.AttributeValueMemberS{Value: "list#" + list}},
	})
	for found := 0; found < n && pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return meter{}, fmt.Errorf("query: %w", err)
		}
		found += len(page.Items)
	}
	return d.meter.reset(), nil
}

// addListTimes measures pages at random offsets through the gateway.
func (b *bench) addListTimes(ctx context.Context, s *stack) error {
	random := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // the same pages in every run
	times, err := s.timeGets(ctx, 500, func(int) string { return fmt.Sprint("/v1/users?limit=20&offset=", random.IntN(b.users)) })
	if err != nil {
		return err
	}
	b.table.AddFigure("list users at random offsets through the gateway, median and 99th percentile", "%s and %s ms",
		figures.Number(figures.Quantile(times, 0.5)), figures.Number(figures.Quantile(times, 0.99)))
	return nil
}
