package usersdynamo_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"portside/shared/awstest"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/fault"
	"portside/shared/principal"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// wreck is a store whose items a test damages.
type wreck struct {
	*usersdynamo.Store
	client *dynamodb.Client
	table  string
	people []users.User
}

// newWreck holds nine users in turn of all roles, so that users 0, 4 and 8 are the admins.
func newWreck(t *testing.T) *wreck {
	t.Helper()
	client := awstest.DynamoDB(t)
	w := &wreck{client: client, table: awstest.Table(t, client, "UsersTable")}
	w.Store = usersdynamo.New(client, w.table, credentialsdynamo.New(client, awstest.Table(t, client, "CredentialsTable")))
	for i := range 9 {
		created, err := w.Create(t.Context(), users.Creation{User: person(fmt.Sprintf("person%d", i), principal.Roles()[i%4])})
		if err != nil {
			t.Fatal(err)
		}
		w.people = append(w.people, created.User)
	}
	return w
}

func person(name string, role principal.Role) users.User {
	return users.User{
		ID: uuid.Must(uuid.NewV7()).String(), Email: name + "@example.com", Name: name, Role: role, Status: users.Active,
		Metadata: []byte("{}"), CreatedAt: time.Now().UTC(),
	}
}

type item = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func num(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(n)}
}

func at(pk, sk string) item { return item{"pk": str(pk), "sk": str(sk)} }

func place(list string, n int64) item { return at("list#"+list, fmt.Sprintf("%010d", n)) }

func (w *wreck) drop(t *testing.T, key item) {
	t.Helper()
	if _, err := w.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &w.table, Key: key}); err != nil {
		t.Fatal(err)
	}
}

func (w *wreck) put(t *testing.T, key item, more item) {
	t.Helper()
	whole := item{}
	for _, part := range []item{key, more} {
		for name, value := range part {
			whole[name] = value
		}
	}
	if _, err := w.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &w.table, Item: whole}); err != nil {
		t.Fatal(err)
	}
}

