package mailses

import (
	"context"
	"time"
)

// WithoutWaits makes the Mailer repeat requests at once.
func (m *Mailer) WithoutWaits() *Mailer {
	m.api.attempts.Sleep = func(context.Context, time.Duration) error { return nil }
	return m
}
