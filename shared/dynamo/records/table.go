package records

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/core/paging"
	"portside/shared/core/search"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/dynamo/rank"
	"portside/shared/dynamo/searchindex"
)

// Table keeps the resources of one kind.
type Table struct {
	Kind   audit.Kind
	Client *dynamodb.Client
	Name   string
	Lists  *lists.Lists
	Search searchindex.Index
	Days   daycounts.Table
	// Log returns the writes of the event about a change.
	Log func(context.Context, audit.Change) []types.TransactWriteItem
}

// New returns the resources of a kind in a table, without counters of days. They need a Log.
func New(kind audit.Kind, client *dynamodb.Client, table string, shape lists.Shape) *Table {
	return &Table{Kind: kind, Client: client, Name: table, Lists: lists.New(client, table, shape),
		Search: searchindex.New(client, table)}
}

// Key returns the key of the item of a resource.
func (t *Table) Key(id string) items.Map { return items.Key(string(t.Kind)+"#"+id, string(t.Kind)) }

// Items returns the table for functions of package items.
func (t *Table) Items() items.Table { return items.In(t.Client, t.Name) }

// ReadAll calls visit with the items of the resources with the distinct ids, in no particular order. It leaves out
// resources that do not exist.
func (t *Table) ReadAll(ctx context.Context, ids []string, visit func(items.Map) error) error {
	keys := make([]items.Map, len(ids))
	for i, id := range ids {
		keys[i] = t.Key(id)
	}
	return items.GetAll(ctx, t.Items(), keys, visit)
}

// Find calls visit with each item that a search in a scope finds, in its order, and returns the position of the next
// page. It makes two strongly consistent reads, whatever the number of resources. A resource may have left the scope
// since the first read.
func (t *Table) Find(ctx context.Context, scope string, query search.Query,
	visit func(items.Map) error) (paging.Position, error) {
	page, err := t.Search.In(scope).Find(ctx, query)
	if err != nil {
		return "", err
	}
	found := map[string]items.Map{}
	err = t.ReadAll(ctx, page.IDs, func(item items.Map) error {
		found[idOf(item)] = item
		return nil
	})
	for _, id := range page.IDs {
		if item, exists := found[id]; exists && err == nil {
			err = visit(item)
		}
	}
	return page.Next, err
}

func idOf(item items.Map) string {
	id, isText := item["id"].(*types.AttributeValueMemberS)
	if !isText {
		return ""
	}
	return id.Value
}

// Source is how a rebuild reads resources.
type Source struct {
	// Row returns the row of an item, without a label if the resource cannot be listed.
	Row func(items.Map) (Row, error)
	// MarkerPrefixes has the beginnings of the partition keys of markers, each with the marker's attribute Owner.
	MarkerPrefixes map[string]string
}

// Rebuild makes all derived items agree with the resources; see lists.Rebuild and Derived.
func (t *Table) Rebuild(ctx context.Context, source Source, report func(lists.Progress)) (lists.Repairs, error) {
	kind := string(t.Kind)
	return t.Lists.Rebuild(ctx, lists.Source{
		Key: t.Key,
		Is:  func(pk, sk string) bool { return sk == kind && strings.HasPrefix(pk, kind+"#") },
		Read: func(item items.Map) (lists.Resource, error) {
			row, err := source.Row(item)
			return lists.Resource{ID: row.ID, Version: row.Version, Derived: t.Derived(row)}, err
		},
		Owner: func(pk string) string {
			for prefix, owner := range source.MarkerPrefixes {
				if strings.HasPrefix(pk, prefix) {
					return owner
				}
			}
			return lists.OwnerOf(pk)
		},
	}, report)
}

// Derived returns the items that the table must have because of a resource, except counters. It returns none for a row
// that cannot be listed.
func (t *Table) Derived(r Row) []items.Map {
	if r.ID == "" || r.Label == "" || r.Number < 0 || r.Number >= rank.Capacity {
		return nil
	}
	all := append(t.Lists.Items(r.entry()), r.searched().Items()...)
	for _, m := range r.Unique {
		if m.PK != "" {
			all = append(all, m.item(r.ID))
		}
	}
	return all
}

// RecountScope makes the counts of the lists of a customer agree with the lists. It reports whether one was wrong.
func (t *Table) RecountScope(ctx context.Context, customerID string) (wrong bool, err error) {
	counters, err := t.Lists.In(customerID).RebuildCounts(ctx)
	if err != nil {
		return false, fmt.Errorf("count the %ss of customer %s: %w", t.Kind, customerID, err)
	}
	return counters > 0, nil
}

// Histories returns the histories of all existing and deleted resources; see daycounts.Census.
func (t *Table) Histories(
	ctx context.Context, historyOf func(items.Map) (daycounts.History, error),
) iter.Seq2[daycounts.History, error] {
	return daycounts.Census{Client: t.Client, Table: t.Name, Kind: string(t.Kind), HistoryOf: historyOf}.Histories(ctx)
}