func (w *wreck) set(t *testing.T, key item, attribute string, value types.AttributeValue) {
	t.Helper()
	_, err := w.client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: &w.table, Key: key, UpdateExpression: aws.String("SET #a = :v"),
		ExpressionAttributeNames:  map[string]string{"#a": attribute},
		ExpressionAttributeValues: item{":v": value},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func listForm(u users.User, role string) item {
	return item{
		"id": str(u.ID), "email": str(u.Email), "name": str(u.Name), "role": str(role), "status": str(string(u.Status)),
		"created": num(u.CreatedAt.UnixMilli()),
	}
}

func TestRebuildMendsEveryKindOfDamage(t *testing.T) {
	cases := []struct {
		name   string
		damage func(*testing.T, *wreck)
		want   usersdynamo.Repairs
	}{
		{"none", func(*testing.T, *wreck) {}, usersdynamo.Repairs{}},
		{"marker gone", func(t *testing.T, w *wreck) {
			w.drop(t, at("email#person1@example.com", "email"))
		}, usersdynamo.Repairs{Users: 1}},
		{"marker of nobody", func(t *testing.T, w *wreck) {
			w.put(t, at("email#ghost@example.com", "email"), item{"user": str("ghost")})
		}, usersdynamo.Repairs{Strays: 1}},
		{"marker without a name", func(t *testing.T, w *wreck) {
			w.put(t, at("email#ghost@example.com", "email"), nil)
		}, usersdynamo.Repairs{Strays: 1}},
		{"marker of another user", func(t *testing.T, w *wreck) {
			w.set(t, at("email#person1@example.com", "email"), "user", str(w.people[2].ID))
		}, usersdynamo.Repairs{Strays: 1, Users: 1}},
		{"list items gone", func(t *testing.T, w *wreck) {
			w.drop(t, place("all", w.people[3].Number))
			w.drop(t, place("manager", w.people[5].Number))
		}, usersdynamo.Repairs{Users: 2}},
		{"list items outdated", func(t *testing.T, w *wreck) {
			w.set(t, place("all", w.people[3].Number), "name", str("Old Name"))
			w.set(t, place("viewer", w.people[3].Number), "status", str("pending"))
		}, usersdynamo.Repairs{Users: 1}},
		{"in the list of another role", func(t *testing.T, w *wreck) {
			w.put(t, place("viewer", w.people[1].Number), listForm(w.people[1], "viewer"))
		}, usersdynamo.Repairs{Strays: 1}},
		{"another role in the list of all", func(t *testing.T, w *wreck) {
			w.set(t, place("all", w.people[1].Number), "role", str("nonsense"))
		}, usersdynamo.Repairs{Users: 1}},
		{"listed without a user", func(t *testing.T, w *wreck) {
			w.put(t, place("all", 7_000_000), listForm(person("ghost", "user"), "user"))
			w.put(t, place("user", 7_000_000), listForm(person("ghost", "user"), "user"))
		}, usersdynamo.Repairs{Strays: 2}},
		{"listed at another number", func(t *testing.T, w *wreck) {
			w.drop(t, place("all", w.people[1].Number))
			w.put(t, place("all", 4_000), listForm(w.people[1], "manager"))
		}, usersdynamo.Repairs{Strays: 1, Users: 1}},
		{"a user at the number of another", func(t *testing.T, w *wreck) {
			w.put(t, place("all", w.people[1].Number), listForm(w.people[2], "user"))
		}, usersdynamo.Repairs{Strays: 1, Users: 1}},
		{"counters gone", func(t *testing.T, w *wreck) {
			w.drop(t, at("rank#users#0#", "rank"))
			w.drop(t, at("rank#users#3#000", "rank"))
		}, usersdynamo.Repairs{Counters: 2}},
		{"sequence gone", func(t *testing.T, w *wreck) {
			w.drop(t, at("rank#users", "sequence"))
		}, usersdynamo.Repairs{Sequence: true}},
		{"sequence behind", func(t *testing.T, w *wreck) {
			w.set(t, at("rank#users", "sequence"), "next", num(3))
		}, usersdynamo.Repairs{Sequence: true}},
		{"number of admins gone", func(t *testing.T, w *wreck) {
			w.drop(t, at("admins", "admins"))
		}, usersdynamo.Repairs{Admins: true}},
		{"number of admins wrong", func(t *testing.T, w *wreck) {
			w.set(t, at("admins", "admins"), "n", num(17))
		}, usersdynamo.Repairs{Admins: true}},
		{"everything but the users gone", func(t *testing.T, w *wreck) {
			for _, raw := range scanAll(t, w.client, w.table) {
				if !strings.HasPrefix(raw["pk"].(*types.AttributeValueMemberS).Value, "user#") {
					w.drop(t, item{"pk": raw["pk"], "sk": raw["sk"]})
				}
			}
		}, usersdynamo.Repairs{Users: 9, Sequence: true, Counters: 4, Admins: true}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWreck(t)
			c.damage(t, w)
			var last usersdynamo.Progress
			repairs, err := w.Rebuild(t.Context(), func(p usersdynamo.Progress) { last = p })
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(repairs) != fmt.Sprint(c.want) || fmt.Sprint(last.Repairs) != fmt.Sprint(repairs) {
				t.Errorf("repairs are %+v, last reported %+v; want %+v", repairs, last.Repairs, c.want)
			}
			if n := checkConsistency(t, w.client, w.table); n != 9 {
				t.Errorf("%d users, want 9", n)
			}
			w.checkPages(t)
			w.checkLastAdmin(t)
			if again, err := w.Rebuild(t.Context(), nil); err != nil || fmt.Sprint(again) != fmt.Sprint(usersdynamo.Repairs{}) {
				t.Errorf("a second rebuild repairs %+v, %v", again, err)
			}
		})
	}
}

