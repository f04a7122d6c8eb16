package analytics

import (
	"context"
	"fmt"
	"time"
)

// BucketSizer measures a bucket.
type BucketSizer interface {
	// TotalBytes returns how many bytes the bucket holds.
	TotalBytes(ctx context.Context) (int64, error)
}

// StorageStore stores the measurements.
type StorageStore interface {
	// SaveStorage stores a measurement for the day of its time. It does nothing if the day already
	// has a later one.
	SaveStorage(ctx context.Context, at time.Time, s StorageBytes) error
}

// StorageMeasurer measures how many bytes the buckets hold.
type StorageMeasurer struct {
	Charts, Media BucketSizer
	Store         StorageStore
	Now           func() time.Time
}

// Measure measures both buckets and stores the result. If either measurement fails it stores
// nothing, because half of the total would look like a drop.
func (m StorageMeasurer) Measure(ctx context.Context) (size StorageBytes, err error) {
	at := m.Now()
	if size.Charts, err = m.Charts.TotalBytes(ctx); err != nil {
		return size, err
	}
	if size.Media, err = m.Media.TotalBytes(ctx); err != nil {
		return size, err
	}
	if err := m.Store.SaveStorage(ctx, at, size); err != nil {
		return size, fmt.Errorf("save the storage measurement: %w", err)
	}
	return size, nil
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
