package web

import (
	"context"
	"mime"
	"mime/multipart"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/fault"
)

// formType is the media type of forms with files (RFC 7578).
const formType = "multipart/form-data"

var (
	errNotForm    = fault.New(fault.UnsupportedType, "The body must be a form: send Content-Type: multipart/form-data; boundary=….")
	errNoBoundary = fault.Invalid(fault.Field{
		Pointer: "header/Content-Type", Detail: "must name the boundary, as in multipart/form-data; boundary=…",
	})
)

// FormBody documents the body of an operation that takes a form; schema describes the form's fields. The operation's
// input has no Body, and its handler reads the form with Form.
func FormBody(description string, schema *huma.Schema) *huma.RequestBody {
	return &huma.RequestBody{
		Description: description, Required: true,
		Content: map[string]*huma.MediaType{formType: {Schema: schema}},
	}
}

// Form returns a reader of the form in the request that ctx belongs to. It reads the parts one by one, as they arrive.
// It returns an error if the body is not a form.
func Form(ctx context.Context) (*multipart.Reader, error) {
	r := inputFrom(ctx).request
	if r == nil {
		return nil, errNotForm
	}
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != formType {
		return nil, errNotForm
	}
	if boundary := parameters["boundary"]; boundary == "" || len(boundary) > maxBoundaryChars {
		return nil, errNoBoundary
	}
	return multipart.NewReader(r.Body, parameters["boundary"]), nil
}

// maxBoundaryChars is the limit of RFC 2046, section 5.1.1.
const maxBoundaryChars = 70
