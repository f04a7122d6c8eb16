package faultproxy

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// object is a JSON object whose members stay as they are, except those that a fault changes.
type object map[string]json.RawMessage

// page serves a query or a scan in pages that DynamoDB may return: the first one has a single item, or none if the
// filter drops it. Each of the next pages is empty once and continues where it began, then it is complete.
func (p *Proxy) page(in *request) (out *response, done bool, err error) {
	var input object
	if err := json.Unmarshal(in.body, &input); err != nil {
		return nil, false, fmt.Errorf("the input of %s: %w", in.call.Operation, err)
	}
	start := input["ExclusiveStartKey"]
	if len(start) == 0 || string(start) == "null" {
		done = string(input["Limit"]) != "1"
		input["Limit"] = json.RawMessage("1")
		return p.changed(in, input, done)
	}
	if !p.turn(string(in.body)) {
		out, err = p.forward(in)
		return out, false, err
	}
	empty := object{"LastEvaluatedKey": start, "Count": json.RawMessage("0"), "ScannedCount": json.RawMessage("0")}
	if string(input["Select"]) != `"COUNT"` {
		empty["Items"] = json.RawMessage("[]")
	}
	body, err := json.Marshal(empty)
	header := http.Header{"Content-Type": {"application/x-amz-json-1.0"}}
	return (&response{status: http.StatusOK, header: header}).replace(body), true, err
}

// turn returns true for every other use of an input, beginning with the first.
func (p *Proxy) turn(input string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hasEmpty[input] = !p.hasEmpty[input]
	return p.hasEmpty[input]
}

// changed forwards the request with another input.
func (p *Proxy) changed(in *request, input object, done bool) (*response, bool, error) {
	body, err := json.Marshal(input)
	if err != nil {
		return nil, false, err
	}
	out, err := p.forward(in.with(body))
	return out, done, err
}

// part serves the first half of a batch. A batch of one is served as a whole: DynamoDB refuses a batch of which it can
// serve nothing.
func (p *Proxy) part(in *request) (out *response, done bool, err error) {
	var input object
	if err := json.Unmarshal(in.body, &input); err != nil {
		return nil, false, fmt.Errorf("the input of %s: %w", in.call.Operation, err)
	}
	served, rest, err := split(in.call.Operation, input["RequestItems"])
	if err != nil || rest == nil {
		out, forwardErr := p.forward(in)
		return out, false, forwardErr
	}
	input["RequestItems"] = served
	out, _, err = p.changed(in, input, true)
	if err != nil || out.status != http.StatusOK {
		return out, err == nil, err
	}
	var output object
	if err := json.Unmarshal(out.body, &output); err != nil {
		return nil, false, fmt.Errorf("the output of %s: %w", in.call.Operation, err)
	}
	output[unprocessed(in.call.Operation)] = rest
	body, err := json.Marshal(output)
	return out.replace(body), true, err
}

func unprocessed(operation string) string {
	if operation == batchGet {
		return "UnprocessedKeys"
	}
	return "UnprocessedItems"
}

// split divides the entries of a batch into the first half and the rest, in the order of the tables' names. The rest is
// nil if the batch has one entry.
func split(operation string, items json.RawMessage) (first, rest json.RawMessage, err error) {
	tables := map[string]json.RawMessage{}
	if err := json.Unmarshal(items, &tables); err != nil {
		return nil, nil, err
	}
	total := 0
	for _, table := range tables {
		entries, _, err := entriesOf(operation, table)
		if err != nil {
			return nil, nil, err
		}
		total += len(entries)
	}
	if total < 2 {
		return items, nil, nil
	}
	served, left, room := map[string]json.RawMessage{}, map[string]json.RawMessage{}, (total+1)/2
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		entries, with, err := entriesOf(operation, tables[name])
		if err != nil {
			return nil, nil, err
		}
		n := min(room, len(entries))
		room -= n
		if n > 0 {
			served[name] = with(entries[:n])
		}
		if n < len(entries) {
			left[name] = with(entries[n:])
		}
	}
	return encode(served), encode(left), nil
}

// entriesOf returns the entries of a batch for a table, and a function that returns the same request with other
// entries.
func entriesOf(operation string, table json.RawMessage) (
	entries []json.RawMessage, with func([]json.RawMessage) json.RawMessage, err error,
) {
	if operation == batchWrite {
		err = json.Unmarshal(table, &entries)
		return entries, func(e []json.RawMessage) json.RawMessage { return encode(e) }, err
	}
	var settings object
	if err := json.Unmarshal(table, &settings); err != nil {
		return nil, nil, err
	}
	err = json.Unmarshal(settings["Keys"], &entries)
	return entries, func(e []json.RawMessage) json.RawMessage {
		other := maps.Clone(settings)
		other["Keys"] = encode(e)
		return encode(other)
	}, err
}

// encode returns the JSON of values that came from JSON.
func encode(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // values from JSON have a JSON form
	}
	return text
}
