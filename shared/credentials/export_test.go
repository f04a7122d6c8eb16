package credentials

// CustomerRequests is customerRequests for tests.
func CustomerRequests(used, limit int) int { return customerRequests(used, limit) }

// WithID returns a well-formed secret with the public ID of another one.
func WithID(s Secret, id string) Secret {
	body := string(s.kind) + "_" + id + s.text[4+idLength:textLength-sumLength]
	return Secret{kind: s.kind, id: id, text: body + checksum(body)}
}

// NextStep is purse.nextStep for tests.
func NextStep(taken, owner, customer int) int { return purse{taken: taken}.nextStep(owner, customer) }
