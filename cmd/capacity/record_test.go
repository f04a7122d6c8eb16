package main

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// recorder notes the tables, keys and units of the calls of a client.
type recorder struct {
	mu    sync.Mutex
	names map[string]string // of the tables, by their names in the engine
	calls int
	found map[[2]string]*access // by table and key
}

// recording returns a client whose calls the recorder notes.
func (r *recorder) recording(client *dynamodb.Client) *dynamodb.Client {
	return dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
			return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("record", r.handle), middleware.Before)
		})
	})
}

func (r *recorder) handle(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	middleware.InitializeOutput, middleware.Metadata, error,
) {
	const indexes = types.ReturnConsumedCapacityIndexes
	var keys []tableKey
	switch input := in.Parameters.(type) {
	case *dynamodb.PutItemInput:
		input.ReturnConsumedCapacity, keys = indexes, []tableKey{{*input.TableName, input.Item}}
	case *dynamodb.UpdateItemInput:
		input.ReturnConsumedCapacity, keys = indexes, []tableKey{{*input.TableName, input.Key}}
	case *dynamodb.DeleteItemInput:
		input.ReturnConsumedCapacity, keys = indexes, []tableKey{{*input.TableName, input.Key}}
	case *dynamodb.GetItemInput:
		input.ReturnConsumedCapacity, keys = indexes, []tableKey{{*input.TableName, input.Key}}
	case *dynamodb.QueryInput:
		input.ReturnConsumedCapacity, keys = indexes, []tableKey{{*input.TableName, queried(input)}}
	case *dynamodb.BatchGetItemInput:
		input.ReturnConsumedCapacity = indexes
		for table, wanted := range input.RequestItems {
			for _, key := range wanted.Keys {
				keys = append(keys, tableKey{table, key})
			}
		}
	case *dynamodb.TransactWriteItemsInput:
		input.ReturnConsumedCapacity, keys = indexes, transactionKeys(input.TransactItems)
	case *dynamodb.TransactGetItemsInput:
		input.ReturnConsumedCapacity = indexes
		for _, item := range input.TransactItems {
			keys = append(keys, tableKey{*item.Get.TableName, item.Get.Key})
		}
	}
	out, metadata, err := next.HandleInitialize(ctx, in)
	r.note(awsmiddleware.GetOperationName(ctx), keys, capacities(out.Result))
	return out, metadata, err
}

type tableKey struct {
	table string
	item  map[string]types.AttributeValue
}

func transactionKeys(all []types.TransactWriteItem) []tableKey {
	keys := make([]tableKey, 0, len(all))
	for _, item := range all {
		switch {
		case item.Put != nil:
			keys = append(keys, tableKey{*item.Put.TableName, item.Put.Item})
		case item.Update != nil:
			keys = append(keys, tableKey{*item.Update.TableName, item.Update.Key})
		case item.Delete != nil:
			keys = append(keys, tableKey{*item.Delete.TableName, item.Delete.Key})
		case item.ConditionCheck != nil:
			keys = append(keys, tableKey{*item.ConditionCheck.TableName, item.ConditionCheck.Key})
		}
	}
	return keys
}

// queried returns the partition of a query: the value that its condition compares with first.
func queried(input *dynamodb.QueryInput) map[string]types.AttributeValue {
	_, after, _ := strings.Cut(*input.KeyConditionExpression, "= ")
	name, _, _ := strings.Cut(after, " ")
	return map[string]types.AttributeValue{"pk": input.ExpressionAttributeValues[name]}
}

// capacities returns the consumed capacity in an operation's output.
func capacities(output any) []types.ConsumedCapacity {
	one := func(c *types.ConsumedCapacity) []types.ConsumedCapacity {
		if c == nil {
			return nil
		}
		return []types.ConsumedCapacity{*c}
	}
	switch out := output.(type) {
	case *dynamodb.PutItemOutput:
		return one(out.ConsumedCapacity)
	case *dynamodb.UpdateItemOutput:
		return one(out.ConsumedCapacity)
	case *dynamodb.DeleteItemOutput:
		return one(out.ConsumedCapacity)
	case *dynamodb.GetItemOutput:
		return one(out.ConsumedCapacity)
	case *dynamodb.QueryOutput:
		return one(out.ConsumedCapacity)
	case *dynamodb.BatchGetItemOutput:
		return out.ConsumedCapacity
	case *dynamodb.TransactWriteItemsOutput:
		return out.ConsumedCapacity
	case *dynamodb.TransactGetItemsOutput:
		return out.ConsumedCapacity
	}
	return nil
}