// checkPages reads every page of one user through the store.
func (w *wreck) checkPages(t *testing.T) {
	t.Helper()
	for _, role := range append([]principal.Role{""}, principal.Roles()...) {
		var want []users.User
		for _, u := range w.people {
			if role == "" || u.Role == role {
				want = append(want, u)
			}
		}
		for offset := range len(want) + 1 {
			page, err := w.List(t.Context(), users.Query{Role: role, Limit: 1, Offset: int64(offset)})
			if err != nil {
				t.Fatal(err)
			}
			if page.Total != int64(len(want)) {
				t.Errorf("total of %q is %d, want %d", role, page.Total, len(want))
			}
			if offset < len(want) && (len(page.Users) != 1 || page.Users[0].ID != want[offset].ID) {
				t.Errorf("user %d of %q is %v, want %s", offset, role, page.Users, want[offset].Name)
			}
		}
	}
}

// checkLastAdmin deletes the admins until the store refuses: at the last of them, and not before.
func (w *wreck) checkLastAdmin(t *testing.T) {
	t.Helper()
	for i, want := range map[int]error{0: nil, 4: nil} {
		if err := w.Delete(t.Context(), w.people[i], time.Now()); !errors.Is(err, want) {
			t.Errorf("delete admin %d: %v", i, err)
		}
	}
	if err := w.Delete(t.Context(), w.people[8], time.Now()); !errors.Is(err, users.ErrLastAdmin) {
		t.Errorf("delete the last admin: %v, want %v", err, users.ErrLastAdmin)
	}
	if _, err := w.Create(t.Context(), users.Creation{User: person("person0", "viewer")}); err != nil {
		t.Errorf("create after the rebuild: %v", err)
	}
}

