package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
)

// TableData is a DynamoDB table. It implements Source and Target.
//
// During a restore, the table has one more item with the ID of the backup, the last run, and the files that are
// written already. Release removes it from all tables at the end.
type TableData struct {
	Client    *dynamodb.Client
	ID, Table string // the logical ID and the name
	// PageItems limits the items that one Scan returns; 0 means 1 MB of items.
	PageItems int32
}

// markKey is the key of the item that a table has during a restore.
const markKey = "restore"

// segments is the number of segments of a table. A backup cannot continue with another number.
const segments = 8

// Set implements Source.
func (t TableData) Set() Set { return Set{Name: t.ID, From: t.Table, Kind: Table} }

// Name implements Target.
func (t TableData) Name() string { return t.ID }

// Segments implements Source.
func (t TableData) Segments() int { return segments }

// Page implements Source with one Scan.
func (t TableData) Page(ctx context.Context, segment int, position string) (entries [][]byte, next string, err error) {
	in := &dynamodb.ScanInput{
		TableName: &t.Table, Segment: aws.Int32(int32(segment)), TotalSegments: aws.Int32(segments), //nolint:gosec // a few segments
		ConsistentRead: aws.Bool(true),
	}
	if position != "" {
		if in.ExclusiveStartKey, err = decodePosition(position); err != nil {
			return nil, "", fmt.Errorf("position: %w", err)
		}
	}
	if t.PageItems > 0 {
		in.Limit = &t.PageItems
	}
	out, err := t.Client.Scan(ctx, in)
	if err != nil {
		return nil, "", err
	}
	for _, item := range out.Items {
		if isMark(item) {
			return nil, "", ErrIncomplete
		}
		line, err := encodeItem(item)
		if err != nil {
			return nil, "", err
		}
		entries = append(entries, line)
	}
	next, err = encodePosition(out.LastEvaluatedKey)
	return entries, next, err
}

func isMark(item items.Map) bool {
	pk, isText := item["pk"].(*types.AttributeValueMemberS)
	return isText && pk.Value == markKey
}

// mark is the item that a table has during a restore.
type mark struct {
	Backup string   `dynamodbav:"restoredFrom"`
	Run    string   `dynamodbav:"byRun"`
	Files  []string `dynamodbav:"writtenFiles,stringset"`
}

// ErrIncomplete means that a restore has not written all items yet, so the data must not be used.
var ErrIncomplete = errors.New("a restore into these tables is not complete: run it again to complete it")

// CheckComplete returns ErrIncomplete while a restore writes to the tables. One table suffices,
// because a restore marks all tables before it begins, and ends with one transaction.
func CheckComplete(ctx context.Context, client items.Reader, table string) error {
	_, incomplete, err := items.Get[mark](ctx, items.In(client, table), items.Key(markKey, markKey))
	if err == nil && incomplete {
		return ErrIncomplete
	}
	return err
}

// Check implements Target. The table must be empty, or have the mark of this restore.
func (t TableData) Check(ctx context.Context, backup string) (Done, error) {
	found, exists, err := items.Get[mark](ctx, items.In(t.Client, t.Table), items.Key(markKey, markKey))
	if err != nil {
		return Done{}, err
	}
	if exists && found.Backup == backup {
		return Done{IsClaimed: true, Files: found.Files}, nil
	}
	return Done{}, t.checkEmpty(ctx)
}

// checkEmpty returns an error if the table has an item other than the mark of a run that has just claimed it.
func (t TableData) checkEmpty(ctx context.Context, claimed ...RestoreRun) error {
	out, err := t.Client.Scan(ctx, &dynamodb.ScanInput{
		TableName: &t.Table, Limit: aws.Int32(int32(len(claimed) + 1)), ConsistentRead: aws.Bool(true), //nolint:gosec // G115: 1 or 2
	})
	if err != nil {
		return err
	}
	if len(out.Items) > len(claimed) {
		return fmt.Errorf("the table %s has items: restore into empty tables, such as new ones with --create", t.Table)
	}
	return nil
}

// Claim implements Target. A mark that has gone since Check belongs to a restore that is complete, and the table may be
// in use. The SDK may repeat the call after its response was lost, so a mark of this run is right, too.
func (t TableData) Claim(ctx context.Context, by RestoreRun, done Done) error {
	condition := "attribute_not_exists(pk) OR byRun = :run"
	if done.IsClaimed {
		condition = "restoredFrom = :backup"
	}
	_, err := t.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.Table, Key: items.Key(markKey, markKey), UpdateExpression: aws.String("SET restoredFrom = :backup, byRun = :run"),
		ConditionExpression:       &condition,
		ExpressionAttributeValues: items.Map{":backup": items.Text(by.Backup), ":run": items.Text(by.ID)},
	})
	if items.ConditionFailed(err) {
		return fmt.Errorf("another restore into the table %s has begun", t.Table)
	}
	if err != nil || done.IsClaimed {
		return err
	}
	// Since Check, another run may have completed the restore. The claim now keeps others from beginning one.
	if err := t.checkEmpty(ctx, by); err != nil {
		return errors.Join(err, Release(ctx, []TableData{t}, by))
	}
	return nil
}

// Write implements Target.
func (t TableData) Write(ctx context.Context, entry []byte) error {
	item, err := decodeItem(entry)
	if err != nil {
		return err
	}
	_, err = t.Client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &t.Table, Item: item, ConditionExpression: aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	failed, exists := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !exists {
		return err
	}
	stored, err := encodeItem(failed.Item)
	if err == nil && !bytes.Equal(stored, bytes.TrimSpace(entry)) {
		return fmt.Errorf("the table %s got other items during the restore: delete the table, and begin again", t.Table)
	}
	return err
}

// Note implements Target.
func (t TableData) Note(ctx context.Context, by RestoreRun, file string) error {
	_, err := t.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.Table, Key: items.Key(markKey, markKey), UpdateExpression: aws.String("ADD writtenFiles :file"),
		ConditionExpression: aws.String("byRun = :run"),
		ExpressionAttributeValues: items.Map{
			":run": items.Text(by.ID), ":file": &types.AttributeValueMemberSS{Value: []string{file}},
		},
	})
	if items.ConditionFailed(err) {
		return ErrTakenOver
	}
	return err
}

// Release ends a restore. It removes the marks of all tables in one transaction.
func Release(ctx context.Context, tables []TableData, by RestoreRun) error {
	var deletions []types.TransactWriteItem
	for _, t := range tables {
		deletions = append(deletions, types.TransactWriteItem{Delete: &types.Delete{
			TableName: &t.Table, Key: items.Key(markKey, markKey), ConditionExpression: aws.String("byRun = :run"),
			ExpressionAttributeValues: items.Map{":run": items.Text(by.ID)},
		}})
	}
	_, err := tables[0].Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: deletions})
	canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if ok && slices.ContainsFunc(canceled.CancellationReasons, func(r types.CancellationReason) bool {
		return aws.ToString(r.Code) == "ConditionalCheckFailed"
	}) {
		return ErrTakenOver
	}
	return err
}
