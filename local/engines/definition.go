package engines

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/local/template"
)

// definition describes, for error messages, the parts of a table that cannot change while it has
// data: the key under "" and each index under its name.
type definition map[string]string

func definitionOf(t template.Table) definition {
	attributes := map[string]string{}
	for _, a := range t.Attributes {
		attributes[a.Name] = a.Type
	}
	d := definition{"": describeKeys(t.Keys, attributes)}
	for _, i := range t.Global {
		d[i.Name] = "global " + describeIndex(i, attributes)
	}
	for _, i := range t.Local {
		d[i.Name] = "local " + describeIndex(i, attributes)
	}
	return d
}

func existingDefinition(t *types.TableDescription) definition {
	table := template.Table{Keys: templateKeys(t.KeySchema)}
	for _, a := range t.AttributeDefinitions {
		table.Attributes = append(table.Attributes, template.Attribute{Name: *a.AttributeName, Type: string(a.AttributeType)})
	}
	for _, i := range t.GlobalSecondaryIndexes {
		table.Global = append(table.Global, templateIndex(i.IndexName, i.KeySchema, i.Projection))
	}
	for _, i := range t.LocalSecondaryIndexes {
		table.Local = append(table.Local, templateIndex(i.IndexName, i.KeySchema, i.Projection))
	}
	return definitionOf(table)
}

func templateKeys(schema []types.KeySchemaElement) []template.Key {
	var keys []template.Key
	for _, k := range schema {
		keys = append(keys, template.Key{Name: *k.AttributeName, Type: string(k.KeyType)})
	}
	return keys
}

func templateIndex(name *string, schema []types.KeySchemaElement, p *types.Projection) template.Index {
	i := template.Index{Name: aws.ToString(name), Keys: templateKeys(schema)}
	if p != nil {
		i.Projection, i.NonKey = string(p.ProjectionType), p.NonKeyAttributes
	}
	return i
}

func describeKeys(keys []template.Key, attributes map[string]string) string {
	var parts []string
	for _, k := range keys {
		parts = append(parts, fmt.Sprintf("%s %s %s", k.Name, attributes[k.Name], k.Type))
	}
	return strings.Join(parts, ", ")
}

func describeIndex(i template.Index, attributes map[string]string) string {
	projected := i.Projection
	if projected == "INCLUDE" {
		projected += " " + strings.Join(slices.Sorted(slices.Values(i.NonKey)), " ")
	}
	return fmt.Sprintf("%s projecting %s", describeKeys(i.Keys, attributes), projected)
}

// firstDifference describes the first difference, or returns "".
func firstDifference(want, have definition) string {
	names := slices.Sorted(maps.Keys(want))
	names = append(names, slices.Sorted(maps.Keys(have))...)
	for _, name := range names {
		w, h := want[name], have[name]
		switch {
		case w == h:
		case name == "":
			return fmt.Sprintf("the key (%s), template.yaml has (%s)", h, w)
		case w == "":
			return fmt.Sprintf("an index %s that template.yaml does not have", name)
		case h == "":
			return fmt.Sprintf("no index %s, which template.yaml has", name)
		default:
			return fmt.Sprintf("the index %s (%s), template.yaml has (%s)", name, h, w)
		}
	}
	return ""
}
