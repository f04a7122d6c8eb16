// Package resource has what operations on resources of all kinds have in common: their IDs and makers, versions and the
// conditions on them, and creation that a client can repeat. Its inputs and outputs are for embedding in those of
// operations.
package resource

// Idempotency is the input of an operation that creates a resource, for embedding.
type Idempotency struct {
	IdempotencyKey string `header:"Idempotency-Key" minLength:"1" maxLength:"255" pattern:"^[ -~]*[!-~][ -~]*$" patternDescription:"printable ASCII, not only spaces" doc:"Any text of 1 to 255 printable ASCII characters, not only spaces, that you have not used for another resource." example:"c0ffee-2026-03-02-ada"`
}

// SecretIdempotency is Idempotency for an operation whose response contains a new secret. The key encrypts the secret
// until it expires, so it must be random.
type SecretIdempotency struct {
	IdempotencyKey string `header:"Idempotency-Key" pattern:"^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$" patternDescription:"a random UUID (version 4)" doc:"A new random UUID (version 4), such as uuidgen prints, and no other text, because the response has a secret. It encrypts the secret that a repeated request gets again, so keep it to yourself." example:"6f0c3b52-9d1e-4c57-8a3f-2b7e5d90c614"`
}

// CanonicalKey returns the key in lower case, so that every spelling of a UUID is the same key. It is empty if the
// client sent none.
func (i SecretIdempotency) CanonicalKey() string { return CanonicalID(i.IdempotencyKey) }

// Creation is the output of an operation that creates a resource, for embedding.
type Creation struct {
	Location string `header:"Location" doc:"Path of the resource."`
	Replayed string `header:"Idempotency-Replayed" enum:"true" doc:"Present only if an earlier request with this Idempotency-Key created the resource."`
}

// CreatedAt returns the headers for a resource at a path. replayed means that an earlier request created it.
func CreatedAt(path string, replayed bool) Creation {
	if replayed {
		return Creation{Location: path, Replayed: "true"}
	}
	return Creation{Location: path}
}
