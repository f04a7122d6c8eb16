// Package portal has the end-to-end tests of the portal as such: its pages, signing in, searching and the dashboard.
// Those of what the portal administers are in the packages of these subjects.
package portal

import (
	"testing"

	"portside/local/e2e/e2etest"
)

func TestMain(m *testing.M) { e2etest.Main(m) }
