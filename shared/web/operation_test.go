package web_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/testkit/webtest"
	"portside/shared/web"
)

// TestOperationStaysUnchanged serves an operation that is a package variable, which several APIs may add at the same
// time.
func TestOperationStaysUnchanged(t *testing.T) {
	answer := &huma.Response{Description: "The item."}
	op := huma.Operation{
		OperationID: "getItem", Method: http.MethodGet, Path: "/v1/items", Responses: map[string]*huma.Response{"200": answer},
		Errors: []int{http.StatusConflict},
	}
	api := web.NewAPI(nil)
	web.Handle(api, web.Anyone(), op, func(context.Context, *struct{}) (*itemOutput, error) { return &itemOutput{}, nil })
	webtest.New(t, api.Handler()).Get("/v1/items").WantStatus(http.StatusOK)
	if len(op.Responses) != 1 || answer.Headers != nil || answer.Content != nil {
		t.Errorf("the operation has the responses %v, and the first is now %+v", op.Responses, answer)
	}
}
