package analytics

import (
	"context"
	"fmt"
	"time"
)

// Volume is a place that things are stored in.
type Volume interface {
	// Bytes measures it.
	Bytes(ctx context.Context) (int64, error)
}

// Gauge keeps measurements.
type Gauge interface {
	// SetStorage keeps what was measured at a time as that of its day, unless something later is there.
	SetStorage(ctx context.Context, at time.Time, s Storage) error
}

// Meter measures how much is stored.
type Meter struct {
	Charts, Media Volume
	Gauge         Gauge
	Now           func() time.Time
}

// Measure measures both and keeps what it finds, all or nothing: the half of a sum would show as a drop.
func (m Meter) Measure(ctx context.Context) (s Storage, err error) {
	at := m.Now()
	if s.Charts, err = m.Charts.Bytes(ctx); err != nil {
		return s, err
	}
	if s.Media, err = m.Media.Bytes(ctx); err != nil {
		return s, err
	}
	if err := m.Gauge.SetStorage(ctx, at, s); err != nil {
		return s, fmt.Errorf("keep how much is stored: %w", err)
	}
	return s, nil
}
