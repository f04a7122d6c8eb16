package faultproxy

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// remembered has the last response to a read, and the last one that was different.
type remembered struct{ last, before *response }

// isEventual reports whether DynamoDB may answer the read from a copy that lacks the last writes. That is so for each
// read of an index, and for other reads that do not ask for consistency.
func isEventual(in *request) bool {
	if !Stale.AppliesTo(in.call) {
		return false
	}
	type consistency struct{ ConsistentRead bool }
	var input struct {
		consistency
		RequestItems map[string]consistency
	}
	if json.Unmarshal(in.body, &input) != nil || input.ConsistentRead {
		return false
	}
	for _, table := range input.RequestItems {
		if table.ConsistentRead {
			return false
		}
	}
	return true
}

// remember keeps the response to a read that may be repeated later.
func (p *Proxy) remember(in *request, out *response) {
	if out.status != http.StatusOK || !isEventual(in) {
		return
	}
	key := in.call.Operation + string(in.body)
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.answers[key]
	if known.last != nil && !bytes.Equal(known.last.body, out.body) {
		known.before = known.last
	}
	known.last = out
	p.answers[key] = known
}

// earlier answers an eventually consistent read with the response to the same read at an earlier time, if there is one:
// the last response that is different, or else the last one.
func (p *Proxy) earlier(in *request) (out *response, done bool, err error) {
	if !isEventual(in) {
		out, err = p.forward(in)
		return out, false, err
	}
	p.mu.Lock()
	known := p.answers[in.call.Operation+string(in.body)]
	p.mu.Unlock()
	now, err := p.forward(in)
	if err != nil || known.last == nil {
		return now, false, err
	}
	for _, old := range []*response{known.last, known.before} {
		if old != nil && !bytes.Equal(old.body, now.body) {
			return old, true, nil
		}
	}
	return now, false, nil
}
