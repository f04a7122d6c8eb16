package web

import (
	"context"
	"net/http"
	"net/url"
	"reflect"

	"portside/shared/core/fault"
)

// input is what the middlewares of a request pass on to each other and to the handler.
type input struct {
	url      *url.URL           // of the request
	response http.Header        // of the response
	request  *http.Request      // set if the operation has a body
	body     []byte             // of a PUT or PATCH, at most as long as the operation takes
	bodyType reflect.Type       // of the operation's input; nil if it has none
	failures []fault.Field      // found by the middlewares; reported with those of huma
	early    <-chan earlyResult // gets one result if the operation has an EarlyRead
}

type inputKey struct{}

// inputFrom returns the input of the request that ctx belongs to.
func inputFrom(ctx context.Context) *input {
	if in, ok := ctx.Value(inputKey{}).(*input); ok {
		return in
	}
	return &input{}
}
