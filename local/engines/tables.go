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

// CreateTables makes the tables that are not there. A table that is there stays as it is; when its
// keys or indexes are not those of the template, that is an error, and the later tables are not made.
//
// Expiry is not set: dynoxide never deletes by it, and the functions check it on every read, as they
// must in the cloud, where deletion comes late.
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
	if _, none := errors.AsType[*types.ResourceNotFoundException](err); none {
		_, err = client.CreateTable(ctx, createInput(table))
		if _, faster := errors.AsType[*types.ResourceInUseException](err); err != nil && !faster {
			return err
		}
		found, err = client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(table.Name)})
	}
	if err != nil {
		return err
	}
	if difference := compare(wanted(table), existing(found.Table)); difference != "" {
		return fmt.Errorf("the data has %s: move the data folder (DATA) away or delete it, "+
			"and the table will be made anew", difference)
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
