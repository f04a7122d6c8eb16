package resource

import "github.com/google/uuid"

// NewID returns an ID for a new resource, a UUIDv7. Its order is the order of creation.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// CanonicalID returns a UUID in the spelling that is stored, whichever valid spelling the request has. It returns any
// other text unchanged.
func CanonicalID(id string) string {
	if parsed, err := uuid.Parse(id); err == nil {
		return parsed.String()
	}
	return id
}
