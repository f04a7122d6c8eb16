package access

import (
	"testing"

	"portside/cmd/portside/portsidetest"
)

// testStack is a stack for the tests of the package.
type testStack struct{ *portsidetest.Stack }

func newTestStack(t *testing.T) *testStack {
	t.Helper()
	return &testStack{portsidetest.New(t, Commands())}
}
