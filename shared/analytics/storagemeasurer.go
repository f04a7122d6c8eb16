package analytics

import (
	"context"
	"errors"
	"fmt"
	"time"

	"portside/shared/core/parallel"
	"portside/shared/core/walk"
)

// BucketPart is the size of some objects of a bucket.
type BucketPart struct {
	Bytes int64
	Last  string // the key of the last of these objects, or "" if the bucket has no further objects
}

// BucketSizer measures a bucket in parts.
type BucketSizer interface {
	// Part returns the size of some objects whose keys follow the given one, in the order of the keys.
	Part(ctx context.Context, after string) (BucketPart, error)
}

// StorageStore stores the measurements.
type StorageStore interface {
	// SaveStorage stores a measurement for the day of its time. It does nothing if the day already
	// has a later one.
	SaveStorage(ctx context.Context, at time.Time, s StorageBytes) error
}

// StorageProgress is how far a measurement has come.
type StorageProgress struct {
	Charts, Media BucketProgress
	Since         time.Time // end of the last complete measurement, or begin of the first one
}

// BucketProgress is the measured part of a bucket.
type BucketProgress struct {
	Bytes      int64
	After      string // key of the last measured object
	IsComplete bool
}

// StorageMeasurer measures how many bytes the buckets hold.
type StorageMeasurer struct {
	Charts, Media BucketSizer
	Walk          walk.Store[StorageProgress]
	Store         StorageStore
	Now           func() time.Time
}

// Times of a run.
const (
	StorageLease = 90 * time.Second // how long a run that died blocks other runs
	partTimeout  = 30 * time.Second // for one part of a bucket
	partReserve  = 40 * time.Second // time of the run that must be left to measure a part and to store the progress
)

// StorageRun is the result of a run.
type StorageRun struct {
	Size       StorageBytes  // measured so far
	IsComplete bool          // the size is complete, and stored
	Age        time.Duration // time since the end of the last complete measurement, or since the begin of the first one
	Skipped    bool          // because another run has the lease
}

// Measure continues the measurement of both buckets until it is complete, or the context leaves no time for another
// part. A complete measurement is stored, and the next run starts a new one. After an error, the next run continues. If
// another run has the lease, Measure returns without an error.
func (m StorageMeasurer) Measure(ctx context.Context) (StorageRun, error) {
	lease, err := walk.Begin(ctx, m.Walk, walk.Clock{Now: m.Now, Lease: StorageLease})
	if errors.Is(err, walk.ErrLocked) {
		return StorageRun{Skipped: true}, nil
	}
	if err != nil {
		return StorageRun{}, err
	}
	now, at := m.Now(), &lease.Progress
	if at.Since.IsZero() {
		at.Since = now
	}
	err = m.measure(ctx, lease)
	run := StorageRun{Size: at.size(), IsComplete: err == nil && at.isComplete()}
	if run.IsComplete {
		if err = m.Store.SaveStorage(ctx, now, run.Size); err != nil {
			err = fmt.Errorf("save the storage measurement: %w", err)
		} else {
			*at = StorageProgress{Since: now}
		}
	}
	run.Age = now.Sub(at.Since)
	return run, errors.Join(err, lease.End(ctx))
}

// measure adds parts of both buckets at the same time, so that a large bucket does not hold up the other one.
func (m StorageMeasurer) measure(ctx context.Context, lease *walk.Run[StorageProgress]) error {
	at := &lease.Progress
	for !at.isComplete() && walk.HasTime(ctx, partReserve) {
		if err := lease.Renew(ctx, 2*partTimeout); err != nil {
			return err
		}
		charts, media := at.Charts, at.Media
		err := parallel.Each(2, 2, func(i int) error {
			if i == 0 {
				return charts.advance(ctx, m.Charts)
			}
			return media.advance(ctx, m.Media)
		})
		at.Charts, at.Media = charts, media
		if err != nil {
			return err
		}
	}
	return nil
}

// advance adds a part of the bucket, unless it is complete.
func (b *BucketProgress) advance(ctx context.Context, bucket BucketSizer) error {
	if b.IsComplete {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, partTimeout)
	defer cancel()
	part, err := bucket.Part(ctx, b.After)
	if err != nil {
		return err
	}
	*b = BucketProgress{Bytes: b.Bytes + part.Bytes, After: part.Last, IsComplete: part.Last == ""}
	return nil
}

func (p StorageProgress) isComplete() bool { return p.Charts.IsComplete && p.Media.IsComplete }

func (p StorageProgress) size() StorageBytes {
	return StorageBytes{Charts: p.Charts.Bytes, Media: p.Media.Bytes}
}

// Quota is how many bytes may be stored. The dashboard shows it; nothing enforces it.
type Quota int64

// Gigabytes returns a quota of n units of 10⁹ bytes.
func Gigabytes(n int) Quota { return Quota(n) * 1e9 }

// Gigabytes returns the quota in units of 10⁹ bytes.
func (q Quota) Gigabytes() float64 { return float64(q) / 1e9 }

// StorageBytes is how many bytes the buckets of charts and media hold.
type StorageBytes struct{ Charts, Media int64 }

// Gigabytes returns the sum in units of 10⁹ bytes, with six decimals.
func (s StorageBytes) Gigabytes() float64 { return round(float64(s.Charts+s.Media)/1e9, 6) }
