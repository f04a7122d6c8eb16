package iam

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxCallBytes is DynamoDB's limit for a request.
const maxCallBytes = 16 << 20

// DynamoDB authorizes the calls of a DynamoDB engine.
type DynamoDB struct {
	Authorizer *Authorizer
	TableARN   func(table string) string
	// PartitionKey returns the name of the partition key of a table, or of its index if that is not empty.
	PartitionKey func(table, index string) string
}

// Guard returns a handler that passes permitted calls to next, and answers others as DynamoDB does.
func (d DynamoDB) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := authorize(d.Authorizer, r, func() ([]Request, error) { return d.requests(w, r) })
		if err == nil {
			next.ServeHTTP(w, r)
			return
		}
		kind := "com.amazon.coral.service#UnrecognizedClientException"
		if _, denied := errors.AsType[*Denial](err); denied {
			kind = "com.amazon.coral.service#AccessDeniedException"
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.MarshalWrite(w, map[string]string{"__type": kind, "Message": err.Error()}) // fails if the client is gone
	})
}

// requests returns the requests of a call, and leaves the call's body unread.
func (d DynamoDB) requests(w http.ResponseWriter, r *http.Request) ([]Request, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCallBytes))
	if err != nil {
		return nil, fmt.Errorf("read the call: %w", err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var call dynamoCall
	if err := json.Unmarshal(body, &call); err != nil {
		return nil, fmt.Errorf("decode the call: %w", err)
	}
	return d.requestsOf(operationOf(r), call)
}

type attributes = map[string]map[string]any

// dynamoCall has the members of all operations that name tables and keys. The names of members are case-sensitive and
// occur once, as for the engine. Otherwise a second member tableName could hide the table that the engine uses.
type dynamoCall struct {
	TableName, IndexName      string
	Key, Item                 attributes
	KeyConditionExpression    string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues attributes
	RequestItems              map[string]jsontext.Value
	TransactItems             []map[string]dynamoCall
}

// transactActions are the actions of the members of a transaction whose names differ from the action.
var transactActions = map[string]string{
	"ConditionCheck": "ConditionCheckItem", "Delete": "DeleteItem", "Get": "GetItem", "Put": "PutItem", "Update": "UpdateItem",
}

// requestsOf looks only at the members that the operation has. The engine ignores others, so they
// must not hide the table that the call uses.
func (d DynamoDB) requestsOf(operation string, call dynamoCall) ([]Request, error) {
	switch operation {
	case "BatchGetItem", "BatchWriteItem":
		return d.batch(operation, call.RequestItems)
	case "TransactGetItems", "TransactWriteItems":
		return d.transaction(call.TransactItems)
	}
	return []Request{d.single(operation, call)}, nil
}

func (d DynamoDB) transaction(items []map[string]dynamoCall) (requests []Request, err error) {
	for _, item := range items {
		if len(item) == 0 {
			return nil, errors.New("decode the call: a member of the transaction is empty")
		}
		for member, part := range item {
			requests = append(requests, d.single(transactActions[member], part))
		}
	}
	return requests, nil
}

func (d DynamoDB) single(action string, call dynamoCall) Request {
	name := d.PartitionKey(call.TableName, call.IndexName)
	var keys []string
	for _, key := range []attributes{call.Key, call.Item, call.queried()} {
		keys = appendKey(keys, key[name])
	}
	return d.request(action, call.TableName, call.IndexName, keys)
}

func (d DynamoDB) request(action, table, index string, keys []string) Request {
	resource := d.TableARN(table)
	if strings.HasPrefix(table, "arn:") {
		resource = table
	}
	if index != "" {
		resource += "/index/" + index
	}
	r := Request{Action: "dynamodb:" + action, Resource: resource}
	if len(keys) > 0 {
		r.Context = map[string][]string{"dynamodb:LeadingKeys": keys}
	}
	return r
}

func appendKey(keys []string, value map[string]any) []string {
	for _, text := range value { // an attribute value has one member, such as S
		if s, ok := text.(string); ok && !slices.Contains(keys, s) {
			keys = append(keys, s)
		}
	}
	return keys
}

var equality = regexp.MustCompile(`([#\w]+)\s*=\s*(:\w+)`)

// queried returns the attributes that a Query compares for equality.
func (c dynamoCall) queried() attributes {
	found := attributes{}
	for _, pair := range equality.FindAllStringSubmatch(c.KeyConditionExpression, -1) {
		name := pair[1]
		if full, ok := c.ExpressionAttributeNames[name]; ok {
			name = full
		}
		found[name] = c.ExpressionAttributeValues[pair[2]]
	}
	return found
}

// batchItems is one table's part of a BatchGetItem, or one write of a BatchWriteItem.
type batchItems struct {
	Keys          []attributes
	PutRequest    struct{ Item attributes }
	DeleteRequest struct{ Key attributes }
}

func (d DynamoDB) batch(operation string, tables map[string]jsontext.Value) ([]Request, error) {
	var requests []Request
	for table, source := range tables {
		var parts []batchItems
		var one batchItems
		if err := json.Unmarshal(source, &parts); err != nil {
			if err := json.Unmarshal(source, &one); err != nil {
				return nil, fmt.Errorf("decode a batch: %w", err)
			}
			parts = []batchItems{one}
		}
		var keys []string
		name := d.PartitionKey(table, "")
		for _, part := range parts {
			for _, key := range append(part.Keys, part.PutRequest.Item, part.DeleteRequest.Key) {
				keys = appendKey(keys, key[name])
			}
		}
		requests = append(requests, d.request(operation, table, "", keys))
	}
	return requests, nil
}
