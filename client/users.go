package client

import "encoding/json"

// MarshalJSON encodes an empty CustomerID as null, which makes the user one of the vendor's staff: the service refuses
// an empty text.
func (b UpdateUserJSONBody) MarshalJSON() ([]byte, error) {
	type body UpdateUserJSONBody
	if b.CustomerID == nil || *b.CustomerID != "" {
		return json.Marshal(body(b))
	}
	return json.Marshal(struct {
		body

		CustomerID *string `json:"customerId"`
	}{body: body(b)})
}
