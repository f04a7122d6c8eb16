// Package budget bounds the cost of reading one document, and records the parts that the reader leaves out.
//
// All stages of the reader share one [Budget] and one [Damage]. A Budget counts decoded bytes and
// units of work; both only decrease while pages are read. A Cache bounds the memory that decoded
// objects keep.
package budget

import (
	"context"
	"errors"

	"portside/documents"
)

// maxWork bounds the operators, glyphs and values of one document.
const maxWork = 12_000_000

// Budget limits the bytes and the work that remain for reading a document.
type Budget struct {
	Limits documents.Limits

	ctx   context.Context
	bytes int64
	work  int
}

// New returns the budget of one document.
func New(ctx context.Context, limits documents.Limits) *Budget {
	return &Budget{Limits: limits, ctx: ctx, bytes: limits.Inflated, work: maxWork}
}

// Err returns the error of the context, once it ended.
func (b *Budget) Err() error { return b.ctx.Err() }

// SpendWork takes units of work, and reports whether the budget covered them. A unit is about the cost
// of one operator.
func (b *Budget) SpendWork(units int) bool {
	b.work -= units
	return b.work >= 0
}

// LimitWork bounds the work that is left.
func (b *Budget) LimitWork(units int) { b.work = min(b.work, units) }

// HasWork reports whether SpendWork may still succeed.
func (b *Budget) HasWork() bool { return b.work >= 0 }

// SpendBytes takes decoded bytes, and reports whether the budget covered them.
func (b *Budget) SpendBytes(n int64) bool {
	b.bytes -= n
	return b.bytes >= 0
}

// HasBytes reports whether any decoded bytes are left.
func (b *Budget) HasBytes() bool { return b.bytes > 0 }

// SetBytes replaces the decoded bytes that are left, for a stage with its own limit.
func (b *Budget) SetBytes(n int64) { b.bytes = n }

// Damage records what the reader could not read.
type Damage struct {
	Found    bool // a part of the file is damaged, perhaps one that no page needs
	Lost     bool // text or pictures of pages may be missing
	TooLarge bool // an object was left out because of its size
}

// IsFinal reports whether an error ends reading: the context ended, the file needs a password, or a
// limit is exceeded. A repair of the file cannot help then.
func IsFinal(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, documents.ErrEncrypted) || errors.Is(err, documents.ErrTooMuch)
}
