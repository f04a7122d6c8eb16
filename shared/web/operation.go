package web

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"portside/shared/core/fault"
)

// newHuma returns a huma API without operations, which adds the routes of operations to the mux. The operations also
// respond in the given formats; see formatsOf.
func newHuma(mux humago.Mux, others []string) huma.API {
	configureHuma()
	formats := map[string]huma.Format{"application/json": strictJSON, "json": strictJSON}
	for _, other := range others {
		formats[other] = map[string]huma.Format{csvType: csvFormat, jsonLinesType: jsonLines}[other]
	}
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	registry.RegisterTypeAlias(reflect.TypeFor[json.Number](), reflect.TypeFor[float64]()) // a number that keeps all its digits
	return humago.New(mux, huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0", Info: &huma.Info{Title: "Portside", Version: "1"},
			Components: &huma.Components{Schemas: registry},
		},
		Formats:       formats,
		DefaultFormat: "application/json",
	})
}

// lazyOperation adds an operation to huma at its first request. huma builds the schemas of all types of an operation,
// which for all operations takes longer than the rest of a start. Each operation has a separate huma API, because huma
// does not support adding operations to an API that serves requests.
type lazyOperation struct {
	operation

	once     sync.Once
	prepared atomic.Bool
	early    func(*http.Request) earlyResult // nil for none; see HandleEarly
	handler  http.HandlerFunc
}

// HandleFunc implements humago.Mux. It keeps the only handler; the mux of the API has already found the route.
func (l *lazyOperation) HandleFunc(_ string, handler func(http.ResponseWriter, *http.Request)) {
	l.handler = handler
}

// ServeHTTP implements http.Handler.
func (l *lazyOperation) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.readEarly(r)
	l.prepare()
	if len(l.formats) > 0 {
		setAccept(r, l.formats)
	}
	l.handler(w, r)
}

// prepare adds the operation to huma, once.
func (l *lazyOperation) prepare() {
	l.once.Do(func() {
		l.add(newHuma(l, l.formats))
		l.prepared.Store(true)
	})
}

// addOperation adds an operation with its checks and documentation to huma.
func addOperation[I, O any](to huma.API, access Access, op huma.Operation, handler func(context.Context, *I) (*O, error)) {
	if op.MaxBodyBytes == 0 && op.RequestBody == nil {
		op.MaxBodyBytes = MaxBody
	}
	op.MaxBodyBytes++ // huma rejects a body of exactly the limit
	op.Errors = slices.Concat(op.Errors, access.errors())
	op.Responses = copyOf(op.Responses)
	op.Security = access.security()
	op.Extensions = access.extensions(op)
	if requirement := access.requirement(); requirement != "" {
		op.Description += "\n\n" + requirement
	}
	op.Middlewares = slices.Concat(huma.Middlewares{checkParameters, checkBody, recordBodyType[I]}, op.Middlewares)
	form := op.RequestBody
	op.RequestBody = nil // otherwise huma reads it
	hasFormats := len(formatsOf(op.Method, reflect.TypeFor[O]())) > 0
	huma.Register(to, op, func(ctx context.Context, input *I) (*O, error) {
		if failures := inputFrom(ctx).failures; len(failures) > 0 {
			return nil, problemFor(ctx, fault.Invalid(failures...))
		}
		if list, ok := any(input).(interface{ bindCursor(ctx context.Context) }); ok {
			list.bindCursor(ctx)
		}
		output, err := handler(ctx, input)
		if err != nil {
			return nil, problemFor(ctx, err)
		}
		if output != nil {
			if hasFormats {
				varyByAccept(ctx)
			}
			linkNext(ctx, output)
		}
		return output, nil
	})
	documentBody(to.OpenAPI(), op, form)
	documentReading(to.OpenAPI(), op, reflect.TypeFor[O]())
}

// OwnLimit is the extension of an operation that has more limits than the credential's rate limit. cmd/openapi then
// describes a 429 whose Retry-After can be up to a day.
const OwnLimit = "x-own-limit"

// OnlyStaff is the extension of an operation that refuses users of customers.
const OnlyStaff = "x-only-staff"

// extensions returns the extensions of an operation with its permission, and with OnlyStaff.
func (a Access) extensions(op huma.Operation) map[string]any {
	all := map[string]any{}
	if a.permission != "" {
		all["x-permission"] = a.permission
	}
	if a.signedIn && !a.customers {
		all[OnlyStaff] = true
	}
	maps.Copy(all, op.Extensions)
	return all
}

// copyOf returns responses that huma may change, while another API adds the same operation.
func copyOf(responses map[string]*huma.Response) map[string]*huma.Response {
	copied := map[string]*huma.Response{}
	for status, response := range responses {
		own := *response
		own.Headers, own.Content = maps.Clone(response.Headers), maps.Clone(response.Content)
		copied[status] = &own
	}
	return copied
}

// documentReading documents what server.Negotiated and linkNext add to the responses of an operation that reads.
func documentReading(doc *huma.OpenAPI, op huma.Operation, output reflect.Type) {
	read := doc.Paths[op.Path].Get
	if op.Method != http.MethodGet || read == nil || read.Responses["200"] == nil {
		return
	}
	ok := read.Responses["200"]
	if item, isList := itemsOf(output); hasTable(output) {
		read.Description += "\n\nWith `Accept: text/csv`, the response is a table as CSV."
	} else if isList {
		read.Description += "\n\n" + csvNote(item)
	}
	if isPaginated(output) {
		if ok.Headers == nil {
			ok.Headers = map[string]*huma.Param{}
		}
		ok.Headers["Link"] = &huma.Param{
			Description: `Path of the next page, as <…>; rel="next" (RFC 8288). Absent on the last page.`,
			Schema:      &huma.Schema{Type: huma.TypeString, Examples: []any{`</v1/users?cursor=lKLrFk9CcWQxOQ&limit=20>; rel="next"`}},
		}
	}
	tag := ok.Headers["ETag"]
	if tag == nil {
		return
	}
	read.Parameters = append(read.Parameters, &huma.Param{
		Name: "If-None-Match", In: "header", Description: "The ETag of your copy. If it is current, the response is a 304 without a body.",
		Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{`"3"`}},
	})
	read.Responses["304"] = &huma.Response{
		Description: "Your copy is current.", Headers: map[string]*huma.Param{"ETag": tag},
	}
}

// documentBody corrects what huma documents of an operation: it removes the status 422 unless the operation declares
// it, because a failed validation has the status 400 here, and it adds the form that the operation's handler reads.
func documentBody(doc *huma.OpenAPI, op huma.Operation, form *huma.RequestBody) {
	item := doc.Paths[op.Path]
	for _, documented := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
		if documented == nil || documented.OperationID != op.OperationID {
			continue
		}
		if !slices.Contains(op.Errors, http.StatusUnprocessableEntity) {
			delete(documented.Responses, "422")
		}
		if form != nil {
			documented.RequestBody = form
		}
		if op.Method == http.MethodPatch {
			documented.RequestBody.Content = map[string]*huma.MediaType{mergePatch: documented.RequestBody.Content["application/json"]}
		}
	}
}