func TestRebuildLeavesWhatItCannotDecide(t *testing.T) {
	t.Parallel()
	w := newWreck(t)
	w.set(t, at("user#"+w.people[1].ID, "user"), "email", str("person2@example.com"))
	w.set(t, at("user#"+w.people[3].ID, "user"), "number", num(w.people[2].Number))
	w.set(t, at("user#"+w.people[7].ID, "user"), "role", str("nonsense"))
	repairs, err := w.Rebuild(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	disputed := map[string]bool{}
	for _, d := range repairs.Disputes {
		disputed[d.UserID] = true
	}
	for _, i := range []int{1, 3, 7} {
		if !disputed[w.people[i].ID] {
			t.Errorf("user %d is not in dispute: %+v", i, repairs.Disputes)
		}
	}
	if len(disputed) != 3 {
		t.Errorf("%d users in dispute, want 3", len(disputed))
	}
}

// interrupted is what a fault of these tests says.
var errInterrupted = errors.New("interrupted")

// TestRebuildGoesOnWhereItStopped interrupts a rebuild at its nth write, for every n.
func TestRebuildGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	for stop, finished := 1, false; !finished; stop++ {
		w := newWreck(t)
		w.drop(t, at("email#person1@example.com", "email"))
		w.put(t, at("email#ghost@example.com", "email"), item{"user": str("ghost")})
		w.drop(t, place("all", w.people[3].Number))
		w.drop(t, at("rank#users#0#", "rank"))
		w.drop(t, at("admins", "admins"))
		writes := 0
		faulty := awstest.Faulty(w.client, func(operation string, _ int) error {
			if operation != "UpdateItem" && operation != "TransactWriteItems" {
				return nil
			}
			if writes++; writes == stop {
				return awstest.Lost(errInterrupted)
			}
			return nil
		})
		_, err := usersdynamo.New(faulty, w.table, nil).Rebuild(t.Context(), nil)
		if finished = err == nil; !finished && !errors.Is(err, errInterrupted) {
			t.Fatal(err)
		}
		if _, err := w.Rebuild(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		checkConsistency(t, w.client, w.table)
	}
}

// TestRebuildOvertaken changes users just before the nth call of a rebuild, for every n: between any two steps of it.
func TestRebuildOvertaken(t *testing.T) {
	t.Parallel()
	for at, finished := 1, false; !finished; at++ {
		w := newWreck(t)
		w.drop(t, marker("person1"))
		w.set(t, place("viewer", w.people[3].Number), "name", str("Old Name"))
		w.put(t, place("user", w.people[3].Number), listForm(w.people[3], "user"))
		w.put(t, marker("person10"), item{"user": str(w.people[2].ID)})
		w.set(t, admins(), "n", num(17))
		calls := 0
		overtaken := awstest.Faulty(w.client, func(string, int) error {
			if calls++; calls == at {
				w.meddle(t)
			}
			return nil
		})
		if _, err := usersdynamo.New(overtaken, w.table, nil).Rebuild(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		checkConsistency(t, w.client, w.table)
		finished = calls < at
	}
}

// meddle changes what TestRebuildOvertaken damaged, where the damage permits.
func (w *wreck) meddle(t *testing.T) {
	t.Helper()
	manager, inactive := w.people[3], w.people[0]
	manager.Role, manager.Name = principal.Manager, "New Name"
	inactive.Status = users.Inactive
	for i, after := range map[int]users.User{3: manager, 0: inactive} {
		if _, err := w.Update(t.Context(), w.people[i], after); err != nil {
			t.Errorf("change user %d: %v", i, err)
		}
	}
	if err := w.Delete(t.Context(), w.people[2], time.Now()); err != nil {
		t.Errorf("delete user 2: %v", err)
	}
	// While its stray marker stands, the address is taken.
	_, err := w.Create(t.Context(), users.Creation{User: person("person10", principal.Admin)})
	if err != nil && !errors.Is(err, users.ErrEmailTaken) {
		t.Errorf("create: %v", err)
	}
}

func marker(name string) item { return at("email#"+name+"@example.com", "email") }
func admins() item            { return at("admins", "admins") }

// TestRebuildBesideWriters damages the table, then rebuilds it again and again while others create, change and delete.
func TestRebuildBesideWriters(t *testing.T) {
	t.Parallel()
	w := newWreck(t)
	w.drop(t, at("rank#users#0#", "rank"))
	w.drop(t, at("admins", "admins"))
	w.put(t, at("email#ghost@example.com", "email"), item{"user": str("ghost")})
	w.put(t, place("all", 30), listForm(person("ghost", "user"), "user"))
	w.set(t, place("viewer", w.people[3].Number), "name", str("Old Name"))
	var workers sync.WaitGroup
	for n := range 4 {
		workers.Go(func() { w.work(t, n) })
	}
	done := make(chan struct{})
	go func() { workers.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		if repairs, err := w.Rebuild(t.Context(), nil); err != nil || len(repairs.Disputes) > 0 {
			t.Errorf("rebuild: %v; %+v", err, repairs)
		}
	}
	checkConsistency(t, w.client, w.table)
}

// work changes users at random. What the rules refuse, and what the damage may make impossible, is no failure; anything
// else is.
func (w *wreck) work(t *testing.T, worker int) {
	random := rand.New(rand.NewPCG(uint64(worker), 7))
	var mine []users.User
	for i := range 60 {
		role := principal.Roles()[random.IntN(4)]
		switch choice := random.IntN(4); {
		case len(mine) < 3 || choice == 0:
			created, err := w.Create(t.Context(), users.Creation{User: person(fmt.Sprintf("worker%d-%d", worker, i), role)})
			if w.tolerated(t, err) {
				mine = append(mine, created.User)
			}
		case choice == 1:
			at := random.IntN(len(mine))
			if w.tolerated(t, w.Delete(t.Context(), mine[at], time.Now())) {
				mine = append(mine[:at], mine[at+1:]...)
			}
		default:
			at := random.IntN(len(mine))
			after := mine[at]
			after.Role, after.Name = role, fmt.Sprintf("name %d", i)
			if choice == 2 {
				after.Status = []users.Status{users.Active, users.Inactive}[random.IntN(2)]
			}
			if updated, err := w.Update(context.WithoutCancel(t.Context()), mine[at], after); w.tolerated(t, err) {
				mine[at] = updated
			}
		}
	}
}

// tolerated reports success.
func (w *wreck) tolerated(t *testing.T, err error) bool {
	t.Helper()
	if err != nil && fault.KindOf(err) == fault.Internal {
		t.Errorf("a writer beside the rebuild got %v", err)
	}
	return err == nil
}
