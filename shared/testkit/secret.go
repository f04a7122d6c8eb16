package testkit

import "context"

// Secret is a secret of the stack that a test knows. An empty one has no value.
type Secret string

// Get returns the secret.
func (s Secret) Get(context.Context) (string, error) { return string(s), nil }
