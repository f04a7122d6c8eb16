package credentials

// Found are credentials that a store has read, sorted by ID.
type Found struct {
	Credentials []Credential
	Damaged     []error // one for each record that cannot be decoded
	Next        string  // ID to continue after, or "" at the end
}
