package lists_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/paging"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
)

// fixture is a list in a real engine.
type fixture struct {
	testing.TB
	client  *dynamodb.Client
	table   string
	entries []lists.Entry
}

func newFixture(tb testing.TB, n int) *fixture {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	s := &fixture{TB: tb, client: client, table: awstest.Table(tb, client, "UsersTable")}
	for range n {
		s.add()
	}
	return s
}

func (s *fixture) lists(client *dynamodb.Client) *lists.Lists {
	return lists.New(client, s.table, lists.Shape{Name: "books", Label: "label", Labels: []string{"red"}})
}

func (s *fixture) add() {
	s.Helper()
	all := s.lists(s.client)
	first, at, err := all.Allocate(s.Context(), 1, time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))
	if err != nil {
		s.Fatal(err)
	}
	e := lists.Entry{Number: first, Label: "red", Form: items.Map{
		"id": items.Text(fmt.Sprint(first)), "created": items.Number(at.UnixMilli()), "label": items.Text("red"),
	}}
	changes := all.Changes()
	writes := changes.Add(e)
	s.entries = append(s.entries, e)
	s.write(changes, writes...)
}

func (s *fixture) removeLast() {
	s.Helper()
	last := len(s.entries) - 1
	changes := s.lists(s.client).Changes()
	writes := changes.Remove(s.entries[last])
	s.entries = s.entries[:last]
	s.write(changes, writes...)
}

func (s *fixture) write(changes *lists.Changes, writes ...types.TransactWriteItem) {
	s.Helper()
	counters, err := changes.Counters()
	if err != nil {
		s.Fatal(err)
	}
	if err := transactions.Write(s.Context(), s.client, append(writes, counters...)); err != nil {
		s.Fatal(err)
	}
}

// TestPagesAgreeWithTotals lets other writers change the list after the counters are read and before the
// entries are read.
func TestPagesAgreeWithTotals(t *testing.T) {
	for _, c := range []struct {
		name         string
		begin, after int
		limit        int
		offset       int64
		position     paging.Position
		rows         int
		total        int64
		next         paging.Position
	}{
		{"no other writer", 5, 5, 3, 3, "", 2, 5, ""},
		{"one more on the last page", 5, 6, 4, 4, "", 2, 6, ""},
		{"the page becomes full", 5, 6, 3, 3, "", 3, 6, ""},
		{"a full one has more", 3, 5, 3, 0, "", 3, 3, ""},
		{"a page before others", 5, 4, 3, 0, "", 3, 5, "2"},
		{"one less on the last page", 5, 4, 3, 3, "", 1, 4, ""},
		{"the last page empties", 5, 3, 3, 3, "", 0, 3, ""},
		{"earlier pages empty too", 5, 1, 3, 3, "", 0, 3, ""},
		{"all entries removed", 2, 0, 3, 0, "", 0, 0, ""},
		{"empty list", 0, 0, 3, 0, "", 0, 0, ""},
		{"past the end", 2, 2, 3, 9, "", 0, 2, ""},
		{"after a position, no other writer", 5, 5, 3, 0, "0", 3, 5, "3"},
		{"after a position, one more", 4, 5, 3, 0, "0", 3, 4, "3"},
		{"after a position, more than were counted", 1, 5, 3, 0, "0", 3, 4, "3"},
		{"after a position, one less", 5, 4, 3, 0, "0", 3, 5, ""},
		{"after the entry of a position was removed", 5, 2, 3, 0, "2", 0, 5, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newFixture(t, c.begin)
			client := awstest.Faulty(s.client, func(operation string, n int) error {
				isRead := operation == "Query" && (n == 2 || c.position != "") // of the entries
				for isRead && len(s.entries) != c.after {
					if len(s.entries) < c.after {
						s.add()
					} else {
						s.removeLast()
					}
				}
				return nil
			})
			query := lists.Query{Limit: c.limit, Offset: c.offset, After: c.position}
			page, err := lists.Page[struct{}](t.Context(), s.lists(client), query)
			if err != nil || len(page.Entries) != c.rows || page.Total != c.total || page.Next != c.next {
				t.Errorf("%s: %d rows of %d and then %q, want %d of %d and %q: %v",
					c.name, len(page.Entries), page.Total, page.Next, c.rows, c.total, c.next, err)
			}
		})
	}
}

func TestPositionIsANumber(t *testing.T) {
	s := newFixture(t, 3)
	for _, position := range []paging.Position{"x", "-1", "+1", "01", "1 ", "1.0", "0x1", "4294967296",
		"99999999999999999999", "#", "1\x00"} {
		page, err := lists.Page[struct{}](t.Context(), s.lists(s.client), lists.Query{Limit: 1, After: position})
		if !errors.Is(err, paging.ErrCursor) || len(page.Entries) > 0 || page.Total != 0 {
			t.Errorf("%q: %+v, %v", position, page, err)
		}
	}
	for position, rows := range map[paging.Position]int{"0": 2, "1": 1, "2": 0, "33554431": 0, "4294967295": 0} {
		page, err := lists.Page[struct{}](t.Context(), s.lists(s.client), lists.Query{Limit: 9, After: position})
		if err != nil || len(page.Entries) != rows || page.Total != 3 || page.Next != "" {
			t.Errorf("%q: %+v, %v; want %d of 3", position, page, err, rows)
		}
	}
}
