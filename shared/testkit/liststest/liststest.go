// Package liststest checks the items of tables that package lists maintains. It reads the raw items and shares no code
// with package lists, so that a defect there cannot hide here.
package liststest

import (
	"fmt"
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

// Text returns a string attribute, or "".
func Text(item Item, name string) string {
	if text, isText := item[name].(*types.AttributeValueMemberS); isText {
		return text.Value
	}
	return ""
}

// Number returns a number attribute, or 0.
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

// Counts has expected or actual values of the counters of lists, by item and attribute.
type Counts map[string]int64

// CountState adds an entry with the sequence number and the indexes of its label and state to every tree node above
// the entry.
func (c Counts) CountState(tree string, number int64, label, state int) {
	c.count(tree, number, strconv.Itoa(label))
	if state > 0 {
		c.count(tree, number, string(rune('A'+8*(state-1)+label)))
	}
}

func (c Counts) count(tree string, number int64, column string) {
	child := [3]int64{number / (64 * 128 * 128), number / (64 * 128), number / 64} // in each level
	for level, key := range []string{
		fmt.Sprintf("rank#%s#1#0/root", tree),
		fmt.Sprintf("rank#%s#1#%d/%d", tree, child[1]/128, child[1]/32%4),
		fmt.Sprintf("rank#%s#2#%d/%d", tree, child[2]/128, child[2]/32%4),
	} {
		c[fmt.Sprintf("%s %s%s", key, strconv.FormatInt(child[level]%32, 32), column)]++
	}
}

// Read adds the nonzero counters of a tree node.
func (c Counts) Read(node Item) {
	for name := range node {
		if len(name) != 2 || name[1] > 'Z' {
			continue
		}
		if n := Number(node, name); n != 0 {
			c[Text(node, "pk")+"/"+Text(node, "sk")+" "+name] = n
		}
	}
}

// AddTo adds the counts to the facts about a table, as text.
func (c Counts) AddTo(facts map[string]string) {
	for name, n := range c {
		facts[name] = strconv.FormatInt(n, 10)
	}
}
