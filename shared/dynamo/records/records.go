// Package records writes a resource with all that a table keeps because of it: its item, markers of unique values,
// entries of lists, terms of searches, and the audit event. The adapter of a resource says what that is with a [Row], a
// plain value, in one function. A [Plan] derives the writes from the rows before and after a change, and the adapter
// adds its own writes to the plan.
//
//	<kind>#<id>   <kind>   the item of a resource; its attribute "version" counts the changes
//
// Package lists describes the entries, searchindex the terms, auditlog the events, and daycounts the counters.
package records

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/core/idempotency"
	"portside/shared/core/retry"
	"portside/shared/core/versions"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/dynamo/searchindex"
	"portside/shared/dynamo/transactions"
)

// These errors mean that the items of a table contradict each other. They have no kind, because the caller cannot fix
// that. The operator can fix lists with "portside rebuild-ranks".
var (
	ErrDuplicateID = errors.New("the new id exists already")
	ErrListed      = errors.New("the lists disagree with the resources; run portside rebuild-ranks")
)

// Row is what a table keeps because of one state of a resource. The zero Row stands for no resource.
type Row struct {
	ID       string
	Version  int64
	Item     any // the stored form, with keys
	Unique   []Marker
	Number   int64  // the place in the lists
	Label    string // see lists.Entry
	State    string // see lists.Entry
	Scope    string // the customer in whose lists and searches the resource also is; empty for none
	Listed   any    // the list form, without keys; comparable
	Terms    []string
	Name     string // in audit events
	Customer string // the customer of the audit events; empty without a customer
	Audited  any    // the form of audit events
}

// Marker is an item that marks a value as taken. The zero Marker stands for no value.
type Marker struct {
	PK, SK string
	Owner  string // the attribute with the ID of the resource
	Taken  error  // of a write if another resource has the value
}

func (m Marker) item(id string) items.Map {
	item := items.Key(m.PK, m.SK)
	item[m.Owner] = items.Text(id)
	return item
}

func (r Row) entry() lists.Entry {
	return lists.Entry{Number: r.Number, Label: r.Label, State: r.State, Scope: r.Scope, Form: items.Encode(r.Listed)}
}

func (r Row) searched() searchindex.Entry {
	return searchindex.Entry{ID: r.ID, Scope: r.Scope, Terms: r.Terms}
}

// marker returns the i-th marker, or the zero Marker.
func (r Row) marker(i int) Marker {
	if i < len(r.Unique) {
		return r.Unique[i]
	}
	return Marker{}
}

// Plan is one transaction. If conditions fail, it returns the error of the write that was added first.
type Plan struct {
	transactions.Plan
	Policy retry.Policy // of the transaction

	table  *Table
	lists  *lists.Changes
	days   daycounts.Changes
	events []audit.Change
}

// Plan returns an empty transaction with the default policy.
func (t *Table) Plan() *Plan {
	return &Plan{Policy: retry.Default, table: t, lists: t.Lists.Changes(), days: daycounts.Changes{}}
}

// Once makes a creation fail with idempotencykeys.ErrInUse if the key was used, and remembers the created resource.
// Without a key, it does nothing.
func (p *Plan) Once(key *idempotency.Key, created Row, at time.Time) {
	if key != nil {
		p.Add(idempotencykeys.ErrInUse, idempotencykeys.Put(p.table.Name, *key, created.Item, at))
	}
}

// Create adds a resource. Errors: those of its markers, ErrDuplicateID, ErrListed.
func (p *Plan) Create(action audit.Action, r Row) {
	p.mark(Row{}, r)
	p.Add(ErrDuplicateID, items.PutNew(p.table.Name, items.Encode(r.Item)))
	p.Add(ErrListed, p.lists.Add(r.entry())...)
	p.Add(nil, p.table.Search.Changes(searchindex.Entry{}, r.searched())...)
	p.Audit(action, Row{}, r)
}

// Change changes a resource. It writes only the attributes of the item that differ. Errors: versions.ErrStale if the
// resource no longer has the version before, those of markers, ErrListed.
func (p *Plan) Change(action audit.Action, before, after Row) {
	p.Add(versions.ErrStale, types.TransactWriteItem{Update: p.update(before, after)})
	p.mark(before, after)
	if before.Listed != after.Listed {
		p.Add(ErrListed, p.lists.Replace(before.entry(), after.entry())...)
	}
	p.Add(nil, p.table.Search.Changes(before.searched(), after.searched())...)
	p.Audit(action, before, after)
}

