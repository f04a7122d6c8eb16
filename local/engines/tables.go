package engines

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/local/template"
)

// CreateTables creates the tables that do not exist yet. It never changes a table: if the keys or
// indexes of a table differ from the template, or an external table is missing, it returns an error
// and creates no further tables.
//
// It does not enable TTL: dynoxide never deletes expired items, and the functions check the expiry
// on every read anyway, because DynamoDB deletes late.
func CreateTables(ctx context.Context, endpoint string, tables []template.Table) error {
	client := dynamodb.New(dynamodb.Options{
		Region: Region, BaseEndpoint: aws.String(endpoint),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	for _, table := range tables {
		if err := ensureTable(ctx, client, table); err != nil {
			return fmt.Errorf("table %s: %w", table.Name, err)
		}
	}
	return nil
}

func ensureTable(ctx context.Context, client *dynamodb.Client, table template.Table) error {
	found, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(table.Name)})
	if _, missing := errors.AsType[*types.ResourceNotFoundException](err); missing {
		if table.External {
			return errors.New("it does not exist, and its Condition in template.yaml is false, so the stack does not create it: " +
				"restore it, or correct the parameters of the stack")
		}
		_, err = client.CreateTable(ctx, createInput(table))
		if _, exists := errors.AsType[*types.ResourceInUseException](err); err != nil && !exists {
			return err
		}
		found, err = client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(table.Name)})
	}
	if err != nil {
		return err
	}
	if difference := firstDifference(definitionOf(table), existingDefinition(found.Table)); difference != "" {
		return fmt.Errorf("the data has %s: move or delete the data folder (DATA) "+
			"to create the table again", difference)
	}
	return nil
}

func createInput(t template.Table) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName: aws.String(t.Name), KeySchema: keySchema(t.Keys), BillingMode: types.BillingModePayPerRequest,
	}
	for _, a := range t.Attributes {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{
			AttributeName: aws.String(a.Name), AttributeType: types.ScalarAttributeType(a.Type),
		})
	}
	for _, i := range t.Global {
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(i.Name), KeySchema: keySchema(i.Keys), Projection: projection(i),
		})
	}
	for _, i := range t.Local {
		in.LocalSecondaryIndexes = append(in.LocalSecondaryIndexes, types.LocalSecondaryIndex{
			IndexName: aws.String(i.Name), KeySchema: keySchema(i.Keys), Projection: projection(i),
		})
	}
	return in
}

func keySchema(keys []template.Key) []types.KeySchemaElement {
	var schema []types.KeySchemaElement
	for _, k := range keys {
		schema = append(schema, types.KeySchemaElement{AttributeName: aws.String(k.Name), KeyType: types.KeyType(k.Type)})
	}
	return schema
}

func projection(i template.Index) *types.Projection {
	p := &types.Projection{ProjectionType: types.ProjectionType(i.Projection)}
	if i.Projection == "INCLUDE" {
		p.NonKeyAttributes = i.NonKey
	}
	return p
}
