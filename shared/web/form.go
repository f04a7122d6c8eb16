package web

import (
	"context"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

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

// urlFormType is the media type of forms in the syntax of queries (WHATWG URL).
const urlFormType = "application/x-www-form-urlencoded"

var errNotURLForm = fault.New(fault.UnsupportedType, "The body must be a form. Send Content-Type: "+urlFormType+".")

// URLFormBody documents the body of an operation that takes a form without files; schema describes the form's fields.
// The operation needs MaxBodyBytes. Its input has no Body, and its handler reads the form with URLForm.
func URLFormBody(description string, schema *huma.Schema) *huma.RequestBody {
	return &huma.RequestBody{
		Description: description, Required: true, Content: map[string]*huma.MediaType{urlFormType: {Schema: schema}},
	}
}

// URLForm returns the fields of the form in the request that ctx belongs to. It returns an error if the body is not a
// form, or larger than most bytes.
func URLForm(ctx context.Context, most int64) (url.Values, error) {
	r := inputFrom(ctx).request
	if r == nil {
		return nil, errNotURLForm
	}
	return ReadURLForm(r, most)
}

// ReadURLForm is URLForm for a plain handler.
func ReadURLForm(r *http.Request, most int64) (url.Values, error) {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := parameters["charset"]
	if err != nil || kind != urlFormType || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, errNotURLForm
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if err != nil {
		return nil, fault.Invalid(fault.Field{Detail: "must arrive completely"})
	}
	if int64(len(body)) > most {
		return nil, tooLarge(&huma.Operation{MaxBodyBytes: most + 1})
	}
	fields, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, fault.Invalid(fault.Field{Detail: "must be name=value pairs, joined by & and escaped as in a query"})
	}
	return fields, nil
}

// maxBoundaryChars is the limit of RFC 2046, section 5.1.1.
const maxBoundaryChars = 70
