package usersdynamo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// fixture is a store on new tables, with access to the tables.
type fixture struct {
	client      *dynamodb.Client
	users, keys string
	counts      string
	analytics   string
	log         auditlog.Log
	store       *usersdynamo.Store
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	client := awstest.DynamoDB(t)
	d := &fixture{
		client: client, users: awstest.Table(t, client, "UsersTable"), keys: awstest.Table(t, client, "CredentialsTable"),
		counts: awstest.Table(t, client, "RequestCountsTable"), analytics: awstest.Table(t, client, "AnalyticsTable"),
		log: audittest.Log(t, client),
	}
	d.store = d.over(client)
	err := transactions.Write(t.Context(), client, []types.TransactWriteItem{
		d.table().AddCustomer(customers[1], credentialsdynamo.CustomerState{}),
		d.table().AddCustomer(customers[2], credentialsdynamo.CustomerState{MaxUsers: 3}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// customers are to whom users belong in these tests: the vendor, a customer without a limit, and one with at most 3 users.
var customers = []string{"", "0199cccc-0000-7000-8000-000000000001", "0199cccc-0000-7000-8000-000000000002"}

func (d *fixture) table() *credentialsdynamo.Table {
	return credentialsdynamo.New(d.client, d.keys, d.counts)
}

// over returns a store on the same tables over another client, such as one that fails.
func (d *fixture) over(client *dynamodb.Client) *usersdynamo.Store {
	keys := credentialsdynamo.New(client, d.keys, d.counts).Audited(d.log)
	store := usersdynamo.New(client, d.users, keys, daycounts.In(d.analytics))
	store.SweepTime = time.Hour
	return store
}

// leapDay is the default creation time of users in these tests.
func leapDay() time.Time { return time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC) }

func newUser(email string, role principal.Role) users.User {
	return users.User{
		ID: uuid.Must(uuid.NewV7()).String(), Email: email, Name: email, Role: role, Status: users.Active,
		Metadata: json.RawMessage("{}"), CreatedAt: leapDay(),
	}
}

func (d *fixture) create(t *testing.T, email string, role principal.Role) users.User {
	t.Helper()
	created, err := d.store.Create(t.Context(), users.Creation{User: newUser(email, role)})
	if err != nil {
		t.Fatal(err)
	}
	return created.User
}

// TestCrashAtAnyCall crashes each operation at each of its calls, before or after the call takes effect, and checks that
// the tables stay consistent.
func TestCrashAtAnyCall(t *testing.T) {
	operations := map[string]func(ctx context.Context, s *usersdynamo.Store, u users.User) error{
		"create": func(ctx context.Context, s *usersdynamo.Store, _ users.User) error {
			user := newUser("new@example.com", principal.Admin)
			user.Status = users.Pending
			link := credentials.Mint(credentials.Link)
			user.LinkID = link.ID()
			_, err := s.Create(ctx, users.Creation{
				User: user, Once: &idempotency.Key{Caller: "c", Text: "k", Fingerprint: []byte("f")},
				Invitation: &users.Invitation{Link: credentials.Credential{
					ID: link.ID(), Kind: credentials.Link, Hash: link.Hash(), Owner: credentials.Owner{ID: user.ID},
				}},
			})
			return err
		},
		"change": func(ctx context.Context, s *usersdynamo.Store, u users.User) error {
			after := u
			after.Role, after.Name = principal.Viewer, "Changed"
			_, err := s.Update(ctx, u, after)
			return err
		},
		"delete": func(ctx context.Context, s *usersdynamo.Store, u users.User) error {
			return s.Delete(ctx, u, leapDay().AddDate(0, 0, 1)) // creation and deletion on one day cancel out
		},
	}
	for name, operation := range operations {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, response lost %v", name, lost), func(t *testing.T) {
				awstest.CrashAtEachCall(lost, func(crashing func(*dynamodb.Client) *dynamodb.Client) error {
					d := newFixture(t)
					d.create(t, "root@example.com", principal.Admin)
					victim := d.create(t, "victim@example.com", principal.Manager)
					err := operation(t.Context(), d.over(crashing(d.client)), victim)
					checkConsistency(t, d.client, d.users)
					d.checkDays(t)
					return err
				})
			})
		}
	}
}

// TestChangesUnderConflict makes every third transaction conflict, as on AWS, while eight workers create, change and
// delete. The tables must be consistent in the end.
func TestChangesUnderConflict(t *testing.T) {
	d := newFixture(t)
	d.create(t, "root@example.com", principal.Admin)
	store := d.over(awstest.WithConflicts(d.client))
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			if err := live(t.Context(), store, worker); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := checkConsistency(t, d.client, d.users); n != 1+8*4 {
		t.Errorf("%d users, want %d", n, 1+8*4)
	}
	d.checkDays(t)
}

// live adds eight users, changes each of them, and deletes every second one.
func live(ctx context.Context, store *usersdynamo.Store, worker int) error {
	for i := range 8 {
		created, err := store.Create(ctx, users.Creation{User: newUser(fmt.Sprintf("w%d-%d@example.com", worker, i), principal.User)})
		if err != nil {
			return err
		}
		after := created.User
		after.Role = principal.Roles()[i%4]
		changed, err := store.Update(ctx, created.User, after)
		if err != nil {
			return err
		}
		if i%2 == 0 {
			continue
		}
		if err := store.Delete(ctx, changed, leapDay()); err != nil {
			return err
		}
	}
	return nil
}

func TestStaleChangesFail(t *testing.T) {
	d := newFixture(t)
	d.create(t, "root@example.com", principal.Admin)
	first := d.create(t, "ada@example.com", principal.User)
	second := first
	second.Name = "Second"
	if _, err := d.store.Update(t.Context(), first, second); err != nil {
		t.Fatal(err)
	}
	if _, err := d.store.Update(t.Context(), first, second); !errors.Is(err, versions.ErrStale) {
		t.Errorf("change of an old version: %v, want ErrStale", err)
	}
	if err := d.store.Delete(t.Context(), first, leapDay()); !errors.Is(err, versions.ErrStale) {
		t.Errorf("deletion of an old version: %v, want ErrStale", err)
	}
	checkConsistency(t, d.client, d.users)
}

func TestNumbersAndTimesHaveTheSameOrderDespiteClockSkew(t *testing.T) {
	d := newFixture(t)
	base := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	var last users.User
	for i, offset := range []time.Duration{0, time.Hour, -time.Hour, 30 * time.Minute, 2 * time.Hour} {
		user := newUser(fmt.Sprintf("u%d@example.com", i), principal.User)
		user.CreatedAt = base.Add(offset)
		created, err := d.store.Create(t.Context(), users.Creation{User: user})
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && created.User.Number <= last.Number || created.User.CreatedAt.Before(last.CreatedAt) {
			t.Errorf("user %d has number %d at %s after number %d at %s",
				i, created.User.Number, created.User.CreatedAt, last.Number, last.CreatedAt)
		}
		last = created.User
	}
}
