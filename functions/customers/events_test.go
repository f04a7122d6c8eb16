package main

import (
	"net/http"
	"testing"

	"portside/shared/testkit/webtest"
)

func TestEvents(t *testing.T) {
	webtest.Events(t, "customers", func(tb testing.TB) (http.Handler, map[string]string) {
		o := newFixture(tb)
		return o.handler(), map[string]string{"admin-key": o.key}
	})
}
