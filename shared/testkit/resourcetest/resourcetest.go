// Package resourcetest is the contract of every stored resource: users, projects, customers. A resource is created
// once, has unique values and versions, is listed exactly at any offset, is found by searches if it has a name, writes
// an audit event for each change, and can be repaired from its own items. Each write is all or nothing, also if the
// process crashes or others write at the same time.
//
// The test package of a store describes its resource as a [Subject] and calls [Run] and [Concurrently]. Its other tests
// are about what only this resource does.
//
// The suite compares a table with the items of its resources. It reads the raw items and shares no code with the stores
// except package search, so a defect there cannot hide here.
package resourcetest

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/uuid"

	"portside/shared/core/audit"
	"portside/shared/core/idempotency"
	"portside/shared/core/paging"
	"portside/shared/core/search"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/lists"
	"portside/shared/testkit/liststest"
)

// Resource is a resource as the suite sees it. The suite sets all fields except Number, Version and Value, and the
// subject copies them to and from Value.
type Resource struct {
	ID, Name             string
	Unique               []string // in the order of Subject.Uniques; empty texts for none
	Label, State         string   // State is empty if the resources have no states
	Customer             string   // the resource's customer; empty for the vendor
	CreatedAt, UpdatedAt time.Time
	Number, Version      int64 // the store sets them
	Value                any   // of the domain type, such as users.User; nil in a resource that is not stored yet
}

// title returns the name or, without one, the unique values.
func (r Resource) title() string { return cmp.Or(r.Name, strings.Join(r.Unique, " ")) }

// Unique is a value that at most one resource has at a time.
type Unique struct {
	Attribute string // of the resource's item
	Marker    string // the kind of the item that marks the value as taken, such as "email" for email#<address>
	Taken     error  // of a creation or change to a value that another resource has
	IsFixed   bool   // a change keeps it

	IsOptional bool // any number of resources have none
}

// Subject is a kind of resource that keeps the contract.
type Subject struct {
	Kind           string   // "user" for items with the key user#<id>
	Lists          string   // the name of the counters of its lists, such as "users"
	Form           []string // the attributes of an entry of a list; all are also attributes of the resource's item
	Owner          string   // the attribute of a marker that names the resource
	Uniques        []Unique
	IsUnnamed      bool     // the resources have no name, and no search finds them
	Label, State   string   // the attributes by which lists are filtered; no State if the resources have none
	Labels, States []string // in the order of the counters
	NewState       string   // the state that only a creation sets; empty without such a state
	Customers      []string // for resources of these tests, with "" for the vendor; nil if resources never belong to customers
	Created        audit.Action
	Updated        audit.Action
	Deleted        audit.Action
	Unaudited      []string // fields of the domain type that audit events leave out
	NotFound       error
	Refusals       []error // of rules that only this resource has, such as the last admin: nothing is written

	// Filled returns a value of the domain type with all fields, and Emptied removes all fields that may be empty.
	Filled  func(testing.TB) any
	Emptied func(any) any
	// Counted returns the day counters that include a resource, and Events the events that a change counts. The zero
	// resource stands for none. Both are nil for a resource without day counters, and Events is nil if it counts no
	// events.
	Counted func(Resource) []string
	Events  func(before, after Resource) []string

	// Open returns new tables.
	Open func(*testing.T) Tables
}

// Tables are what a store keeps its resources in.
type Tables struct {
	Client    *dynamodb.Client
	Table     string // of the resources
	Analytics string // of the day counters
	Log       auditlog.Log
	// Over returns a store on the tables over a client, such as one that fails.
	Over func(*dynamodb.Client) Store
	// Derive, unless nil, adds other items to want that follow from the resources, and the items found in the tables to
	// got.
	Derive func(t *testing.T, items []liststest.Item, want, got map[string]string)
	// Damage, unless nil, damages what Derive adds.
	Damage func(*testing.T, Tables)
}

// Store has the operations of a store. The store's interface in its domain, such as users.Store, has their contract.
type Store struct {
	Create  func(context.Context, Resource, *idempotency.Key) (created Resource, replayed bool, err error)
	Get     func(ctx context.Context, id string) (Resource, error)
	Update  func(ctx context.Context, before, after Resource) (Resource, error)
	Delete  func(context.Context, Resource, time.Time) error
	List    func(context.Context, Query) (Page, error)
	Search  func(ctx context.Context, customer string, query search.Query) (Page, error) // nil for resources without a name
	Rebuild func(context.Context, func(lists.Progress)) (lists.Repairs, error)
	// RebuildCustomer repairs the counts of a customer after a Rebuild. It is nil if resources never belong to
	// customers.
	RebuildCustomer func(ctx context.Context, id string) (wrong bool, err error)
	Histories       func(context.Context) iter.Seq2[daycounts.History, error] // nil without day counters
}

