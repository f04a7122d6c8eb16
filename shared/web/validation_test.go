package web_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/fault"
	"portside/shared/testkit/webtest"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// order is an input with everything that huma and this package validate.
type order struct {
	Metric string   `query:"metric" required:"true"`
	Parts  []string `query:"parts"`
	resource.Condition
	resource.Idempotency
	Body struct {
		Crew []struct {
			Name string `json:"name"`
		} `json:"crew,omitempty"`
		Tons int `json:"tons,omitempty" maximum:"209715200"`
	}
}

// Resolve finds empty names and an empty crew, as a domain would.
func (o *order) Resolve(huma.Context) []error {
	var failures []fault.Field
	if o.Body.Crew != nil && len(o.Body.Crew) == 0 {
		failures = append(failures, fault.Field{Pointer: "", Detail: "must have a crew, or no list of it"})
	}
	for i, sailor := range o.Body.Crew {
		if sailor.Name == "" {
			failures = append(failures, fault.Field{Pointer: "/crew/" + string(rune('0'+i)) + "/name", Detail: "must not be empty"})
		}
	}
	return web.Failures(failures)
}

// orders returns a client of an API with one operation.
func orders(tb testing.TB) webtest.Client {
	tb.Helper()
	api := web.NewAPI(nil)
	web.Handle(api, web.Anyone(), huma.Operation{OperationID: "order", Method: http.MethodPost, Path: "/orders"},
		func(context.Context, *order) (*struct{}, error) { return &struct{}{}, nil })
	return webtest.New(tb, api.Handler())
}

func TestValidationFailures(t *testing.T) {
	for name, step := range map[string]struct{ query, header, value, pointer, detail string }{
		"no metric":                    {"", "", "", "query/metric", "is required"},
		"empty metric":                 {"?metric=", "", "", "query/metric", "is required"},
		"repeated value":               {"?metric=a&metric=b", "", "", "query/metric", "must be sent only once"},
		"repeated list":                {"?metric=a&parts=x&parts=y", "", "", "query/parts", "must be sent only once; separate its values with commas"},
		"bare tag":                     {"?metric=a", "If-Match", "2", "header/If-Match", "must be entity tags in quotes, as ETag returns them, or *"},
		"key with a control character": {"?metric=a", "Idempotency-Key", "\x01", "header/Idempotency-Key", "must be printable ASCII, not only spaces"},
		"empty tag":                    {"?metric=a", "If-Match", "", "header/If-Match", "must not be empty; leave it out instead"},
		"blank tag":                    {"?metric=a", "If-Match", "  ", "header/If-Match", "must not be empty; leave it out instead"},
		"empty key":                    {"?metric=a", "Idempotency-Key", "", "header/Idempotency-Key", "must not be empty; leave it out instead"},
	} {
		t.Run(name, func(t *testing.T) {
			c := orders(t)
			if step.header != "" {
				c = c.With(step.header, step.value)
			}
			answer := c.Post("/orders"+step.query, "{}").WantStatus(http.StatusBadRequest).WantValue("errors.1", nil)
			if detail := answer.Text("errors.0.detail"); detail != step.detail || answer.Text("errors.0.pointer") != step.pointer {
				t.Errorf("got %v, want %s %s", answer, step.pointer, step.detail)
			}
		})
	}
	orders(t).Post("/orders?metric=a", "{}").WantStatus(http.StatusNoContent)
	orders(t).With("If-Match", `"2"`).With("Idempotency-Key", "k").Post("/orders?metric=a", "{}").WantStatus(http.StatusNoContent)
	orders(t).With("If-None-Match", "").Post("/orders?metric=a", "{}").WantStatus(http.StatusNoContent) // this operation has no such header
}

func TestMessagesOfTheBody(t *testing.T) {
	for body, want := range map[string]fault.Field{
		`{"crew": [{"name": 5}]}`:                  {Pointer: "/crew/0/name", Detail: "must be a string"},
		`{"crew": "Ada"}`:                          {Pointer: "/crew", Detail: "must be a JSON array"},
		`{"crew": [{"name": "Ada", "rank": "a"}]}`: {Pointer: "/crew/0/rank", Detail: "is not a known field; known are name"},
		`{"ship": "Argo"}`:                         {Pointer: "/ship", Detail: "is not a known field; known are crew, tons"},
		`{"tons": 209715201}`:                      {Pointer: "/tons", Detail: "must be 209715200 or less"},
		`{"tons": "many"}`:                         {Pointer: "/tons", Detail: "must be a whole number"},
	} {
		t.Run(body, func(t *testing.T) {
			answer := orders(t).Post("/orders?metric=a", body).WantStatus(http.StatusBadRequest).WantValue("errors.1", nil)
			if got := (fault.Field{Pointer: answer.Text("errors.0.pointer"), Detail: answer.Text("errors.0.detail")}); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestEachMistakeIsReportedOnce(t *testing.T) {
	for body, pointers := range map[string]string{
		`{"crew":[null]}`:                      "/crew/0",
		`{"crew":[{"name":"a"},5,{}]}`:         "/crew/1 /crew/2/name",
		`{"crew":5}`:                           "/crew",
		`{"crew":[{"name":""},null],"crow":1}`: "/crew/0/name /crew/1 /crow",
		`{"crew":[],"crow":1}`:                 " /crow", // the whole body, and what may be the reason
		`[]`:                                   "",
	} {
		answer := orders(t).Post("/orders?metric=a", body).WantStatus(http.StatusBadRequest)
		got := answer.Pointers()
		slices.Sort(got)
		if strings.Join(got, " ") != pointers {
			t.Errorf("%s: got %v, want pointers %s", body, answer, pointers)
		}
	}
}

func TestNumberWithDecimalPointInIntegerField(t *testing.T) {
	for body, pointer := range map[string]string{
		`{"size":{"count":12.0}}`: "/size/count",
		`{"size":{"count":12}}`:   "",
	} {
		api := web.NewAPI(nil)
		web.Handle(api, web.Anyone(), huma.Operation{OperationID: "resize", Method: http.MethodPost, Path: "/sizes"},
			func(context.Context, *resizeInput) (*struct{}, error) { return &struct{}{}, nil })
		response := webtest.New(t, api.Handler()).Post("/sizes", body)
		if pointer == "" {
			response.WantStatus(http.StatusNoContent)
			continue
		}
		response.WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", pointer).
			WantValue("errors.0.detail", "must be written plainly, as 12 and not as 12.0").WantValue("errors.1", nil)
	}
}

type resizeInput struct {
	Body struct {
		Size struct {
			Count int `json:"count"`
		} `json:"size"`
	}
}
