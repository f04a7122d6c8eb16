package main

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/dynamo/items"
	"portside/shared/dynamo/layout"
)

func TestCommandsRefuseOtherLayouts(t *testing.T) {
	t.Parallel()
	o := newAnalyticsStack(t)
	o.expect(o.bootstrap(), 0, "created the admin")
	o.setLayout(layout.Version + 1)
	for _, args := range [][]string{
		{"bootstrap", "--email", "ada@example.com", "--name", "Ada"},
		{"import-users", o.write("users.csv", "email,name,role\nb@example.com,B,user\n")},
		{"check-layout"},
		{"rebuild-ranks"},
		{"set-rate-limit", "--credential", "x", "--per-minute", "5"},
	} {
		o.expect(o.run(args...), exitUnusable, "use the release that wrote the data")
	}
	if all := o.userEmails(); len(all) != 1 {
		t.Errorf("got the users %v, want only the admin", all)
	}
	o.setLayout(layout.Version)
	o.expect(o.run("check-layout"), exitDone, "")
	o.expect(o.run("check-layout", "--table-suffix", ""), exitFailed, "the table does not exist")
	stack, err := findLocalStack(o.dir, "")
	o.must(err)
	stack.Tables["PullsTable"], stack.Tables["AuditTable"] = "no-such-pulls", "no-such-events"
	o.writeStack(stack)
	o.expect(o.run("check-layout"), exitFailed, "the table no-such-pulls")
}

// setLayout changes the mark that bootstrap has written.
func (o *testStack) setLayout(version int64) {
	o.t.Helper()
	_, err := o.client.UpdateItem(o.t.Context(), &dynamodb.UpdateItemInput{
		TableName: &o.names.users, Key: items.Key("layout", "layout"), UpdateExpression: aws.String("SET version = :version"),
		ConditionExpression: aws.String("attribute_exists(pk)"), ExpressionAttributeValues: items.Map{":version": items.Number(version)},
	})
	if err != nil {
		o.t.Fatal(err)
	}
}

func TestCommandsRefuseIncompleteRestores(t *testing.T) {
	t.Parallel()
	o := newAnalyticsStack(t)
	o.expect(o.bootstrap(), 0, "created the admin")
	mark := items.Key("restore", "restore")
	if _, err := o.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &o.names.users, Item: mark}); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"check-layout", "rebuild-ranks"} {
		o.expect(o.run(command), exitUnusable, "a restore into these tables is not complete")
	}
	o.deleteItem(o.names.users, "restore", "restore")
	o.expect(o.run("rebuild-ranks"), exitDone, "")
}
