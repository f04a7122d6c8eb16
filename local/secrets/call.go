package secrets

import "github.com/go-json-experiment/json"

// call decodes an operation's input and calls it under the store's lock. The names of
// members are case-sensitive and occur once, as for the authorizer of the stack.
func call[In, Out any](s *Store, operation func(In) (Out, error)) func([]byte) (any, error) {
	return func(body []byte) (any, error) {
		var in In
		if err := json.Unmarshal(body, &in); err != nil {
			return nil, refuse("SerializationException", "the request is not valid JSON for this operation")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		return operation(in)
	}
}
