package layout_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/dynamo/items"
	"portside/shared/dynamo/layout"
	"portside/shared/testkit/awstest"
)

func TestOtherLayoutsAreRefused(t *testing.T) {
	client := awstest.DynamoDB(t)
	table := awstest.Table(t, client, "UsersTable")
	if err := layout.Check(t.Context(), client, table); err != nil {
		t.Errorf("an empty table: %v", err)
	}
	for range 2 {
		if err := layout.Mark(t.Context(), client, table); err != nil {
			t.Fatal(err)
		}
		if err := layout.Check(t.Context(), client, table); err != nil {
			t.Errorf("after Mark: %v", err)
		}
	}
	for version, want := range map[int64]string{
		layout.Version + 1: "use the release that wrote the data", layout.Version - 1: "CHANGELOG.md describes the upgrade",
	} {
		item := items.Key("layout", "layout")
		item["version"] = items.Number(version)
		if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{
			"Check": layout.Check(t.Context(), client, table), "Mark": layout.Mark(t.Context(), client, table),
		} {
			if !errors.Is(err, layout.ErrUnknown) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of layout %d: %v, want %q", name, version, err, want)
			}
		}
	}
	if err := layout.Check(t.Context(), client, "no-such-table"); err == nil || errors.Is(err, layout.ErrUnknown) {
		t.Errorf("without a table: %v, want an internal error", err)
	}
}
