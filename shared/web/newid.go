package web

import "github.com/google/uuid"

// NewID returns an ID for a new resource, a UUIDv7. Its order is the order of creation.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
