package faults

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// copyOf returns the input for a table like another one.
func copyOf(layout *dynamodb.DescribeTableOutput, name string) *dynamodb.CreateTableInput {
	input := &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		KeySchema: layout.Table.KeySchema, AttributeDefinitions: layout.Table.AttributeDefinitions,
	}
	for _, index := range layout.Table.GlobalSecondaryIndexes {
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: index.IndexName, KeySchema: index.KeySchema, Projection: index.Projection,
		})
	}
	for _, index := range layout.Table.LocalSecondaryIndexes {
		input.LocalSecondaryIndexes = append(input.LocalSecondaryIndexes, types.LocalSecondaryIndex{
			IndexName: index.IndexName, KeySchema: index.KeySchema, Projection: index.Projection,
		})
	}
	return input
}
