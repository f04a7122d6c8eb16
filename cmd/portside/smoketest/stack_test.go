package smoketest

import (
	"testing"

	"portside/cmd/portside/access"
	"portside/cmd/portside/portsidetest"
	"portside/cmd/portside/verifyaudit"
)

// testStack is a stack for the tests of the package.
type testStack struct{ *portsidetest.Stack }

func newTestStack(t *testing.T) *testStack {
	t.Helper()
	return &testStack{portsidetest.New(t, Commands(), access.Commands(), verifyaudit.Commands())}
}

func newAnalyticsStack(t *testing.T) *portsidetest.Analytics {
	t.Helper()
	return portsidetest.NewAnalytics(t, Commands(), access.Commands(), verifyaudit.Commands())
}