// Query asks for one page of a list. An empty filter includes all resources.
type Query struct {
	Customer, Label, State string
	Limit                  int
	Offset                 int64
	After                  paging.Position
}

// Page is one page of a list or a search. A search has no total.
type Page struct {
	Resources []Resource
	Total     int64
	Next      paging.Position
}

// Run checks the contract of a resource, except for operations at the same time.
func Run(t *testing.T, s Subject) {
	t.Helper()
	s.run(t, map[string]func(*fixture){
		"created once":                   (*fixture).testCreatedOnce,
		"keys expire":                    (*fixture).testKeysExpire,
		"unique values":                  (*fixture).testUniqueValues,
		"stale changes fail":             (*fixture).testStaleChangesFail,
		"each field is kept":             (*fixture).testFields,
		"each change is audited":         (*fixture).testAudit,
		"crashes leave whole changes":    (*fixture).testCrashes,
		"model":                          (*fixture).testModel,
		"moves during a search":          (*fixture).testMoveDuringSearch,
		"cursors survive changes":        (*fixture).testCursors,
		"rebuild repairs damage":         (*fixture).testRebuild,
		"rebuild reports disputes":       (*fixture).testDisputes,
		"rebuild resumes":                (*fixture).testRebuildResumes,
		"rebuild between single changes": (*fixture).testRebuildDuringChanges,
	})
}

// Concurrently checks the contract of a resource that several clients change at the same time.
func Concurrently(t *testing.T, s Subject) {
	t.Helper()
	s.run(t, map[string]func(*fixture){
		"conflicts":             (*fixture).testConflicts,
		"rebuild during writes": (*fixture).testRebuildDuringWrites,
		"some order":            (*fixture).testOrder,
	})
}

// Check compares everything that is derived from resources with the resources. It returns the number of resources.
func Check(t *testing.T, s Subject, tables Tables) (resources int) {
	t.Helper()
	return s.in(t, tables).check()
}

func (s *Subject) run(t *testing.T, tests map[string]func(*fixture)) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(s.open(t))
		})
	}
}

// fixture is a subject with the tables of one test, and a store on them.
type fixture struct {
	*Subject
	Tables
	Store

	t *testing.T
}

func (s *Subject) open(t *testing.T) *fixture {
	t.Helper()
	return s.in(t, s.Open(t))
}

func (s *Subject) in(t *testing.T, tables Tables) *fixture {
	t.Helper()
	return &fixture{Subject: s, Tables: tables, Store: tables.Over(tables.Client), t: t}
}

// noon is when the resources of these tests are created.
func noon() time.Time { return time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC) }

// label returns the nth label, modulo their number. -1 is the last one.
func (s *Subject) label(n int) string {
	return s.Labels[((n%len(s.Labels))+len(s.Labels))%len(s.Labels)]
}

// newResource returns a resource that is not stored, with the last label. Each n has another name and other unique
// values.
func (s *Subject) newResource(n int) Resource {
	r := Resource{ID: uuid.Must(uuid.NewV7()).String(), Name: s.nameOr(fmt.Sprintf("Name %d", n)), Label: s.label(-1),
		CreatedAt: noon()}
	if s.States != nil {
		r.State = s.States[0]
	}
	for i := range s.Uniques {
		r.Unique = append(r.Unique, uniqueText(i, n))
	}
	return r
}

// nameOr returns the name, or an empty text if the resources have none.
func (s *Subject) nameOr(name string) string {
	if s.IsUnnamed {
		return ""
	}
	return name
}

func uniqueText(which, n int) string { return fmt.Sprintf("%c%d@example.com", 'u'+which, n) }

func (f *fixture) create(n int) Resource {
	f.t.Helper()
	return f.store(f.newResource(n))
}

func (f *fixture) store(r Resource) Resource {
	f.t.Helper()
	created, _, err := f.Create(f.t.Context(), r, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return created
}

// populated stores n resources with alternating labels and customers.
func (f *fixture) populated(n int) []Resource {
	f.t.Helper()
	all := make([]Resource, n)
	for i := range all {
		r := f.newResource(i)
		r.Label = f.label(i)
		if f.Customers != nil {
			r.Customer = f.Customers[i%len(f.Customers)]
		}
		all[i] = f.store(r)
	}
	return all
}

func (f *fixture) mustGet(id string) Resource {
	f.t.Helper()
	r, err := f.Get(f.t.Context(), id)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

// changed returns the resource with the nth label, and with a name and unique values for n.
func (s *Subject) changed(r Resource, n int) Resource {
	r.Name, r.Label, r.UpdatedAt = s.nameOr(fmt.Sprintf("Other %d", n)), s.label(n), noon().Add(time.Hour)
	unique := make([]string, len(r.Unique))
	for i, u := range s.Uniques {
		if unique[i] = uniqueText(i, n); u.IsFixed {
			unique[i] = r.Unique[i]
		}
	}
	r.Unique = unique
	return r
}