// note spreads the units of each table evenly over the keys of the call, because the engine reports only their sum.
func (r *recorder) note(operation string, keys []tableKey, consumed []types.ConsumedCapacity) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	isRead := operation == "Query" || strings.Contains(operation, "Get")
	for _, capacity := range consumed {
		var mine []tableKey
		for _, k := range keys {
			if k.table == aws.ToString(capacity.TableName) {
				mine = append(mine, k)
			}
		}
		for _, k := range mine {
			table, parts := r.names[k.table], float64(len(mine))
			r.addUnits(table, partitionText(k.item["pk"]), aws.ToFloat64(tableUnits(capacity))/parts, isRead)
			for index, units := range capacity.GlobalSecondaryIndexes {
				key := indexKey(index, k.item)
				r.addUnits(table+"."+index, key, aws.ToFloat64(units.CapacityUnits)/parts, isRead)
			}
		}
	}
}

func tableUnits(c types.ConsumedCapacity) *float64 {
	if c.Table != nil {
		return c.Table.CapacityUnits
	}
	return c.CapacityUnits
}

// partitionText returns a partition key without the part of a day of the audit log, which the simulation draws.
func partitionText(value types.AttributeValue) string {
	key := keyText(value)
	if strings.HasPrefix(key, auditDay+"#") {
		return key[:strings.LastIndexByte(key, '#')]
	}
	return key
}

// indexKey returns the key of an item in an index. The log of pulls has indexes with shards, which the simulation
// draws, too.
func indexKey(index string, item map[string]types.AttributeValue) string {
	for _, attribute := range []string{"ownerShard", "repositoryShard", "actor", "customer", "target"} {
		if value := keyText(item[attribute]); value != "" &&
			strings.EqualFold("by"+strings.TrimSuffix(attribute, "Shard"), index) {
			return attribute + "#" + value
		}
	}
	return index + "#" + keyText(item["pk"])
}

func keyText(value types.AttributeValue) string {
	text, ok := value.(*types.AttributeValueMemberS)
	if !ok {
		return ""
	}
	return text.Value
}

func (r *recorder) addUnits(table, key string, units float64, isRead bool) {
	if units == 0 {
		return
	}
	found := r.found[[2]string{table, key}]
	if found == nil {
		found = &access{Table: table, Key: key}
		r.found[[2]string{table, key}] = found
	}
	if isRead {
		found.Read += units
	} else {
		found.Write += units
	}
}

// classOf returns what the keys of many objects have in common: their first part, or nothing.
func classOf(key string) string {
	class, _, hasParts := strings.Cut(key, "#")
	if !hasParts {
		return "item"
	}
	return class
}

// profileOf merges the accesses of several runs of an operation on different objects, to the average of a run. A key
// that all runs share keeps its name; another key is named after its first part.
func profileOf(operation string, runs []*recorder) profile {
	n := float64(len(runs))
	merged, calls := map[[2]string]*access{}, 0
	for _, r := range runs {
		calls += r.calls
		for id, a := range r.found {
			isShared := !slices.ContainsFunc(runs, func(other *recorder) bool { return other.found[id] == nil })
			if !isShared {
				id[1] = classOf(id[1])
			}
			if merged[id] == nil {
				merged[id] = &access{Table: id[0], Key: id[1], Shared: isShared}
			}
			merged[id].Read += a.Read / n
			merged[id].Write += a.Write / n
		}
	}
	p := profile{Operation: operation, Calls: calls / len(runs)}
	for _, id := range slices.SortedFunc(maps.Keys(merged), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		a := *merged[id]
		a.Read, a.Write = math.Round(a.Read*100)/100, math.Round(a.Write*100)/100
		p.Accesses = append(p.Accesses, a)
	}
	return p
}