// Delete deletes a resource. Errors: versions.ErrStale if the resource no longer has the version, ErrListed.
func (p *Plan) Delete(action audit.Action, r Row) {
	p.Add(versions.ErrStale, types.TransactWriteItem{Delete: &types.Delete{
		TableName: &p.table.Name, Key: p.table.Key(r.ID),
		ConditionExpression: aws.String(unchanged), ExpressionAttributeValues: items.Map{":version": items.Number(r.Version)},
	}})
	p.mark(r, Row{})
	p.Add(ErrListed, p.lists.Remove(r.entry())...)
	p.Add(nil, p.table.Search.Changes(r.searched(), searchindex.Entry{})...)
	p.Audit(action, r, Row{})
}

// Audit adds an event about a resource to the transaction.
func (p *Plan) Audit(action audit.Action, before, after Row) {
	target := after
	if target.ID == "" {
		target = before
	}
	p.Record(audit.Change{
		Action: action, Target: audit.Target{Kind: p.table.Kind, ID: target.ID, Name: target.Name}, CustomerID: target.Customer,
		Before: before.Audited, After: after.Audited,
	})
}

// Record adds an event about anything else to the transaction.
func (p *Plan) Record(change audit.Change) { p.events = append(p.events, change) }

// Count adds to the counters of days.
func (p *Plan) Count(changes daycounts.Changes) {
	for day, change := range changes {
		p.days.Add(day, change)
	}
}

// Run commits the transaction, with the counters and the audit events.
func (p *Plan) Run(ctx context.Context) error {
	counters, err := p.lists.Counters()
	if err != nil {
		return err
	}
	p.Add(nil, counters...)
	p.Add(nil, p.table.Days.Writes(p.days)...)
	for _, event := range p.events {
		p.Add(nil, p.table.Log(ctx, event)...)
	}
	err = p.WriteWith(ctx, p.Policy, p.table.Client)
	if errors.Is(err, ErrListed) || errors.Is(err, ErrDuplicateID) {
		return fmt.Errorf("write a %s: %w", p.table.Kind, err)
	}
	return err
}

// mark replaces the markers of unique values, which are in the same order before and after.
func (p *Plan) mark(before, after Row) {
	for i := range max(len(before.Unique), len(after.Unique)) {
		from, to := before.marker(i), after.marker(i)
		if from.PK == to.PK {
			continue
		}
		if to.PK != "" {
			p.Add(to.Taken, items.PutNew(p.table.Name, to.item(after.ID)))
		}
		if from.PK != "" {
			p.Add(ErrListed, types.TransactWriteItem{Delete: &types.Delete{
				TableName: &p.table.Name, Key: items.Key(from.PK, from.SK), ConditionExpression: aws.String("#owner = :owner"),
				ExpressionAttributeNames:  map[string]string{"#owner": from.Owner},
				ExpressionAttributeValues: items.Map{":owner": items.Text(before.ID)},
			}})
		}
	}
}

const unchanged = "version = :version"

// update returns the write of the attributes that differ. Other attributes keep their stored values, even values
// that were written without a new version.
func (p *Plan) update(before, after Row) *types.Update {
	from, to := items.Encode(before.Item), items.Encode(after.Item)
	names, values := map[string]string{}, items.Map{":version": items.Number(before.Version)}
	var sets, removes []string
	for name, value := range to {
		if !reflect.DeepEqual(from[name], value) {
			names["#"+name], values[":to_"+name] = name, value
			sets = append(sets, "#"+name+" = :to_"+name)
		}
	}
	for name := range from {
		if _, stays := to[name]; !stays {
			names["#"+name] = name
			removes = append(removes, "#"+name)
		}
	}
	slices.Sort(sets)
	slices.Sort(removes)
	expression := "SET " + strings.Join(sets, ", ") // the version always differs
	if len(removes) > 0 {
		expression += " REMOVE " + strings.Join(removes, ", ")
	}
	return &types.Update{
		TableName: &p.table.Name, Key: p.table.Key(after.ID), UpdateExpression: &expression,
		ConditionExpression:      aws.String(unchanged),
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	}
}
