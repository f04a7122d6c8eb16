package client

import "encoding/json"

// MarshalJSON encodes a limit of 0 as null, which means no limit: the service refuses 0.
func (l CustomerLimitsInput) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		RequestsPerMinute *nullableLimit `json:"requestsPerMinute,omitempty"`
		Users             *nullableLimit `json:"users,omitempty"`
	}{(*nullableLimit)(l.RequestsPerMinute), (*nullableLimit)(l.Users)})
}

// nullableLimit is a number of which zero encodes as null.
type nullableLimit int64

func (n nullableLimit) MarshalJSON() ([]byte, error) {
	if n == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(int64(n))
}
