package client

import (
	"encoding/json"
	"time"
)

// MarshalJSON encodes a zero From or Until as null, which removes it: the service refuses the year 1.
func (b UpdateEntitlementJSONBody) MarshalJSON() ([]byte, error) {
	type body UpdateEntitlementJSONBody
	encoded := struct {
		body

		From  *nullableTime `json:"from,omitempty"`
		Until *nullableTime `json:"until,omitempty"`
	}{body(b), (*nullableTime)(b.From), (*nullableTime)(b.Until)}
	return json.Marshal(encoded)
}

// nullableTime is a time of which the zero value encodes as null.
type nullableTime time.Time

func (t nullableTime) MarshalJSON() ([]byte, error) {
	if time.Time(t).IsZero() {
		return []byte("null"), nil
	}
	return time.Time(t).MarshalJSON()
}
