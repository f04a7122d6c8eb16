package web

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"portside/shared/core/fault"
	"portside/shared/credentials"
)

// MaxBody is the largest JSON body in bytes, unless the operation sets MaxBodyBytes. A form has no limit unless the
// operation sets one.
const MaxBody = 128 << 10

// TooLargeHint is the key of a sentence in an operation's Metadata that explains what to do about a body larger than
// MaxBodyBytes.
const TooLargeHint = "tooLargeHint"

var (
	errNotJSON = fault.New(fault.UnsupportedType, "The body must be JSON in UTF-8. Send Content-Type: application/json.")
	errEncoded = fault.New(fault.UnsupportedType, "The body must not be compressed. Send it without Content-Encoding.")
)

// checkBody rejects a body that is too large, and a body that is not plain JSON unless the operation takes a form. It
// checks the media type instead of huma, which accepts more types as JSON and fewer spellings of application/json. A
// compressed body is rejected by its Content-Encoding, because it would otherwise be reported as invalid JSON. An
// operation without a body rejects every body, even {}, because a client that sends one expects that it has an effect.
func checkBody(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	in := inputFrom(r.Context())
	if ctx.Operation().RequestBody == nil {
		if r.Method != http.MethodGet && r.Method != http.MethodHead && hasBody(r) { // clients may send a GET with a body
			in.failures = append(in.failures, fault.Field{Detail: "send no body"})
		}
		next(ctx)
		return
	}
	in.request = r
	if limit := ctx.Operation().MaxBodyBytes; limit > 1 && r.ContentLength >= limit {
		writeFault(w, r, tooLarge(ctx.Operation()), credentials.Allowance{})
		return
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		writeFault(w, r, errEncoded, credentials.Allowance{})
		return
	}
	if takesForm(ctx.Operation()) {
		next(ctx)
		return
	}
	if !isJSON(r.Header.Get("Content-Type"), r.Method == http.MethodPatch) {
		writeFault(w, r, errNotJSON, credentials.Allowance{})
		return
	}
	r.Header.Set("Content-Type", "application/json")
	if isChange(r) {
		inputFrom(r.Context()).body = keepBody(r, ctx.Operation().MaxBodyBytes)
	}
	next(ctx)
}

// takesForm reports whether the handler of an operation reads a form; see Form and URLForm.
func takesForm(op *huma.Operation) bool {
	return op.RequestBody.Content[formType] != nil || op.RequestBody.Content[urlFormType] != nil
}

// hasBody reads one byte, because a request in chunks does not declare its length.
func hasBody(r *http.Request) bool {
	if r.Body == nil {
		return false
	}
	n, _ := io.ReadFull(r.Body, make([]byte, 1))
	return n > 0
}

// isJSON accepts application/json in UTF-8, the only encoding that RFC 8259 permits, and a missing Content-Type. A
// PATCH may also have the type of a merge patch.
func isJSON(contentType string, isPatch bool) bool {
	if contentType == "" {
		return true
	}
	media, parameters, err := mime.ParseMediaType(contentType)
	charset := parameters["charset"]
	isKnown := media == "application/json" || isPatch && media == mergePatch
	return err == nil && isKnown && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

// tooLarge returns the fault for a body that is larger than the operation's limit.
func tooLarge(op *huma.Operation) error {
	limit := op.MaxBodyBytes - 1 // see Handle
	size := fmt.Sprintf("%d KB", limit>>10)
	if limit >= 1e6 {
		size = fmt.Sprintf("%.1f MB", float64(limit)/1e6)
	}
	detail := "The body is larger than the " + size + " that this operation takes."
	if hint, hasHint := op.Metadata[TooLargeHint].(string); hasHint {
		detail += " " + hint
	}
	return fault.New(fault.TooLarge, detail)
}
