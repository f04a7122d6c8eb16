package pullsdynamo

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
	"portside/shared/pulls"
)

// tally has the counts that a transaction adds, by item, because DynamoDB allows one write per item in a
// transaction.
type tally map[itemKey]*counts

type itemKey struct{ pk, sk string }

// counts are the numbers to add to an item.
type counts struct {
	ranking string           // the ranking that the item is in, or empty
	added   map[string]int64 // by attribute
}

// totals has the attribute of the day's item for each kind.
var totals = map[pulls.Kind]string{pulls.Chart: "charts", pulls.Image: "images"}

func (t tally) add(p pulls.Pull) {
	if p.ByDigest() {
		return
	}
	day := calendar.DayOf(p.At).String()
	artifact := "pulls#" + string(p.Kind) + "#" + p.Repository
	t.count(itemKey{"usage", day}, "", totals[p.Kind])
	t.count(itemKey{artifact + "#" + day, p.Reference}, "", "pulls")
	for _, span := range []string{day, day[:len("2006-01")], day[:len("2006")]} {
		t.count(itemKey{artifact, span}, "artifact#"+span, "pulls")
		t.count(itemKey{"pulls#person#" + p.OwnerID, span}, "person#"+span, "pulls")
	}
}

func (t tally) count(key itemKey, ranking, attribute string) {
	if t[key] == nil {
		t[key] = &counts{ranking: ranking, added: map[string]int64{}}
	}
	t[key].added[attribute]++
}

func (t tally) writes(table string) []types.TransactWriteItem {
	all := make([]types.TransactWriteItem, 0, len(t))
	for key, c := range t {
		expression, values := c.update()
		all = append(all, types.TransactWriteItem{Update: &types.Update{
			TableName: &table, Key: items.Key(key.pk, key.sk),
			UpdateExpression: aws.String(expression), ExpressionAttributeValues: values,
		}})
	}
	return all
}

// update returns the expression that adds the counts, and its values.
func (c *counts) update() (string, items.Map) {
	add, values := "", items.Map{}
	for attribute, n := range c.added {
		add += ", " + attribute + " :" + attribute
		values[":"+attribute] = items.Number(n)
	}
	if c.ranking == "" {
		return "ADD " + add[2:], values
	}
	values[":ranking"] = items.Text(c.ranking)
	return "ADD " + add[2:] + " SET ranking = :ranking", values
}
