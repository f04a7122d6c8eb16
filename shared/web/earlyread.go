package web

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"portside/shared/credentials"
)

// EarlyRead reads what the path of a request names, before the caller is known. It must not change anything.
type EarlyRead[E any] func(ctx context.Context, r *http.Request) (E, error)

// EarlyHandler is a handler with a read that runs while the caller is authenticated. Early makes one.
type EarlyHandler[I, O any] struct {
	read    func(*http.Request) earlyResult
	handler func(context.Context, *I) (*O, error)
}

// Early returns a handler that gets what the read returned. If the read returns an error, the error is the response.
func Early[I, O, E any](read EarlyRead[E], handler func(context.Context, *I, E) (*O, error)) EarlyHandler[I, O] {
	return EarlyHandler[I, O]{
		read: func(r *http.Request) earlyResult {
			item, err := read(r.Context(), r)
			return earlyResult{item, err}
		},
		handler: func(ctx context.Context, in *I) (*O, error) {
			result := <-inputFrom(ctx).early
			if result.err != nil {
				return nil, result.err
			}
			item, _ := result.item.(E) // always an E, because only read sends
			return handler(ctx, in, item)
		},
	}
}

// HandleEarly is like Handle for an operation that needs one item that the path names. The read runs while the caller
// is authenticated, which saves a round trip. Only the handler gets its result. A refusal does not wait for the read,
// so neither the response nor its time tells whether the item exists. A request without a well-formed credential reads
// nothing.
func HandleEarly[I, O any](a *API, access Access, op huma.Operation, h EarlyHandler[I, O]) {
	a.handle(access, op, adding(access, op, h.handler), h.read)
}

// earlyResult is what an EarlyRead returned.
type earlyResult struct {
	item any
	err  error
}

// PathID returns the UUID in the path parameter in the spelling that is stored, and whether there is one.
func PathID(r *http.Request, parameter string) (id string, ok bool) {
	parsed, err := uuid.Parse(r.PathValue(parameter))
	return parsed.String(), err == nil
}

// begin starts the work that does not depend on the caller, while the caller is authenticated: the early read and, at
// the operation's first request, its schemas. If the text cannot be a credential of the kind, it starts nothing,
// because the request is refused without a call.
func (l *lazyOperation) begin(r *http.Request, text string, kind credentials.Kind) {
	if secret, err := credentials.Parse(text); err != nil || secret.Kind() != kind {
		return
	}
	l.readEarly(r)
	if !l.prepared.Load() {
		go l.prepare()
	}
}

// readEarly starts the early read of the request, if the operation has one that has not begun.
func (l *lazyOperation) readEarly(r *http.Request) {
	in := inputFrom(r.Context())
	if l.early == nil || in.early != nil {
		return
	}
	result := make(chan earlyResult, 1) // a refusal leaves the result in the channel
	in.early = result
	go func() { result <- l.early(r) }()
}
