package pullsdynamo

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
	"portside/shared/pulls"
)

// tally has the numbers that a transaction adds, by item and attribute, because DynamoDB allows only
// one write per item in a transaction.
type tally map[itemKey]map[string]int64

type itemKey struct{ pk, sk string }

// totals has the attributes of the day's item that count pulls, by kind.
var totals = map[pulls.Kind]string{pulls.Chart: "charts", pulls.Image: "images"}

func (t tally) add(p pulls.Pull) {
	if p.ByDigest() {
		return
	}
	day := calendar.DayOf(p.At).String()
	artifact := "pulls#" + string(p.Kind) + "#" + p.Repository
	t.count(itemKey{"usage", day}, totals[p.Kind])
	t.count(itemKey{artifact, day}, "pulls")
	t.count(itemKey{artifact + "#" + day, p.Reference}, "pulls")
}

func (t tally) count(key itemKey, attribute string) {
	if t[key] == nil {
		t[key] = map[string]int64{}
	}
	t[key][attribute]++
}

func (t tally) writes(table string) []types.TransactWriteItem {
	all := make([]types.TransactWriteItem, 0, len(t))
	for key, counts := range t {
		expression, values := "", items.Map{}
		for attribute, n := range counts {
			expression += ", " + attribute + " :" + attribute
			values[":"+attribute] = items.Number(n)
		}
		all = append(all, types.TransactWriteItem{Update: &types.Update{
			TableName: &table, Key: items.Key(key.pk, key.sk),
			UpdateExpression: aws.String("ADD " + expression[2:]), ExpressionAttributeValues: values,
		}})
	}
	return all
}
