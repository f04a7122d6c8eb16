package main

import (
	"net/http"
	"testing"

	"portside/shared/testkit/webtest"
)

func TestEvents(t *testing.T) {
	webtest.Events(t, "anonymous", func(tb testing.TB) (http.Handler, map[string]string) {
		return newFixture(tb).handler(), nil
	})
}
