package repair

import (
	"testing"

	"portside/cmd/portside/access"
	"portside/cmd/portside/importusers"
	"portside/cmd/portside/portsidetest"
)

// testStack is a stack for the tests of the package.
type testStack struct{ *portsidetest.Stack }

func newTestStack(t *testing.T) *testStack {
	t.Helper()
	return &testStack{portsidetest.New(t, Commands(), access.Commands(), importusers.Commands())}
}

// analyticsStack is a stack for the tests of the package.
type analyticsStack struct{ *portsidetest.Analytics }

func newAnalyticsStack(t *testing.T) *analyticsStack {
	t.Helper()
	return &analyticsStack{portsidetest.NewAnalytics(t, Commands(), access.Commands(), importusers.Commands())}
}
