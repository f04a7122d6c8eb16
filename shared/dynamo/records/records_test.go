package records

import (
	"reflect"
	"testing"

	"portside/shared/core/audit"
	"portside/shared/dynamo/items"
)

type thing struct {
	PK      string   `dynamodbav:"pk"`
	SK      string   `dynamodbav:"sk"`
	Name    string   `dynamodbav:"name"`
	Seen    int64    `dynamodbav:"seen,omitempty"`
	Parts   []string `dynamodbav:"parts,omitempty"`
	Note    string   `dynamodbav:"note,omitempty"`
	Version int64    `dynamodbav:"version"`
}

// TestUpdateWritesWhatDiffers shows that a change leaves an attribute that another writer may have set since, such as
// the last sign-in.
func TestUpdateWritesWhatDiffers(t *testing.T) {
	before := Row{ID: "1", Version: 7, Item: thing{"thing#1", "thing", "old", 5, []string{"a"}, "", 7}}
	after := Row{ID: "1", Version: 8, Item: thing{"thing#1", "thing", "new", 5, nil, "note", 8}}
	plan := &Plan{table: &Table{Kind: audit.Kind("thing"), Name: "things"}}
	update := plan.update(before, after)
	if want := "SET #name = :to_name, #note = :to_note, #version = :to_version REMOVE #parts"; *update.UpdateExpression != want {
		t.Errorf("the expression is %q, want %q", *update.UpdateExpression, want)
	}
	want := items.Map{
		":version": items.Number(7), ":to_name": items.Text("new"), ":to_note": items.Text("note"),
		":to_version": items.Number(8),
	}
	if !reflect.DeepEqual(want, update.ExpressionAttributeValues) {
		t.Errorf("the values are %v, want %v", update.ExpressionAttributeValues, want)
	}
}
