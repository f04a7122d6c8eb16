// Package audit defines the events of the audit log: who changed what, when and from where, with the values before and
// after.
//
// An adapter writes the event in the same transaction as the change, see package auditlog. Two kinds of events have no
// transaction: jobs of the operator on whole tables, and refused requests. The context of a request says who acts, see
// [ActorIn]. An event has no secret: it shows only the fields of a resource that the adapter passes in [Change].
package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Event is one change. Its JSON form is what the table stores, what a seal covers, and what verify-audit compares, so a
// change of this type must not change the form of older events: new fields need omitempty.
type Event struct {
	ID         string    `json:"id"` // begins with the time, so that text order is the order of time; see auditlog
	Time       time.Time `json:"time"`
	Action     Action    `json:"action"`
	Actor      Actor     `json:"actor"`
	Target     Target    `json:"target"`
	CustomerID string    `json:"customerId,omitempty"` // the target's customer; empty if the target belongs to the vendor's staff
	RequestID  string    `json:"requestId,omitempty"`  // the X-Request-Id of the response, or the ID of the invocation
	Before     Fields    `json:"before,omitempty"`     // only the fields that changed; empty for a creation
	After      Fields    `json:"after,omitempty"`      // the changed fields after the change; empty for a deletion
}

// Target is what an event changed.
type Target struct {
	Kind Kind   `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name,omitempty"` // at the time of the event: an email address, a slug, the name of a token
}

// Change is the part of an event that an adapter knows. Before and After are encoded as JSON objects; nil means that
// the target did not exist before, or does not exist afterwards. Both are nil for an event that changes no field.
type Change struct {
	Action        Action
	Target        Target
	CustomerID    string
	Before, After any
}

// Fields are fields of a resource in JSON. A value of more than 1,024 bytes is replaced by its length and its SHA-256.
type Fields map[string]json.RawMessage

// Describe returns the fields that a change made different, before and after it. A field that is absent on one side did
// not exist there.
func (c Change) Describe() (before, after Fields, err error) {
	if before, err = fieldsOf(c.Before); err == nil {
		after, err = fieldsOf(c.After)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("audit %s of %s: %w", c.Action, c.Target.ID, err)
	}
	for name, was := range before {
		if is, found := after[name]; found && bytes.Equal(was, is) {
			delete(before, name)
			delete(after, name)
		}
	}
	shorten(before)
	shorten(after)
	return before, after, nil
}

// maxField is the longest field in an event, in bytes. All events of a day share a partition of the table, and all on a
// page share a response, so changes of long fields must not fill them.
const maxField = 1024

// digest stands for a longer field.
type digest struct {
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// shorten replaces long fields by their length and hash, which prove the value to a person who has it.
func shorten(fields Fields) {
	for name, value := range fields {
		if len(value) > maxField {
			sum := sha256.Sum256(value)
			fields[name], _ = Encode(digest{len(value), hex.EncodeToString(sum[:])}) // a number and a text can be encoded
		}
	}
}

// Encode returns a value in JSON. Unlike json.Marshal, it writes <, > and & as they are, which would otherwise take six
// bytes each.
func Encode(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// fieldsOf returns the fields of a JSON object. Nil has none.
func fieldsOf(form any) (fields Fields, err error) {
	text, err := Encode(form)
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	return fields, err
}
