package verifyaudit

import (
	"testing"

	"portside/cmd/portside/portsidetest"
)

// analyticsStack is a stack for the tests of the package.
type analyticsStack struct{ *portsidetest.Analytics }

func newAnalyticsStack(t *testing.T) *analyticsStack {
	t.Helper()
	return &analyticsStack{portsidetest.NewAnalytics(t, Commands())}
}
