package main

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/layout"
)

func TestCommandsRefuseOtherLayouts(t *testing.T) {
	t.Parallel()
	o := newAnalytics(t)
	o.Expect(o.Bootstrap(), 0, "created the admin")
	o.SetLayout(layout.Version + 1)
	for _, args := range [][]string{
		{"bootstrap", "--email", "ada@example.com", "--name", "Ada"},
		{"import-users", o.Write("users.csv", "email,name,role\nb@example.com,B,user\n")},
		{"check-layout"},
		{"rebuild-ranks"},
		{"set-rate-limit", "--credential", "x", "--per-minute", "5"},
	} {
		o.Expect(o.Run(args...), operator.ExitUnusable, "use the release that wrote the data")
	}
	if all := o.UserEmails(); len(all) != 1 {
		t.Errorf("got the users %v, want only the admin", all)
	}
	o.SetLayout(layout.Version)
	o.Expect(o.Run("check-layout"), operator.ExitDone, "")
	o.Expect(o.Run("check-layout", "--table-suffix", ""), operator.ExitFailed, "the table does not exist")
	stack, err := installation.FindLocalStack(o.Dir, "")
	o.Must(err)
	stack.Tables["PullsTable"], stack.Tables["AuditTable"] = "no-such-pulls", "no-such-events"
	o.WriteStack(stack)
	o.Expect(o.Run("check-layout"), operator.ExitFailed, "the table no-such-pulls")
}

func TestCommandsRefuseIncompleteRestores(t *testing.T) {
	t.Parallel()
	o := newAnalytics(t)
	o.Expect(o.Bootstrap(), 0, "created the admin")
	mark := items.Key("restore", "restore")
	if _, err := o.Client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &o.Names.Users, Item: mark}); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"check-layout", "rebuild-ranks"} {
		o.Expect(o.Run(command), operator.ExitUnusable, "a restore into these tables is not complete")
	}
	o.DeleteItem(o.Names.Users, "restore", "restore")
	o.Expect(o.Run("rebuild-ranks"), operator.ExitDone, "")
}
