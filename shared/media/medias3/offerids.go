package medias3

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"portside/shared/core/idempotency"
)

// offerRecord is what an idempotency key refers to.
type offerRecord struct {
	ID          uuid.UUID `json:"id"`          // of the offer
	Fingerprint []byte    `json:"fingerprint"` // of the request
}

// offerID returns the ID of the offer that the idempotency key refers to, or a new ID. A key refers to its offer until
// the offer expires. The record is stored before the offer takes a form, so that a repeated request takes the same form
// if the first one was interrupted. A request that the quotas refuse stores none, because the lifetime of its offer
// would begin long before the client gets it. If another request takes the last form after the check, forgetOffer
// removes the record. Errors: ErrTooManyForms, ErrTooManyUploads, idempotency.ErrReused, idempotency.ErrExpired.
func (s *Store) offerID(ctx context.Context, owner string, maxBytes int64, once *idempotency.Key) (id uuid.UUID, replayed bool, err error) {
	created := offerRecord{ID: newOfferID(maxBytes, s.now())}
	if once == nil {
		return created.ID, false, nil
	}
	created.Fingerprint = once.Fingerprint
	key := offers + owner + "/" + once.Hash()
	found, version, err := s.offerRecord(ctx, key)
	if err != nil {
		return uuid.Nil, false, err
	}
	if !s.isOpen(found.ID) {
		if err := s.checkForms(ctx, owner); err != nil {
			return uuid.Nil, false, err
		}
		if err = s.saveOfferRecord(ctx, key, version, created); !errors.Is(err, errStale) {
			return created.ID, false, err
		}
		if found, _, err = s.offerRecord(ctx, key); err != nil { // another request with the same key stored its record first
			return uuid.Nil, false, err
		}
		if !s.isOpen(found.ID) { // the lifecycle of the bucket has deleted the expired record instead
			return uuid.Nil, false, idempotency.ErrExpired
		}
	}
	if !bytes.Equal(found.Fingerprint, once.Fingerprint) {
		return uuid.Nil, false, idempotency.ErrReused
	}
	isOurs := found.ID == created.ID // the SDK has repeated our own write, because its response was lost
	return found.ID, !isOurs, nil
}

// forgetOffer lets the next request with an idempotency key begin a new offer, because its offer got no form. If that
// fails, the next request gets an offer that expires earlier.
func (s *Store) forgetOffer(ctx context.Context, key string, id uuid.UUID) {
	found, version, err := s.offerRecord(ctx, key)
	if err == nil && found.ID == id {
		_ = s.saveOfferRecord(ctx, key, version, offerRecord{})
	}
}

// offerRecord returns the record of an idempotency key and its version, both empty if none exists.
func (s *Store) offerRecord(ctx context.Context, key string) (record offerRecord, version string, err error) {
	out, err := s.getExpired(ctx, key) // the next record replaces an expired one
	if errors.Is(err, errMissing) {
		return offerRecord{}, "", nil
	}
	if err != nil {
		return offerRecord{}, "", err
	}
	stored, err := decodeObject(out, &record)
	return record, stored.version, err
}

// saveOfferRecord replaces the version of a record. Errors: errStale.
func (s *Store) saveOfferRecord(ctx context.Context, key, version string, record offerRecord) error {
	text, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("encode an offer: %w", err)
	}
	_, err = s.putIfVersion(ctx, key, version, text)
	return err
}

// newOfferID returns the ID of an offer for a file of at most maxBytes. The 12 bits after the version, which are random
// in other UUIDs, hold that limit in MB, rounded up. A list of keys then shows how much each open offer can store.
func newOfferID(maxBytes int64, now time.Time) uuid.UUID {
	id := uuid.Must(uuid.NewV7())
	setTime(&id, now)
	const version7, mb = 7 << 12, 1 << 20
	limit := min(max(maxBytes+mb-1, 0)/mb, MaxUploadBytes/mb)
	binary.BigEndian.PutUint16(id[6:8], version7|uint16(limit))
	return id
}

// maxSizeOf returns the largest size that the file of an offer can have, in bytes.
func maxSizeOf(id uuid.UUID) int64 {
	const limitBits = 1<<12 - 1
	return min(int64(binary.BigEndian.Uint16(id[6:8])&limitBits)<<20, MaxUploadBytes)
}

// offeredAt returns the time of an offer, to the millisecond.
func offeredAt(id uuid.UUID) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(id[:8]) >> 16)).UTC()
}

// isOpen reports whether the offer still takes a file. It is false for uuid.Nil, whose time is 1970.
func (s *Store) isOpen(id uuid.UUID) bool { return s.now().Before(offeredAt(id).Add(OfferLifetime)) }

// firstIDAt returns the text that sorts before every UUID of version 7 that is created at the time or later.
func firstIDAt(at time.Time) string {
	var id uuid.UUID
	setTime(&id, at)
	return id.String()
}

// setTime stores a time in the first 48 bits of a UUID, where version 7 has it (RFC 9562, section 5.7).
func setTime(id *uuid.UUID, at time.Time) {
	rest := uint64(binary.BigEndian.Uint16(id[6:8]))
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16|rest)
}
