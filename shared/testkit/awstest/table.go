package awstest

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"
)

// Table creates a table with the keys and indexes that template.yaml defines under logicalID, and returns its unique
// name. The table is deleted when the test ends.
func Table(tb testing.TB, client *dynamodb.Client, logicalID string) string {
	tb.Helper()
	resources, err := projectResources()
	if err != nil {
		tb.Fatal(err)
	}
	definition, err := tableIn(resources, logicalID)
	if err != nil {
		tb.Fatal(err)
	}
	name := logicalID + "-" + rand.Text()
	if _, err := client.CreateTable(tb.Context(), definition.input(name)); err != nil {
		tb.Fatalf("awstest: create the table %s: %v", logicalID, err)
	}
	tb.Cleanup(func() {
		ctx := context.WithoutCancel(tb.Context()) // the test's context is canceled by now
		if _, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name}); err != nil {
			tb.Errorf("awstest: delete the table %s: %v", name, err)
		}
	})
	return name
}

type tableDefinition struct {
	AttributeDefinitions []struct {
		AttributeName string `yaml:"AttributeName"`
		AttributeType string `yaml:"AttributeType"`
	} `yaml:"AttributeDefinitions"`
	KeySchema              []keyElement      `yaml:"KeySchema"`
	GlobalSecondaryIndexes []indexDefinition `yaml:"GlobalSecondaryIndexes"`
	LocalSecondaryIndexes  []indexDefinition `yaml:"LocalSecondaryIndexes"`
}

type keyElement struct {
	AttributeName string `yaml:"AttributeName"`
	KeyType       string `yaml:"KeyType"`
}

type indexDefinition struct {
	IndexName  string       `yaml:"IndexName"`
	KeySchema  []keyElement `yaml:"KeySchema"`
	Projection struct {
		ProjectionType   string   `yaml:"ProjectionType"`
		NonKeyAttributes []string `yaml:"NonKeyAttributes"`
	} `yaml:"Projection"`
}

// projectResources are the resources of template.yaml. A test binary reads the file once, because that takes longer
// than the creation of a table.
var projectResources = sync.OnceValues(func() (map[string]yaml.Node, error) {
	root, err := projectRoot()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		return nil, err
	}
	return parseResources(text)
})

// parseResources does not decode the resources, so the short tags (!Ref, !Sub) of those that are no tables need no
// support here.
func parseResources(text []byte) (map[string]yaml.Node, error) {
	var template struct {
		Resources map[string]yaml.Node `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(text, &template); err != nil {
		return nil, fmt.Errorf("awstest: template.yaml: %w", err)
	}
	return template.Resources, nil
}

func tableIn(resources map[string]yaml.Node, logicalID string) (*tableDefinition, error) {
	node, ok := resources[logicalID]
	if !ok {
		return nil, fmt.Errorf("awstest: template.yaml has no resource %s", logicalID)
	}
	var resource struct {
		Type       string          `yaml:"Type"`
		Properties tableDefinition `yaml:"Properties"`
	}
	if err := node.Decode(&resource); err != nil {
		return nil, fmt.Errorf("awstest: template.yaml: %s: %w", logicalID, err)
	}
	if resource.Type != "AWS::DynamoDB::Table" {
		return nil, fmt.Errorf("awstest: template.yaml: %s is a %s, not a table", logicalID, resource.Type)
	}
	return &resource.Properties, nil
}

// input returns the input that creates the table, without streams, recovery and encryption: they make no difference to
// tests, and streams slow the local engine down.
func (d *tableDefinition) input(name string) *dynamodb.CreateTableInput {
	input := &dynamodb.CreateTableInput{
		TableName:   &name,
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   keySchema(d.KeySchema),
	}
	for _, a := range d.AttributeDefinitions {
		input.AttributeDefinitions = append(input.AttributeDefinitions, types.AttributeDefinition{
			AttributeName: aws.String(a.AttributeName), AttributeType: types.ScalarAttributeType(a.AttributeType),
		})
	}
	for _, i := range d.GlobalSecondaryIndexes {
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(i.IndexName), KeySchema: keySchema(i.KeySchema), Projection: i.projection(),
		})
	}
	for _, i := range d.LocalSecondaryIndexes {
		input.LocalSecondaryIndexes = append(input.LocalSecondaryIndexes, types.LocalSecondaryIndex{
			IndexName: aws.String(i.IndexName), KeySchema: keySchema(i.KeySchema), Projection: i.projection(),
		})
	}
	return input
}

func keySchema(elements []keyElement) []types.KeySchemaElement {
	schema := make([]types.KeySchemaElement, 0, len(elements))
	for _, e := range elements {
		schema = append(schema, types.KeySchemaElement{AttributeName: aws.String(e.AttributeName),
			KeyType: types.KeyType(e.KeyType)})
	}
	return schema
}

func (i *indexDefinition) projection() *types.Projection {
	return &types.Projection{
		ProjectionType:   types.ProjectionType(i.Projection.ProjectionType),
		NonKeyAttributes: i.Projection.NonKeyAttributes,
	}
}
