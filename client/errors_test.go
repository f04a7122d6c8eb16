package client_test

import (
	"errors"
	"net/http"
	"testing"

	"portside/client"
)

func TestErrors(t *testing.T) {
	problem := `{"type":"/docs/errors#VALIDATION_ERROR","title":"Bad Request","status":400,"detail":"The request is not valid; see errors.",
		"code":"VALIDATION_ERROR","requestId":"r1","errors":[{"pointer":"/email","detail":"must be an email address"},
		{"pointer":"query/limit","detail":"must be at most 100"}]}`
	for name, test := range map[string]struct {
		answer func(http.ResponseWriter)
		want   string
		code   client.ProblemCode
		fields int
	}{
		"problem": {
			status(http.StatusBadRequest, problem, "X-Request-Id", "r1"),
			"portside: GET /v1/users/u1: 400 Bad Request (VALIDATION_ERROR): The request is not valid; see errors.; " +
				"email: must be an email address; query/limit: must be at most 100 [request r1]",
			client.ProblemCodeVALIDATIONERROR, 2,
		},
		"problem of the gateway": {
			status(http.StatusRequestEntityTooLarge, `{"message":"Request Too Long"}`, "Apigw-Requestid", "g1"),
			"portside: GET /v1/users/u1: 413 Request Entity Too Large: Request Too Long [request g1]", "", 0,
		},
		"message that repeats the status": {
			status(http.StatusForbidden, `{"message":"Forbidden"}`), "portside: GET /v1/users/u1: 403 Forbidden", "", 0,
		},
		"page of a proxy": {
			status(http.StatusNotFound, "<html>"), "portside: GET /v1/users/u1: 404 Not Found", "", 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, c := answering(t, test.answer)
			_, err := c.GetUser(t.Context(), "u1")
			refused, ok := errors.AsType[*client.Error](err)
			if !ok {
				t.Fatalf("%v is no *Error", err)
			}
			if refused.Error() != test.want || refused.Code != test.code || len(refused.Fields) != test.fields {
				t.Errorf("got %s\nwant %s\n%+v", refused, test.want, refused)
			}
		})
	}
}
