// Package layout marks the tables of an installation with the version of their data layout: the
// keys, attributes and meanings of all items in all tables.
//
// The mark is one item of the users table (pk "layout", sk "layout"). The other tables need none,
// because a restore always brings all tables to the same state. The operator's command checks the
// mark before it touches data, and a deployment checks it through that command. The functions do
// not check it, because only a deployment can change their code or the layout.
package layout

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/fault"
	"portside/shared/dynamo/items"
)

// Version is the layout that this code reads and writes. Increase it with every change that older
// code would misread, and describe the upgrade in CHANGELOG.md.
const Version = 1

// ErrUnknown means that other code than this has written the data.
var ErrUnknown = fault.New(fault.Conflict, "This release does not know the layout of the data.")

const key = "layout"

type mark struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	Version int    `dynamodbav:"version"`
}

// Check returns ErrUnknown if the data has another layout than Version. Data without a mark passes,
// because an empty table has none.
func Check(ctx context.Context, client items.Reader, usersTable string) error {
	found, exists, err := items.Get[mark](ctx, items.In(client, usersTable), items.Key(key, key))
	if err != nil {
		return fmt.Errorf("read the data layout: %w", err)
	}
	if !exists {
		return nil
	}
	return CheckVersion(found.Version)
}

// CheckVersion returns ErrUnknown if the version is not Version.
func CheckVersion(version int) error {
	switch {
	case version > Version:
		return fmt.Errorf("%w The data has layout %d, and this release knows layouts up to %d: use the release that wrote the data, "+
			"or a newer one", ErrUnknown, version, Version)
	case version < Version:
		return fmt.Errorf("%w The data has layout %d, and this release needs layout %d: CHANGELOG.md describes the upgrade",
			ErrUnknown, version, Version)
	}
	return nil
}

// Mark writes the mark if the table has none. It never changes a mark.
func Mark(ctx context.Context, client *dynamodb.Client, usersTable string) error {
	_, err := client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &usersTable, Item: items.Encode(mark{PK: key, SK: key, Version: Version}),
		ConditionExpression: aws.String("attribute_not_exists(pk)"),
	})
	if items.ConditionFailed(err) {
		return Check(ctx, client, usersTable)
	}
	if err != nil {
		return fmt.Errorf("mark the data layout: %w", err)
	}
	return nil
}
