// Package liststest checks tables with lists (see package lists) item by item. It reads the raw items and shares no code with
// what wrote them: a mistake there must not hide itself here.
package liststest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item is a raw item.
type Item = map[string]types.AttributeValue

// Scan returns all items of a table.
func Scan(tb testing.TB, client *dynamodb.Client, table string) []Item {
	tb.Helper()
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: &table, ConsistentRead: aws.Bool(true)})
	var all []Item
	for pages.HasMorePages() {
		page, err := pages.NextPage(tb.Context())
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, page.Items...)
	}
	return all
}

// Text returns a string attribute; empty where there is none.
func Text(item Item, name string) string {
	if text, isText := item[name].(*types.AttributeValueMemberS); isText {
		return text.Value
	}
	return ""
}

// Number returns a number attribute; 0 where there is none.
func Number(item Item, name string) int64 {
	number, isNumber := item[name].(*types.AttributeValueMemberN)
	if !isNumber {
		return 0
	}
	n, err := strconv.ParseInt(number.Value, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Counts is what is wanted or found of the counters of lists, by item and attribute.
type Counts map[string]int64

// Count counts an entry with the number and the position of its label in every node of the tree above it.
func (c Counts) Count(tree string, number int64, label int) {
	span := int64(64 * 32 * 32 * 32) // numbers under one child of the root
	for level := range 4 {
		child := number / span
		digits := ""
		for d := child / 32; len(digits) < level; d /= 32 {
			digits = strconv.FormatInt(d%32, 32) + digits
		}
		c[fmt.Sprintf("rank#%s#%d#%s %s%d", tree, level, digits, strconv.FormatInt(child%32, 32), label)]++
		span /= 32
	}
}

// Read adds what a node of the tree says, other than zero.
func (c Counts) Read(node Item) {
	for name := range node {
		if len(name) != 2 || name[1] > '9' {
			continue
		}
		if n := Number(node, name); n != 0 {
			c[Text(node, "pk")+" "+name] = n
		}
	}
}

// Into adds the counts to what Compare compares.
func (c Counts) Into(facts map[string]string) {
	for name, n := range c {
		facts[name] = strconv.FormatInt(n, 10)
	}
}

// Compare fails the test for every fact that is not found as wanted.
func Compare(tb testing.TB, wanted, found map[string]string) {
	tb.Helper()
	const most = 20
	differences := 0
	all := maps.Clone(wanted)
	maps.Copy(all, found)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if wanted[name] == found[name] {
			continue
		}
		if differences++; differences <= most {
			tb.Errorf("%s is %q, want %q", name, found[name], wanted[name])
		}
	}
	if differences > most {
		tb.Errorf("… and %d more differences", differences-most)
	}
}
