package faultproxy

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

const (
	throttled  = "The level of configured provisioned throughput for the table was exceeded. Retry the request after a delay."
	rateIsHigh = "Rate exceeded"
	ongoing    = "Transaction is ongoing for the item"
)

// conflicts reports whether a transaction at the same time can make DynamoDB refuse the operation.
func conflicts(operation string) bool {
	return isTransaction(operation) || slices.Contains([]string{"PutItem", "UpdateItem", "DeleteItem"}, operation)
}

func isTransaction(operation string) bool { return strings.HasPrefix(operation, "Transact") }

// refusal returns the response to a request that the service refuses, or nil if the service never refuses such a
// request that way.
func refusal(fault Fault, in *request) *response {
	switch fault {
	case Overload:
		return &response{status: http.StatusServiceUnavailable, header: http.Header{}, body: []byte("injected")}
	case Throttle:
		return throttle(in)
	}
	return conflict(in)
}

// throttle returns what each service answers to too many requests. DynamoDB has an error for a partition and one for
// the account; it gives the latter for transactions here.
func throttle(in *request) *response {
	switch in.call.Service {
	case DynamoDB:
		if isTransaction(in.call.Operation) {
			return dynamoError("com.amazon.coral.availability#ThrottlingException", map[string]any{"message": rateIsHigh})
		}
		return dynamoError("com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
			map[string]any{"message": throttled})
	case S3:
		return s3Error(http.StatusServiceUnavailable, "SlowDown", "Please reduce your request rate.")
	case SES:
		out := jsonError(http.StatusTooManyRequests, map[string]any{"message": "Maximum sending rate exceeded."})
		out.header.Set("X-Amzn-ErrorType", "TooManyRequestsException")
		return out
	case SecretsManager:
		return jsonError(http.StatusBadRequest, map[string]any{"__type": "ThrottlingException", "message": rateIsHigh})
	}
	out := jsonError(http.StatusTooManyRequests, map[string]any{"__type": "ThrottlingException", "message": rateIsHigh})
	out.header.Set("X-Amzn-ErrorType", "ThrottlingException")
	return out
}

// conflict returns what the service answers to a write that meets another one. In a transaction, the last item is in
// conflict.
func conflict(in *request) *response {
	const dynamo = "com.amazonaws.dynamodb.v20120810#"
	switch {
	case in.call.Service == S3:
		if in.raw.Header.Get("If-Match") == "" && in.raw.Header.Get("If-None-Match") == "" {
			return nil
		}
		return s3Error(http.StatusConflict, "ConditionalRequestConflict",
			"The conditional request cannot succeed due to a conflicting operation against this resource.")
	case !isTransaction(in.call.Operation):
		return dynamoError(dynamo+"TransactionConflictException", map[string]any{"message": ongoing})
	}
	var input struct{ TransactItems []json.RawMessage }
	if json.Unmarshal(in.body, &input) != nil || len(input.TransactItems) == 0 {
		return nil
	}
	codes := slices.Repeat([]string{"None"}, len(input.TransactItems)-1)
	reasons := make([]map[string]string, 0, len(input.TransactItems))
	for _, code := range codes {
		reasons = append(reasons, map[string]string{"Code": code})
	}
	codes = append(codes, "TransactionConflict")
	reasons = append(reasons, map[string]string{"Code": "TransactionConflict", "Message": ongoing})
	return dynamoError(dynamo+"TransactionCanceledException", map[string]any{
		"CancellationReasons": reasons,
		"Message": "Transaction cancelled, please refer cancellation reasons for specific reasons [" +
			strings.Join(codes, ", ") + "]",
	})
}

func dynamoError(kind string, fields map[string]any) *response {
	fields["__type"] = kind
	out := jsonError(http.StatusBadRequest, fields)
	out.header.Set("Content-Type", "application/x-amz-json-1.0")
	return out.replace(out.body)
}

func jsonError(status int, fields map[string]any) *response {
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err) // maps of texts always have a JSON form
	}
	return &response{status: status, body: body, header: http.Header{
		"Content-Type": {"application/x-amz-json-1.1"}, "Content-Length": {strconv.Itoa(len(body))}, "X-Amzn-Requestid": {"INJECTED"},
	}}
}

func s3Error(status int, code, message string) *response {
	body := `<?xml version="1.0" encoding="UTF-8"?>` + "\n<Error><Code>" + code + "</Code><Message>" + message +
		"</Message><RequestId>INJECTED</RequestId><HostId>INJECTED</HostId></Error>"
	return &response{status: status, body: []byte(body), header: http.Header{"Content-Type": {"application/xml"}}}
}
